// `vault://PATH[?version=N][#KEY]`: HashiCorp Vault's KV engine, version 2. Made by secrets.cpp.
#pragma once

#include <memory>

#include "ports/secret_source.h"
#include "secrets/secret_store.h"
#include "secrets/vault_client.h"

namespace eilbote {

// `local` resolves env:// and file://, and outlives it.
std::unique_ptr<SecretStore> make_vault_store(VaultOptions options, SecretSource& local);

}  // namespace eilbote
