// Secrets by reference: the factories of the source that the composition root hands around.
#pragma once

#include <memory>

#include "domain/secret_reference.h"
#include "ports/secret_vault.h"
#include "secrets/data_key.h"
#include "secrets/secret_cache.h"
#include "secrets/stores.h"

namespace eilbote {

struct SecretOptions : SecretStoreOptions {
  DataKeyOptions data_key;
  SecretSchemes
      schemes;  // what references may use; empty: all. What this vault encrypted itself always opens.
  SecretCacheRules cache;
  Metrics* metrics = nullptr;  // outlives the source; null: nothing is counted
};

// Resolves every scheme of domain/secret_reference.h. What lies on this machine is read at every call, so that a
// rotated secret is seen at its next use; encrypted:// needs a data key; the others come from stores on the network,
// through a cache.
std::unique_ptr<SecretVault> open_secrets(const SecretOptions& options);

// The same without stores on the network.
std::unique_ptr<SecretVault> make_secret_source(DataKeyOptions options = {});

}  // namespace eilbote
