// A source of secrets that can also keep one: it comes back as a reference that only this vault's key opens.
#pragma once

#include <string>

#include "ports/secret_source.h"

namespace eilbote {

class SecretVault : public SecretSource {
 public:
  // The reference to store instead of the secret. May block: a key file is made when there is none yet.
  virtual Result<std::string> encrypt(const Secret& secret) = 0;

  // The same secret under the current key; the reference itself when it is under it already, or was never encrypted here.
  virtual Result<std::string> under_current_key(std::string_view reference) = 0;
};

}  // namespace eilbote
