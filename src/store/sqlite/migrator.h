// Brings a file's schema up to date, one transaction per migration.
#pragma once

#include "base/clock.h"
#include "store/sqlite/database.h"
#include "store/store.h"

namespace eilbote::sqlite {

// Refuses a schema that has a migration this program does not know: a newer program has written it.
Result<MigrationReport> migrate(Database& database, const Clock& clock);

// The name of the newest migration this program knows.
std::string_view schema_version();

}  // namespace eilbote::sqlite
