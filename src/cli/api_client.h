// The client commands' link to a server: one blocking HTTP request at a time, and what its answer means for
// the exit code.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "cli/cli.h"

namespace eilbote::cli {

struct ServerFlags;

struct ApiRequest {
  std::string method = "GET";
  std::string path;  // with query
  std::string body;  // empty: none
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string content_type = "application/json";
};

struct ApiAnswer {
  int status = 0;
  std::string body;
  bool replayed = false;  // Idempotency-Replayed

  bool good() const { return status >= 200 && status < 300; }
  // The body as JSON; null when it is none.
  boost::json::value json() const;
};

class ApiClient {
 public:
  explicit ApiClient(const ServerFlags& flags);
  // For what needs no token, which may be at another address than the one the token is for: none is sent.
  explicit ApiClient(std::string server);
  // Fails only when there was no answer; the error says how to go on.
  Result<ApiAnswer> request(const ApiRequest& request) const;

 private:
  std::string server_;
  Result<Secret> token_;  // empty: none is sent
};

// Tells an answer that is not good on standard error, with every fault it lists, and says which exit code it
// is. `about` stands in front: "message 0H...". With `json` the problem itself goes to standard output.
ExitCode tell_refusal(const ApiAnswer& answer, std::string_view about, bool json);
ExitCode tell_unreachable(const Error& error);

}  // namespace eilbote::cli
