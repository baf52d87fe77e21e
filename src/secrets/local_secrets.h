// What lies on this machine in the clear (SecretHome::machine). Also what the stores' own logins and, often, the data key
// are read with. Used by secrets.cpp.
#pragma once

#include "ports/secret_source.h"

namespace eilbote {

// Reads at every call, so that a changed file is seen at its next use.
class LocalSecrets final : public SecretSource {
 public:
  Result<Secret> resolve(std::string_view reference) override;
};

}  // namespace eilbote
