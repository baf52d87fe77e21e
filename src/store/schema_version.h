// Whether a database's schema suits this program, in words that say what to do; the same in both stores. Called when a
// store is opened, checked or migrated. A version is the name of the latest migration.
//
// Migrations add, so that instances of the version before go on while others are replaced. One that takes something away is
// named NNN_contract_..: a program that does not know it must not run on that schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace eilbote {

// Whether programs that know the migrations up to `known` may run on a schema with these (in their order): an older one must
// be migrated first, a newer one may only have been added to.
Result<void> judge_version(const std::vector<std::string>& applied, std::string_view known);

}  // namespace eilbote
