// Brings a file's schema up to date, one transaction per migration.
#pragma once

#include "base/clock.h"
#include "store/sqlite/database.h"
#include "store/store.h"

namespace eilbote::sqlite {

// A schema that a newer program has added to stays as it is; one from which it took something away is refused.
Result<MigrationReport> migrate(Database& database, const Clock& clock);

// The name of the newest migration this program knows.
std::string_view schema_version();
// In their order.
std::vector<std::string> applied_migrations(Database& database);

}  // namespace eilbote::sqlite
