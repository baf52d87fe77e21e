// The key that providers sign their events with (EILBOTE_PROVIDER_SECRET_REF): whether a signature over a body is right. The
// secret is read at use, so that a new one counts without a restart: a signature that does not fit makes its source be asked
// afresh, once in ten seconds at most, whoever makes signatures up. Used by api/gate.cpp. Safe from many threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "ports/secret_source.h"

namespace eilbote {

enum class SignatureCheck {
  good,
  wrong,           // malformed, or made with another key, or over other bytes
  not_configured,  // there is no key to check it with
  unavailable,     // the key cannot be read at the moment
};

class ProviderKey {
 public:
  using Done = std::function<void(SignatureCheck)>;

  // Without a reference no signature is taken. `secrets` and `clock` outlive it.
  ProviderKey(SecretSource& secrets, std::string reference, const Clock& clock)
      : secrets_(secrets), reference_(std::move(reference)), clock_(clock) {}

  // `signature`: the HMAC-SHA256 of the body in hex, with or without "sha256=" in front. May block for the secret; `done` is
  // called once, at once or later from another thread.
  void check(std::string_view body, std::string_view signature, Done done);

 private:
  bool may_renew();

  SecretSource& secrets_;
  const std::string reference_;
  const Clock& clock_;
  Mutex mutex_;
  std::optional<Clock::Steady> renewed_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
