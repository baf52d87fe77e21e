// A look, at the start, at a secret that will be needed later.
#pragma once

#include <string>
#include <string_view>

#include "ports/secret_source.h"

namespace eilbote {

// A secret that cannot be read is better known now than when it is needed first. `option` names it in the error. A store on the
// network that is away is no error: it comes back, and what needs the secret waits meanwhile. May block.
Result<void> try_secret(SecretSource& secrets, const std::string& reference, std::string_view option);

}  // namespace eilbote
