// The file: made with its folder, for its owner only, by one engine at a time, and never by an older program.
#include <sys/stat.h>

#include <filesystem>

#include "support/sqlite_file.h"

namespace eilbote::test::sqlite_file_test {
namespace {

namespace fs = std::filesystem;

int mode_of(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0) << path;
  return static_cast<int>(facts.st_mode & 0777);
}

class SqliteFileTest : public SqliteFile {};

TEST_F(SqliteFileTest, is_made_with_its_folder_for_its_owner_only) {
  const auto outbox = open();
  ASSERT_TRUE(accept(*outbox, new_job()));
  EXPECT_EQ(mode_of(path()), 0600);
  EXPECT_EQ(mode_of(path() + "-wal"), 0600);
  EXPECT_EQ(mode_of(path() + ".lock"), 0600);
  EXPECT_EQ(mode_of(fs::path(path()).parent_path()), 0700);
}

TEST_F(SqliteFileTest, has_one_engine_at_a_time) {
  auto first = open();
  const auto second = open_outbox(options(), clock_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::conflict);
  EXPECT_NE(second.error().message.find(path()), std::string::npos) << second.error().message;
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos)
      << second.error().message;
  EXPECT_FALSE(migrate_store(options(), clock_)) << "a migration would pull the schema away under the engine";

  ASSERT_TRUE(accept(*first, new_job())) << "the refused one has not disturbed the first";
  first.reset();
  EXPECT_TRUE(open_outbox(options(), clock_)) << "free once the first is gone";
}

TEST_F(SqliteFileTest, keeps_what_was_accepted_when_it_is_opened_again) {
  const NewJob job = new_job();
  ASSERT_TRUE(accept(*open(), job));
  const auto found = open()->find(job.id, std::nullopt);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->job.client, job.client);
}

TEST_F(SqliteFileTest, is_migrated_once) {
  const auto first = migrate_store(options(), clock_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->applied.size(), sql::sqlite::migrations.size());
  const auto again = migrate_store(options(), clock_);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->applied.empty());
  EXPECT_EQ(again->version, sql::sqlite::migrations.back().name);
}

TEST_F(SqliteFileTest, of_a_newer_program_is_refused_when_something_was_taken_away) {
  ASSERT_TRUE(migrate_store(options(), clock_));
  connect()->run(sql::sqlite::insert_migration).with("998_from_tomorrow", clock_.now()).done();
  EXPECT_TRUE(open_outbox(options(), clock_));
  connect()->run(sql::sqlite::insert_migration).with("999_contract_tomorrow", clock_.now()).done();
  const auto opened = open_outbox(options(), clock_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("999_contract_tomorrow"), std::string::npos)
      << opened.error().message;
}

TEST_F(SqliteFileTest, whose_schema_changed_underneath_does_not_pass_the_check) {
  const auto outbox = open();
  EXPECT_TRUE(outbox->check());
  connect()->run(sql::sqlite::insert_migration).with("999_contract_tomorrow", clock_.now()).done();
  EXPECT_FALSE(outbox->check());
}

TEST(SqliteUrl, must_name_a_file) {
  const FakeClock clock;
  for (const char* url : {"sqlite:", "sqlite::memory:", "sqlite:/tmp/"}) {
    StoreOptions options;
    options.url = url;
    const auto opened = open_outbox(options, clock);
    ASSERT_FALSE(opened) << url;
    EXPECT_EQ(opened.error().kind, ErrorKind::invalid) << url;
  }
}

}  // namespace
}  // namespace eilbote::test::sqlite_file_test
