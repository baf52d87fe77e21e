#include "store/sqlite/migrator.h"

#include <algorithm>
#include <set>

#include "store/schema_version.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

std::set<std::string> applied_migrations(Database& database) {
  std::set<std::string> names;
  database.run(q::create_schema_migrations).done();
  for (Run run = database.run(q::find_migrations); run.row();)
    names.emplace(run.text(0));
  return names;
}

bool is_known(const std::string& name) {
  return std::any_of(q::migrations.begin(), q::migrations.end(),
                     [&](const sql::Text& migration) { return migration.name == name; });
}

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

Result<MigrationReport> migrate(Database& database, const Clock& clock) {
  const std::set<std::string> applied = applied_migrations(database);
  if (database.failed()) return fail(database.take_error().with_context("migrate"));
  for (const std::string& name : applied)
    if (!is_known(name)) return fail(newer_schema(name, schema_version()));
  MigrationReport report;
  for (const sql::Text& migration : q::migrations) {
    if (applied.contains(std::string(migration.name))) continue;
    if (Result<void> done = apply(database, migration, clock.now()); !done) return fail(done.error());
    report.applied.emplace_back(migration.name);
  }
  report.version = schema_version();
  return report;
}

}  // namespace eilbote::sqlite
