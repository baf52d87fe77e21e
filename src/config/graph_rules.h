// What the options of the Microsoft Graph route must be together, and what follows from them. Used by the loader.
#pragma once

#include "config/loader.h"

namespace eilbote {

// With EILBOTE_MAIL_PROVIDER=graph: adds what is missing or contradicts itself to the faults, and sets what is derived, the
// scope of tokens and the limit of recipients. Otherwise: nothing.
void settle_graph(LoadedConfig& loaded);

}  // namespace eilbote
