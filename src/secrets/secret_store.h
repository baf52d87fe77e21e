// A place on the network where secrets are kept: one class per scheme behind this interface. Used by SecretCache, which calls
// it from one thread and remembers what it answers.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

namespace eilbote {

// Why there is no secret. The text names neither the secret nor the reference; whoever asked adds that.
struct SecretTrouble {
  Error error;
  Duration come_back{};  // the store asked for this pause; 0: it did not
};
template <class T>
using FromStore = tl::expected<T, SecretTrouble>;

inline tl::unexpected<SecretTrouble> trouble(ErrorKind kind, std::string text, Duration come_back = {}) {
  return tl::unexpected<SecretTrouble>(SecretTrouble{{kind, std::move(text)}, come_back});
}

class SecretStore {
 public:
  virtual ~SecretStore() = default;
  // `place`: what follows the scheme in the reference. Blocks, but no longer than a few timeouts.
  virtual FromStore<Secret> fetch(std::string_view place) = 0;
};

}  // namespace eilbote
