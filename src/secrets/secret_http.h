// One HTTP request to a secret store, waited for. No redirects, no outbound guard: whom it talks to was configured by the
// operator. Made on net/http_client; used by the stores of this folder.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/http_client.h"
#include "secrets/secret_store.h"

namespace eilbote {

struct SecretRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
};

class SecretHttp {
 public:
  // `ca_file` empty: the system's authorities.
  SecretHttp(std::string ca_file, Duration timeout) : ca_file_(std::move(ca_file)), timeout_(timeout) {}

  // An answer of any status, whole; else what kept it from coming. A connection that was lost is tried once more: all
  // requests here may be repeated.
  FromStore<HttpAnswer> call(const SecretRequest& request);

 private:
  FromStore<HttpAnswer> call_once(const SecretRequest& request);

  const std::string ca_file_;
  const Duration timeout_;
  std::unique_ptr<HttpClient> client_;  // made at the first call: most installations need none
};

// What a Retry-After of this answer asks for; 0: nothing.
Duration pause_asked_for(const HttpAnswer& answer);

}  // namespace eilbote
