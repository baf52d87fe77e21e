// The outbox on one SQLite file: hands each operation to the writer or to a reader, and puts the parts
// together.
#include <mutex>

#include "store/schema_version.h"
#include "store/sqlite/migrator.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"
#include "store/sqlite/sqlite_store.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

constexpr std::size_t kReaders = 3;
// Mails read in one snapshot: big ones must not add up to more than a read may take.
constexpr std::size_t kContentsPerRead = 32;
// Acts that share a commit.
constexpr std::size_t kActsPerCommit = 50;

class SqliteOutbox final : public Outbox {
 public:
  SqliteOutbox(std::shared_ptr<Parts> parts, bool broker) : parts_(std::move(parts)), broker_(broker) {}

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) override {
    return writer().run([&](Session& session) { return sqlite::accept(session, jobs, run, broker_); });
  }
  Result<ExchangeResult> exchange(const ExchangeRequest& request) override {
    return writer().run([&](Session& session) { return sqlite::exchange(session, request); });
  }
  Result<std::vector<ActOutcome>> act(std::span<const JobId> ids, const ActRequest& request) override;

  Result<JobContents> load_contents(std::span<const JobId> mails, std::span<const JobId> webhooks) override;
  Result<ActiveLanes> active_lanes() override {
    return readers().read([](Reading& reading) { return sqlite::active_lanes(reading); });
  }
  Result<std::optional<JobRecord>> find(JobId id, const std::optional<ClientName>& client) override {
    return readers().read([&](Reading& reading) { return sqlite::find(reading, id, client); });
  }
  Result<JobHistory> history(JobId id) override {
    return readers().read([&](Reading& reading) { return sqlite::history(reading, id); });
  }
  Result<Page> list(const ListQuery& query) override {
    return readers().read([&](Reading& reading) { return sqlite::list(reading, query, broker_); });
  }
  Result<void> check() override;

 private:
  Writer& writer() { return *parts_->writer; }
  Readers& readers() { return *parts_->readers; }

  std::shared_ptr<Parts> parts_;  // with the registry
  const bool broker_;
};

Result<JobContents> SqliteOutbox::load_contents(std::span<const JobId> mails,
                                                std::span<const JobId> webhooks) {
  JobContents all;
  const auto load = [&](std::span<const JobId> ids, auto read, auto& into) -> Result<void> {
    while (!ids.empty()) {
      const std::span<const JobId> some = ids.first(std::min(ids.size(), kContentsPerRead));
      auto contents = readers().read([&](Reading& reading) { return read(reading, some); });
      if (!contents) return fail(contents.error());
      std::move(contents->begin(), contents->end(), std::back_inserter(into));
      ids = ids.subspan(some.size());
    }
    return {};
  };
  if (auto done = load(mails, sqlite::load_mails, all.mails); !done) return fail(done.error());
  if (auto done = load(webhooks, sqlite::load_webhooks, all.webhooks); !done) return fail(done.error());
  return all;
}

Result<std::vector<ActOutcome>> SqliteOutbox::act(std::span<const JobId> ids, const ActRequest& request) {
  std::vector<ActOutcome> all;
  all.reserve(ids.size());
  while (!ids.empty()) {
    const std::span<const JobId> some = ids.first(std::min(ids.size(), kActsPerCommit));
    auto outcomes = writer().run([&](Session& session) {
      std::vector<ActOutcome> done;
      for (const JobId id : some)
        done.push_back(sqlite::act(session, id, request, broker_));
      return done;
    });
    if (!outcomes) return fail(outcomes.error());
    std::move(outcomes->begin(), outcomes->end(), std::back_inserter(all));
    ids = ids.subspan(some.size());
  }
  return all;
}

Result<void> SqliteOutbox::check() {
  const auto applied = readers().read([](Reading& reading) { return applied_migrations(reading.database); });
  if (!applied) return fail(applied.error());
  // A full disk can still be read. The heartbeat writes all the time, so that this is never old.
  if (const auto trouble = writer().trouble()) return fail(trouble->with_context("the last write failed"));
  return judge_version(*applied, schema_version());
}

// Statement journals stay in memory: a savepoint around a big batch would otherwise write its undo pages to a
// file. The library takes the setting before its first use only.
void configure_library() {
  static std::once_flag once;
  std::call_once(once, [] {
    sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  });
}

Result<std::unique_ptr<Database>> connect(const std::string& path, const sql::Text& settings) {
  Result<std::unique_ptr<Database>> database = Database::open(path);
  if (!database) return database;
  (*database)->script(settings);
  if ((*database)->failed()) return fail((*database)->take_error().with_context("open " + path));
  return database;
}

// The writer's connection to a locked, existing, migrated file.
Result<std::unique_ptr<Database>> open_migrated(const std::string& path, const Clock& clock,
                                                MigrationReport& report) {
  configure_library();
  Result<std::unique_ptr<Database>> database = connect(path, q::open_writer);
  if (!database) return database;
  Result<MigrationReport> migrated = migrate(**database, clock);
  if (!migrated) return fail(migrated.error().with_context("open " + path));
  report = std::move(*migrated);
  return database;
}

Result<std::unique_ptr<FileLock>> lock_file(const std::string& path) {
  if (Result<void> made = make_file(path); !made) return fail(made.error());
  return FileLock::take(path);
}

}  // namespace

Result<std::string> path_of(const StoreOptions& options) {
  std::string path = options.url.substr(std::string_view("sqlite:").size());
  if (path.starts_with("//")) path.erase(0, 2);
  if (path.empty() || path.starts_with(":") || path.ends_with("/"))
    return fail(ErrorKind::invalid, "must name a file: 'sqlite:/path/to/file.db'");
  return path;
}

Result<MigrationReport> migrate(const StoreOptions& options, const Clock& clock) {
  const Result<std::string> path = path_of(options);
  if (!path) return fail(path.error());
  const auto lock = lock_file(*path);
  if (!lock) return fail(lock.error());
  MigrationReport report;
  const auto database = open_migrated(*path, clock, report);
  if (!database) return fail(database.error());
  return report;
}

Result<Store> open(const StoreOptions& options, const Clock& clock) {
  const Result<std::string> path = path_of(options);
  if (!path) return fail(path.error());
  auto parts = std::make_shared<Parts>();
  auto lock = lock_file(*path);
  if (!lock) return fail(lock.error());
  parts->lock = std::move(*lock);
  MigrationReport report;
  auto writing = open_migrated(*path, clock, report);
  if (!writing) return fail(writing.error());
  write_pools(**writing, options.pools, clock.now());
  if ((*writing)->failed()) return fail((*writing)->take_error());

  std::vector<std::unique_ptr<Database>> reading;
  for (std::size_t i = 0; i < kReaders; ++i) {
    auto database = connect(*path, q::open_reader);
    if (!database) return fail(database.error());
    reading.push_back(std::move(*database));
  }
  auto copying = connect(*path, q::open_checkpointer);
  if (!copying) return fail(copying.error());
  parts->checkpointer = std::make_unique<Checkpointer>(std::move(*copying), parts->gate);
  parts->writer = std::make_unique<Writer>(std::move(*writing), clock, *parts->checkpointer);
  parts->readers = std::make_unique<Readers>(std::move(reading), clock, parts->gate);
  parts->start();
  return Store{std::make_unique<SqliteOutbox>(parts, options.broker),
               make_care(parts, options.broker),
               make_registry(parts),
               make_feed(parts),
               make_contents(parts),
               make_drafts(parts),
               make_mailbox_watch(parts),
               make_reports(parts, options.mail_policy),
               make_suppressions(parts),
               make_publishing(parts),
               make_overview(parts),
               make_breaker_board(parts)};
}

namespace {

// One engine per file: there is nobody to tell.
class NoWakeUps final : public WakeUps {
 public:
  void announce() override {}
  void start(std::function<void()>) override {}
  void stop() override {}
};

}  // namespace

std::unique_ptr<WakeUps> wakeups() {
  return std::make_unique<NoWakeUps>();
}

}  // namespace eilbote::sqlite
