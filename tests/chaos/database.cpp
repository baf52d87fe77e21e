#include "chaos/database.h"

#include <fmt/format.h>

#include <stdexcept>

#include "support/child_process.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace eilbote::chaos {
namespace {

using test::HistoryStore;
using test::PostgresServer;
using test::RawSql;

constexpr const char* kName = "chaos";

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(std::string file) : file_(std::move(file)) {}
  std::unique_ptr<RawSql> open() const override { return test::open_raw_sqlite(file_); }
  HistoryStore dialect() const override { return HistoryStore::sqlite; }

 private:
  const std::string file_;
};

class PostgresDatabase final : public Database {
 public:
  explicit PostgresDatabase(bool with_standby)
      : server_(std::make_unique<PostgresServer>(
            test::PostgresOptions{.settings = {{"wal_retrieve_retry_interval", "500ms"}}})) {
    PostgresServer::sql(server_->url(), fmt::format("CREATE DATABASE {}", kName));
    const test::TempFolder folder;
    const auto migrated =
        test::run_command({test::program_under_test(), "migrate"},
                          {{"EILBOTE_STORE_URL", server_->url(kName)}, {"EILBOTE_DATA_DIR", folder.path()}});
    if (migrated.exit_code != 0) throw std::runtime_error("eilbote migrate: " + migrated.out + migrated.err);
    if (with_standby) make_standby();
  }
  ~PostgresDatabase() override { standby_.reset(); }

  std::unique_ptr<RawSql> open() const override {
    const std::lock_guard lock(mutex_);
    return test::open_raw_postgres(server_->url(kName));
  }
  HistoryStore dialect() const override { return HistoryStore::postgres; }
  std::uint16_t port() const override {
    const std::lock_guard lock(mutex_);
    return server_->port();
  }
  std::string url_pattern() const override {
    return fmt::format("postgresql://eilbote@127.0.0.1:{{}}/{}", kName);
  }

  void restart(bool fast) override {
    if (fast)
      server_->stop_fast();
    else
      server_->stop();
    server_->start();
  }

  void revive() override {
    if (!server_->answers()) server_->start_again();
    if (standby_ != nullptr && !standby_->answers()) standby_->start_again();
  }

  bool end_backend(std::uint64_t draw) override {
    const auto sql = open();
    return !sql
                ->rows(fmt::format(
                    "SELECT pg_terminate_backend(pid) FROM (SELECT pid, row_number() OVER (ORDER BY pid) - 1 "
                    "AS n, count(*) OVER () AS all_of_them FROM pg_stat_activity WHERE datname = '{}' AND "
                    "pid <> pg_backend_pid()) b WHERE n = {} % all_of_them",
                    kName, draw % 1'000'000))
                .empty();
  }

  bool has_standby() const override { return standby_ != nullptr; }

  void fail_over() override {
    server_->stop();
    standby_->promote();
    // It would wait for one that follows it, and there is none yet.
    standby_->wait_for_standby(false);
    const std::lock_guard lock(mutex_);
    former_ = std::move(server_);
    server_ = std::move(standby_);
  }

  void make_standby() override {
    former_.reset();
    standby_ = server_->make_standby();
    server_->wait_for_standby(true);
  }

 private:
  mutable std::mutex mutex_;  // of which server it is; what is done to it comes from one thread
  std::unique_ptr<PostgresServer> server_, standby_, former_;
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::string& file) {
  return std::make_unique<SqliteDatabase>(file);
}
std::unique_ptr<Database> open_postgres(bool with_standby) {
  return std::make_unique<PostgresDatabase>(with_standby);
}

}  // namespace eilbote::chaos
