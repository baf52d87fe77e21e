// One reading of an issuer's keys: discovery, then the JWKS it names. Used by auth/oidc.cpp.
#pragma once

#include <functional>
#include <string>

#include "auth/jwks.h"
#include "base/clock.h"
#include "net/http_client.h"

namespace eilbote {

struct KeyFetch {
  std::string issuer;
  Duration timeout = std::chrono::seconds{5};  // of both requests together
};
using KeysFetched = std::function<void(Result<KeySet>)>;

// Never blocks. `done` is called once, from the client's thread, within the timeout. `http` and `clock` outlive the call.
void fetch_keys(HttpClient& http, const Clock& clock, const KeyFetch& fetch, KeysFetched done);

}  // namespace eilbote
