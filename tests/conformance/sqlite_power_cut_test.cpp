// A power cut, and not only kill -9: afterwards the files hold what was synced, and nothing that the operating system still
// had in memory. Everything that was acknowledged must be in that.
#include <filesystem>
#include <fstream>

#include "support/faulty_vfs.h"
#include "support/sqlite_file.h"

namespace eilbote::test::sqlite_power_cut_test {
namespace {

class SqlitePowerCut : public SqliteFile {
 protected:
  SqlitePowerCut() { vfs_.keeps_synced = true; }

  // What is in the files once the power is back; the store that wrote them is gone by then.
  void power_comes_back(const FaultyVfs::Synced& left) {
    vfs_.keeps_synced = false;
    vfs_.wal_sync_lies = false;
    std::filesystem::remove(path() + "-shm");
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << left.database;
    std::ofstream(path() + "-wal", std::ios::binary | std::ios::trunc) << left.wal;
  }
  static int found(Outbox& outbox, const std::vector<NewJob>& jobs) {
    int n = 0;
    for (const NewJob& job : jobs) {
      const auto record = outbox.find(job.id, std::nullopt);
      EXPECT_TRUE(record) << record.error().message;
      if (record && record->has_value()) ++n;
    }
    return n;
  }
  FaultyVfs vfs_;
};

// Enough for checkpoints, so that both files count.
TEST_F(SqlitePowerCut, takes_nothing_that_was_acknowledged) {
  auto outbox = open();
  std::vector<NewJob> acknowledged;
  for (int i = 0; i < 10; ++i) {
    const std::vector<NewJob> jobs = new_jobs(200);
    ASSERT_TRUE(outbox->accept(jobs, AcceptRun::first));
    acknowledged.insert(acknowledged.end(), jobs.begin(), jobs.end());
  }
  const FaultyVfs::Synced left = vfs_.synced();
  outbox.reset();
  power_comes_back(left);
  outbox = open();
  EXPECT_EQ(found(*outbox, acknowledged), 2000);
}

// The proof that the test above can fail: what a disk only says it has synced is gone.
TEST_F(SqlitePowerCut, takes_what_a_disk_that_lies_did_not_sync) {
  auto outbox = open();
  const std::vector<NewJob> before = new_jobs(5), after = new_jobs(5);
  ASSERT_TRUE(outbox->accept(before, AcceptRun::first));
  vfs_.wal_sync_lies = true;
  ASSERT_TRUE(outbox->accept(after, AcceptRun::first));
  const FaultyVfs::Synced left = vfs_.synced();
  outbox.reset();
  power_comes_back(left);
  outbox = open();
  EXPECT_EQ(found(*outbox, before), 5);
  EXPECT_EQ(found(*outbox, after), 0);
}

}  // namespace
}  // namespace eilbote::test::sqlite_power_cut_test
