// The ledger of an instance that delivers nothing (roles api and scheduler): it claims nothing, holds nothing, and whoever asks it
// for a delivery is told to ask a worker. It stands where the API and upkeep want a ledger, so that neither has to know of roles.
// Has no thread; a crash leaves nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/ledger.h"

namespace eilbote {

// What such an instance says of itself. `role`: its own, as people write it.
std::string delivers_nothing(std::string_view role);

std::unique_ptr<Ledger> make_idle_ledger(std::string_view role);

}  // namespace eilbote
