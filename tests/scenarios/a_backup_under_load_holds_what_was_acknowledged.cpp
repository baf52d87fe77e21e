// `eilbote backup` copies a SQLite database while clients send: a server starts on the copy, and nothing that was acknowledged
// before the copy began is missing there. It overwrites nothing; on PostgreSQL it says what to use instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "support/eventually.h"
#include "support/program.h"
#include "support/test_store.h"

namespace eilbote::test::a_backup_under_load_holds_what_was_acknowledged {
namespace {

namespace fs = std::filesystem;

SCENARIO_ON_SQLITE(ABackup);
SCENARIO_ON_POSTGRES(ABackupOnPostgres);

// Clients that send until the end; what was acknowledged so far is on record.
class Senders {
 public:
  explicit Senders(const EilboteProcess& server) {
    for (int i = 0; i < 4; ++i)
      threads_.emplace_back([this, &server](const std::stop_token& stop) {
        const MailApi api(server);
        while (!stop.stop_requested()) {
          const std::string id = api.accept(mail_json("later@example.org", "x", due_in_a_month()));
          const std::lock_guard lock(mutex_);
          ids_.push_back(id);
        }
      });
  }
  std::vector<std::string> acknowledged() const {
    const std::lock_guard lock(mutex_);
    return ids_;
  }
  void stop() { threads_.clear(); }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> ids_;
  std::vector<std::jthread> threads_;
};

CommandResult backup(const std::string& file, Settings settings) {
  return run_command({program_under_test(), "backup", file, "--json"}, settings);
}

TEST_P(ABackup, of_a_server_that_takes_mails_restores_all_of_them) {
  const auto server = start_server();
  const Settings settings{{"EILBOTE_DATA_DIR", server->data_folder()}};
  Senders senders(*server);
  ASSERT_TRUE(eventually([&] { return senders.acknowledged().size() >= 300; }));
  const std::vector<std::string> before = senders.acknowledged();
  const std::string copy = folder_ / "copy.db";
  const CommandResult done = backup(copy, settings);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(number_at(json::parse(done.out), "/bytes"), static_cast<std::int64_t>(fs::file_size(copy)));
  const std::size_t at_the_end = senders.acknowledged().size();
  EXPECT_TRUE(eventually([&] { return senders.acknowledged().size() > at_the_end + 50; }))
      << "the server goes on taking mails";
  senders.stop();
  EXPECT_EQ(static_cast<unsigned>(fs::status(copy).permissions()), 0600U);
  EXPECT_FALSE(fs::exists(copy + ".part"));

  fs::create_directory(folder_ / "restored");
  fs::copy_file(copy, folder_ / "restored/eilbote.db");
  EilboteProcess restored(folder_ / "restored", {});
  ASSERT_NO_THROW(restored.start());
  for (const std::string& id : before)
    ASSERT_EQ(restored.get("/messages/" + id).status, 200) << id;
}

TEST_P(ABackup, overwrites_nothing_and_leaves_nothing_behind) {
  const auto server = start_server();
  const Settings settings{{"EILBOTE_DATA_DIR", server->data_folder()}};
  std::ofstream(folder_ / "old.db") << "precious";
  const CommandResult refused = backup(folder_ / "old.db", settings);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, testing::HasSubstr("not overwritten"));
  EXPECT_EQ(fs::file_size(folder_ / "old.db"), 8U);
  std::ofstream(folder_ / "new.db.part") << "x";
  EXPECT_THAT(backup(folder_ / "new.db", settings).err, testing::HasSubstr("another backup"));
  EXPECT_FALSE(fs::exists(folder_ / "new.db"));
  EXPECT_EQ(backup("/proc/nowhere/new.db", settings).exit_code, 1);
  EXPECT_THAT(backup(folder_ / "other.db", {{"EILBOTE_DATA_DIR", folder_ / "empty"}}).err,
              testing::HasSubstr("is not there"));
  std::ofstream(folder_ / "garbage.db") << std::string(8192, 'x');
  const Settings garbage{{"EILBOTE_STORE_URL", "sqlite:" + (folder_ / "garbage.db")}};
  EXPECT_EQ(backup(folder_ / "other.db", garbage).exit_code, 1);
  EXPECT_FALSE(fs::exists(folder_ / "other.db"));
  EXPECT_FALSE(fs::exists(folder_ / "other.db.part"));
}

TEST_P(ABackupOnPostgres, says_which_tool_to_use) {
  const CommandResult told = backup(folder_ / "copy.db", {{"EILBOTE_STORE_URL", database_url()}});
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.err, testing::HasSubstr("pg_dump"));
  EXPECT_THAT(told.err, testing::HasSubstr("pg_restore"));
  EXPECT_FALSE(fs::exists(folder_ / "copy.db"));
}

}  // namespace
}  // namespace eilbote::test::a_backup_under_load_holds_what_was_acknowledged
