// What a SQLSTATE means for the caller.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace eilbote::postgres {

// `at_commit`: the failure answered the COMMIT itself. A server that goes down there may have committed.
ErrorKind error_kind(std::string_view sqlstate, bool at_commit);

// Doing the same again may work: serialization failure or deadlock. Nothing was changed.
bool lost_a_race(std::string_view sqlstate);

// A pooler in between does not carry named statements (unknown name, or a name that is there already).
bool names_are_lost(std::string_view sqlstate);

// In words how a link ended: `silent` when no answer came in time, and libpq has nothing to say either.
std::string lost_link(bool silent, const std::string& said);

}  // namespace eilbote::postgres
