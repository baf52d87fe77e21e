// The authenticator for tokens of an OpenID Connect issuer. The composition root makes one when EILBOTE_AUTH is `oidc`.
//
// Keys are read by discovery, again before they are old, and when a token names one that is not known: for that at most
// once in 10 s, so that made-up kids do not become a flood at the issuer. While the issuer is away the last good keys stay.
// A request that has to wait for keys holds no thread; how many may wait, and for how long, is bounded.
#pragma once

#include <memory>
#include <string>

#include "auth/jwt.h"
#include "base/clock.h"
#include "metrics/metrics.h"
#include "net/name_lookup.h"
#include "ports/authenticator.h"

namespace eilbote {

struct OidcOptions {
  std::string issuer, audience;
  std::string ca_file;  // whom to trust for the issuer; empty: the system's authorities
  Duration keys_life =
      std::chrono::minutes{5};  // how old keys get, and how long a verified token is not verified again
  Duration fetch_timeout = std::chrono::seconds{5};
  Duration unknown_key_pause = std::chrono::seconds{10};
  std::size_t waiting_max = 1'000;
  std::size_t tokens_max = 10'000;  // remembered as verified
  NameLookup lookup = look_up_name;
};

class OidcAuthenticator : public Authenticator {
 public:
  // Reads the keys again when they get old, or when the last reading failed; called every second or so. Never blocks.
  virtual void tend() = 0;
  // Nothing is answered later any more: who waits for keys is dropped. What can be answered at once still is.
  virtual void stop() = 0;
};

// Begins to read the keys at once.
Result<std::unique_ptr<OidcAuthenticator>> make_oidc_authenticator(OidcOptions options, const Clock& clock,
                                                                   Metrics& metrics);

}  // namespace eilbote
