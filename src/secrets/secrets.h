// Secrets by reference: the factory of the source that the composition root hands around.
#pragma once

#include <memory>

#include "ports/secret_vault.h"
#include "secrets/data_key.h"

namespace eilbote {

// Resolves `env://NAME` (a variable of this process) and `file://PATH` (a file's content; one line end at its
// end is not part of it), and, when there is a data key, `encrypted://BASE64`. Reads at every call, so that a rotated
// secret is seen at its next use.
std::unique_ptr<SecretVault> make_secret_source(DataKeyOptions options = {});

// Whether the references to data keys hold one; a key file is neither needed nor made.
Result<void> check_data_keys(const DataKeyOptions& options);

}  // namespace eilbote
