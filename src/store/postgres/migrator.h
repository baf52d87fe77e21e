// The version of the schema this program was built for, and what to say about another; migrating is in postgres_store.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace eilbote::postgres {

// The SQLSTATE of a database without our tables.
inline constexpr std::string_view kUndefinedTable = "42P01";

// The version this program was built for: the name of its last migration.
std::string_view schema_version();

// Whether a database whose latest migration is `found` (empty: none) can be used as it is; the message says
// what to do.
Result<void> judge_version(const std::string& found);

}  // namespace eilbote::postgres
