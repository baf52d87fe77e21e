// A disk that is full or fails: nothing is acknowledged that is not on it, and the store goes on when the
// disk does.
#include <gmock/gmock.h>

#include "support/faulty_vfs.h"
#include "support/sqlite_file.h"

namespace eilbote::test::sqlite_faults_test {
namespace {

class SqliteFaults : public SqliteFile {
 protected:
  bool is_there(Outbox& outbox, JobId id) {
    const auto found = outbox.find(id, std::nullopt);
    EXPECT_TRUE(found) << found.error().message;
    return found && found->has_value();
  }
  FaultyVfs vfs_;
};

TEST_F(SqliteFaults, a_full_disk_is_unavailable_and_nothing_happened) {
  const auto outbox = open();
  const NewJob job = new_job();
  vfs_.wal_write = SQLITE_FULL;
  const auto refused = accept(*outbox, job);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unavailable) << refused.error().message;
  EXPECT_FALSE(is_there(*outbox, job.id));
  const auto unready = outbox->check();
  ASSERT_FALSE(unready) << "whoever asks for readiness must not send work here";
  EXPECT_THAT(unready.error().message, testing::HasSubstr("the last write failed"));
  EXPECT_THAT(unready.error().message, testing::HasSubstr("disk is full"));

  vfs_.wal_write = SQLITE_OK;
  ASSERT_TRUE(accept(*outbox, job)) << "a first run again: the id is free";
  EXPECT_TRUE(is_there(*outbox, job.id));
  EXPECT_TRUE(outbox->check());
}

// A row that is refused is the row's trouble.
TEST_F(SqliteFaults, a_refused_row_leaves_the_store_ready) {
  const auto outbox = open();
  const NewJob job = new_job();
  ASSERT_TRUE(accept(*outbox, job));
  ASSERT_FALSE(accept(*outbox, job)) << "the id is taken";
  EXPECT_TRUE(outbox->check());
}

TEST_F(SqliteFaults, a_commit_whose_sync_fails_is_ambiguous_and_is_run_again) {
  const auto outbox = open();
  NewJob job = new_job();
  job.idempotency_key = "order-1001";
  vfs_.wal_sync = SQLITE_IOERR_FSYNC;
  const auto unknown = accept(*outbox, job);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::ambiguous) << unknown.error().message;

  vfs_.wal_sync = SQLITE_OK;
  for (int run = 0; run < 2; ++run) {
    const auto again = accept(*outbox, job, AcceptRun::again);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->at(0).kind, AcceptKind::accepted);
  }
  EXPECT_TRUE(is_there(*outbox, job.id));
  const auto history = outbox->history(job.id);
  ASSERT_TRUE(history);
  EXPECT_EQ(history->events.size(), 1U) << "accepted once";
}

TEST_F(SqliteFaults, a_database_that_cannot_be_written_holds_up_checkpoints_only) {
  const auto outbox = open();
  vfs_.database_write = SQLITE_IOERR_WRITE;
  std::vector<JobId> accepted;
  // More than the WAL's bound, so that checkpoints of both kinds are tried and fail.
  for (int i = 0; i < 10; ++i) {
    const std::vector<NewJob> jobs = new_jobs(500);
    const auto outcomes = outbox->accept(jobs, AcceptRun::first);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    accepted.push_back(jobs.back().id);
  }
  vfs_.database_write = SQLITE_OK;
  ASSERT_TRUE(outbox->accept(new_jobs(500), AcceptRun::first));
  for (const JobId id : accepted)
    EXPECT_TRUE(is_there(*outbox, id));
}

}  // namespace
}  // namespace eilbote::test::sqlite_faults_test
