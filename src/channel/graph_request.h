// A call to Graph as an HTTP request, alone or as a part of a batch: where it goes, and which headers it carries. A token goes
// to Graph's own host only, whatever an answer named as the next address. Used by the door.
#pragma once

#include <string>
#include <string_view>

#include "base/secret.h"
#include "channel/graph_batch.h"
#include "channel/graph_door.h"
#include "domain/webhook_url.h"
#include "net/http_client.h"

namespace eilbote {

class GraphAddress {
 public:
  // "https://graph.microsoft.com/v1.0"; http on this machine only.
  static Result<GraphAddress> parse(std::string_view base_url);

  // Without a deadline. The error says what is wrong with the call's path, without repeating it: it may hold a token itself.
  Result<HttpCall> request(const GraphCall& call, const Secret& token) const;
  HttpCall batch(std::string body, const Secret& token) const;
  // For people: "graph.microsoft.com".
  std::string host() const { return base_.route(); }

 private:
  explicit GraphAddress(WebhookUrl base) : base_(std::move(base)) {}
  Result<WebhookUrl> place_of(const GraphCall& call) const;

  WebhookUrl base_;  // its path without a slash at the end
};

// Whether it may be put into a batch: its caller lets it, it is below the base URL, and its body is JSON or there is none.
bool fits_batch(const GraphCall& call);
// Its body stays the call's.
GraphBatchPart batch_part(const GraphCall& call);

}  // namespace eilbote
