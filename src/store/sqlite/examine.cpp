// Looks a SQLite file over for `eilbote doctor`; called by store/examine. Beside a running server it is one more reader.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "store/examine_rules.h"
#include "store/sqlite/migrator.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/sqlite_store.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

constexpr const char* kWhat = "database";
constexpr const char* kRestore =
    "Stop the server, keep the file for later, and restore the last copy made by `eilbote backup`.";

// File systems whose locks and shared memory do not hold between machines, by what statfs calls them.
struct NetworkFileSystem {
  unsigned long type;
  const char* name;
};
constexpr NetworkFileSystem kNetworkFileSystems[] = {
    {0x6969, "NFS"},    {0x517B, "SMB"},     {0xFE534D42, "SMB2"}, {0xFF534D42, "CIFS"},  {0x01021997, "9p"},
    {0xC36400, "Ceph"}, {0x5346414F, "AFS"}, {0x47504653, "GPFS"}, {0x0BD00BD0, "Lustre"}};

Finding judge_file_system(const std::string& folder) {
  struct statfs found {};
  if (::statfs(folder.c_str(), &found) != 0)
    return Finding::error("database file system", fmt::format("{}: {}", folder, std::strerror(errno)),
                          "Make the folder, or name another file with EILBOTE_STORE_URL.");
  const auto type = static_cast<unsigned long>(found.f_type) & 0xFFFF'FFFFUL;
  for (const auto& [number, name] : kNetworkFileSystems)
    if (number == type)
      return Finding::error(
          "database file system", fmt::format("{} is on {}", folder, name),
          "SQLite's locks do not hold there: put the file on a local disk, or use PostgreSQL.");
  return Finding::ok("database file system", "on a disk of this machine");
}

// A reader's connection to a file that is there.
Result<std::unique_ptr<Database>> open_to_look(const std::string& path) {
  auto database = Database::open(path);
  if (!database) return database;
  (*database)->script(q::open_reader);
  if ((*database)->failed()) return fail((*database)->take_error());
  return database;
}

std::string first_text(Database& database, const sql::Text& statement) {
  Run run = database.run(statement);
  return run.row() ? std::string(run.text(0)) : std::string();
}

std::string advice_for(const Error& error) {
  if (error.message.find("not a database") != std::string::npos ||
      error.message.find("malformed") != std::string::npos)
    return kRestore;
  return "The user of the server must be able to read and write the file and its folder.";
}

void judge_rows(Database& database, TimePoint now, std::vector<Finding>& findings) {
  std::vector<InstanceFact> instances;
  {
    Run run = database.run(q::find_instances);
    for (run.with(kInstancesMax); run.row();)
      instances.push_back({std::string(run.text(0)), run.time(1)});
  }
  findings.push_back(judge_instances(instances, now));
  Reading reading{database, now};
  findings.push_back(judge_queue(stats(reading).pools, now));
}

void judge_contents(Database& database, TimePoint now, std::vector<Finding>& findings) {
  const std::string mode = first_text(database, q::find_journal_mode);
  if (!database.failed()) {
    findings.push_back(Finding::ok(kWhat, "SQLite " + std::string(sqlite3_libversion())));
    if (mode == "wal")
      findings.push_back(Finding::ok("database journal", "WAL"));
    else
      findings.push_back(
          Finding::warning("database journal", "the journal mode is " + mode,
                           "Start the server once: it sets WAL, without which readers and the writer "
                           "wait for each other."));
  }
  const std::vector<std::string> applied = applied_migrations(database);
  if (database.failed()) {
    const Error error = database.take_error();
    if (error.message.find("no such table") == std::string::npos) return database.fail_with(error);
  }
  findings.push_back(judge_schema(applied, schema_version(), true));
  if (!applied.empty() && applied.back() >= schema_version()) judge_rows(database, now, findings);
}

}  // namespace

std::vector<Finding> examine(const StoreOptions& options, const Clock& clock) {
  const auto path = path_of(options);
  if (!path) return {Finding::error(kWhat, path.error().message, "Correct EILBOTE_STORE_URL.")};
  const std::string folder = std::filesystem::absolute(*path).parent_path().native();
  std::error_code unknown;
  if (!std::filesystem::exists(*path, unknown))
    return {Finding::ok(kWhat, *path + " is not there yet; `eilbote serve` makes it")};
  std::vector<Finding> findings{judge_file_system(folder)};
  auto database = open_to_look(*path);
  if (!database) {
    findings.push_back(Finding::error(kWhat, database.error().message, advice_for(database.error())));
    return findings;
  }
  judge_contents(**database, clock.now(), findings);
  if (!(*database)->failed()) return findings;
  const Error error = (*database)->take_error();
  findings.push_back(Finding::error(kWhat, error.message, advice_for(error)));
  return findings;
}

std::vector<Finding> verify(const StoreOptions& options) {
  constexpr const char* kIntegrity = "database integrity";
  const auto path = path_of(options);
  std::error_code unknown;
  if (!path || !std::filesystem::exists(*path, unknown)) return {};
  auto database = open_to_look(*path);
  if (!database) return {};  // examine() says why
  const std::string said = first_text(**database, q::quick_check);
  if ((*database)->failed()) return {Finding::error(kIntegrity, (*database)->take_error().message, kRestore)};
  if (said != "ok") return {Finding::error(kIntegrity, said, kRestore)};
  return {Finding::ok(kIntegrity, "the file is whole")};
}

}  // namespace eilbote::sqlite
