// A source of secrets that can also keep one: it comes back as a reference that only this vault's key opens.
#pragma once

#include <string>

#include "ports/secret_source.h"

namespace eilbote {

class SecretVault : public SecretSource {
 public:
  // The reference to store instead of the secret. May block: a key file is made when there is none yet.
  virtual Result<std::string> encrypt(const Secret& secret) = 0;
};

}  // namespace eilbote
