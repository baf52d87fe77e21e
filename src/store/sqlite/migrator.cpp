#include "store/sqlite/migrator.h"

#include <algorithm>

#include "store/schema_version.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// Nothing of it stays when it fails.
Result<void> apply(Database& database, const sql::Text& migration, TimePoint now) {
  database.run(q::begin_transaction).done();
  database.script(migration);
  database.run(q::insert_migration).with(migration.name, now).done();
  database.run(q::commit_transaction).done();
  if (!database.failed()) return {};
  const Error error = database.take_error();
  if (database.in_transaction()) database.run(q::rollback_transaction).done();
  return fail(error.with_context("migration " + std::string(migration.name)));
}

}  // namespace

std::string_view schema_version() {
  return q::migrations.back().name;
}

std::vector<std::string> applied_migrations(Database& database) {
  std::vector<std::string> names;
  for (Run run = database.run(q::find_migrations); run.row();)
    names.emplace_back(run.text(0));
  return names;
}

Result<MigrationReport> migrate(Database& database, const Clock& clock) {
  database.run(q::create_schema_migrations).done();
  const std::vector<std::string> before = applied_migrations(database);
  if (database.failed()) return fail(database.take_error().with_context("migrate"));
  const bool is_newer = !before.empty() && before.back() > schema_version();
  if (is_newer)
    if (auto fits = judge_version(before, schema_version()); !fits) return fail(fits.error());
  MigrationReport report;
  for (const sql::Text& migration : q::migrations) {
    if (std::ranges::find(before, migration.name) != before.end()) continue;
    if (Result<void> done = apply(database, migration, clock.now()); !done) return fail(done.error());
    report.applied.emplace_back(migration.name);
  }
  report.version = is_newer ? before.back() : schema_version();
  return report;
}

}  // namespace eilbote::sqlite
