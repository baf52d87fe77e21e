// Brings the schema up to date. One migrator at a time (an advisory lock held by its session); each migration
// is its own transaction together with its line in schema_migrations. Uses plain libpq: a migration is a
// script of statements.
#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "store/postgres/connection.h"
#include "store/postgres/migrator.h"
#include "store/postgres/postgres_store.h"
#include "store/schema_version.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

Result<Rows> run_script(PGconn* conn, std::string_view name, const std::string& text) {
  Rows rows(PQexec(conn, text.c_str()));
  if (rows.status() == PGRES_COMMAND_OK || rows.status() == PGRES_TUPLES_OK) return rows;
  const ErrorKind kind = PQstatus(conn) == CONNECTION_OK ? ErrorKind::internal : ErrorKind::unavailable;
  return fail(kind, fmt::format("{}: {}", name, PQerrorMessage(conn)));
}

Result<Rows> run_statement(PGconn* conn, const sql::Text& statement) {
  return run_script(conn, statement.name, std::string(statement.text));
}

Result<void> record(PGconn* conn, std::string_view name) {
  const std::string text(q::insert_migration.text), value(name);
  const char* values[] = {value.c_str()};
  const Rows rows(PQexecParams(conn, text.c_str(), 1, nullptr, values, nullptr, nullptr, 0));
  if (rows.status() == PGRES_COMMAND_OK) return {};
  return fail(ErrorKind::internal, fmt::format("{}: {}", name, PQerrorMessage(conn)));
}

Result<void> apply(PGconn* conn, const sql::Text& migration) {
  if (auto begun = run_statement(conn, q::begin_transaction); !begun) return fail(begun.error());
  if (auto run = run_statement(conn, migration); !run) return fail(run.error());
  if (auto recorded = record(conn, migration.name); !recorded) return fail(recorded.error());
  if (auto done = run_statement(conn, q::commit_transaction); !done) return fail(done.error());
  log::info("schema migrated", {{"migration", migration.name}});
  return {};
}

}  // namespace

std::string_view schema_version() {
  return q::migrations.back().name;
}

std::vector<std::string> read_migrations(const Rows& rows) {
  std::vector<std::string> names;
  for (const Row row : rows)
    names.emplace_back(row.text(0));
  return names;
}

Result<MigrationReport> migrate(const StoreOptions& options) {
  auto conn = connect({options.url, options.password});
  if (!conn) return fail(conn.error());
  PGconn* link = conn->get();
  for (const sql::Text* statement : {&q::lock_migrations, &q::create_schema_migrations})
    if (auto done = run_statement(link, *statement); !done) return fail(done.error());
  auto rows = run_statement(link, q::find_migrations);
  if (!rows) return fail(rows.error());
  const std::vector<std::string> before = read_migrations(*rows);
  const bool is_newer = !before.empty() && before.back() > schema_version();
  if (is_newer)
    if (auto fits = judge_version(before, schema_version()); !fits) return fail(fits.error());

  MigrationReport report;
  for (const sql::Text& migration : q::migrations) {
    if (std::ranges::find(before, migration.name) != before.end()) continue;
    if (auto done = apply(link, migration); !done) return fail(done.error().with_context("migrate"));
    report.applied.emplace_back(migration.name);
  }
  report.version = is_newer ? before.back() : schema_version();
  return report;
}

}  // namespace eilbote::postgres
