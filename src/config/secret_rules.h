// What the configuration may say about secrets: which references, no secret written out, a login that is whole. Used by
// the loader.
#pragma once

#include "config/loader.h"

namespace eilbote {

// Adds what is wrong to the faults; each names the option and what would be right, and repeats no secret.
void refuse_secrets(LoadedConfig& loaded);

}  // namespace eilbote
