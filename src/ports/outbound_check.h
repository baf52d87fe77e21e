// Asked before a job or a callback with a URL of the client's is accepted. src/net answers; the connection is checked again when it
// is made, on the address it is made to.
#pragma once

#include <chrono>
#include <optional>

#include "domain/outbound_rules.h"
#include "domain/webhook_url.h"

namespace eilbote {

struct OutboundVerdict {
  bool is_known = true;  // false: the name has to be looked up first
  std::optional<OutboundRule> refused_by{};
};

class OutboundCheck {
 public:
  virtual ~OutboundCheck() = default;
  // By what is known already. Never blocks.
  virtual OutboundVerdict look(const WebhookUrl& url) = 0;
  // Looks the name up, for at most `patience`, which becomes less by the time it took. A name that is not found by then is not
  // refused: it may be there when its turn comes, and is checked then.
  virtual std::optional<OutboundRule> ask(const WebhookUrl& url, std::chrono::milliseconds& patience) = 0;
};

}  // namespace eilbote
