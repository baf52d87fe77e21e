// The version of the schema on PostgreSQL that this program was built for. Migrating is in postgres_store.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/rows.h"

namespace eilbote::postgres {

// The SQLSTATE of a database without our tables.
inline constexpr std::string_view kUndefinedTable = "42P01";

// The version this program was built for: the name of its last migration.
std::string_view schema_version();
// Of q::find_migrations.
std::vector<std::string> read_migrations(const Rows& rows);

}  // namespace eilbote::postgres
