// Whether a database's schema suits this program, in words that say what to do; the same in both stores. Called when a
// store is opened, checked or migrated. A version is the name of the latest migration.
#pragma once

#include <string_view>

#include "base/result.h"

namespace eilbote {

// A migration that this program, which knows them up to `known`, does not know.
Error newer_schema(std::string_view found, std::string_view known);

// Whether a database whose version is `found` (empty: none) can be used as it is.
Result<void> judge_version(std::string_view found, std::string_view known);

}  // namespace eilbote
