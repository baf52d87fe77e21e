// Secrets by reference: the factory of the source that the composition root hands around.
#pragma once

#include <memory>

#include "ports/secret_source.h"

namespace eilbote {

// Resolves `env://NAME` (a variable of this process) and `file://PATH` (a file's content; one line end at its
// end is not part of it). Reads at every call, so that a rotated secret is seen at its next use.
std::unique_ptr<SecretSource> make_secret_source();

}  // namespace eilbote
