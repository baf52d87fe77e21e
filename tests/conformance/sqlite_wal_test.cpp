// The WAL stays small while people read and mails come in without a pause; without the readers' gate it grows
// for ever.
#include <atomic>
#include <filesystem>
#include <thread>

#include "support/faulty_vfs.h"
#include "support/sqlite_file.h"

namespace eilbote::test::sqlite_wal_test {
namespace {

constexpr std::uintmax_t kWalBytesMax = 16 * 1024 * 1024;
constexpr int kBatches = 60;
constexpr int kBatch = 500;

class SqliteWal : public SqliteFile {
 protected:
  // Lists and looks jobs up until told to stop; how often it was answered.
  int read_until(Outbox& outbox, const std::atomic<bool>& stop, JobId some) {
    int reads = 0;
    while (!stop) {
      ListQuery query;
      query.client = ClientName{"shop"};
      const auto page = outbox.list(query);
      const auto found = outbox.find(some, std::nullopt);
      if (page && found) ++reads;
    }
    return reads;
  }
};

TEST_F(SqliteWal, stays_small_under_readers_and_writers) {
  const auto outbox = open();
  const std::vector<NewJob> first = new_jobs(kBatch);
  ASSERT_TRUE(outbox->accept(first, AcceptRun::first));
  std::atomic<bool> stop{false};
  std::atomic<int> reads{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] { reads += read_until(*outbox, stop, first.front().id); });

  std::uintmax_t largest = 0;
  for (int i = 0; i < kBatches; ++i) {
    const auto accepted = outbox->accept(new_jobs(kBatch), AcceptRun::first);
    EXPECT_TRUE(accepted) << accepted.error().message;
    largest = std::max(largest, std::filesystem::file_size(path() + "-wal"));
  }
  stop = true;
  for (std::thread& reader : readers)
    reader.join();
  EXPECT_LE(largest, kWalBytesMax);
  EXPECT_GT(std::filesystem::file_size(path()), 2 * kWalBytesMax)
      << "much more went through the WAL than fits in it";
  EXPECT_GT(reads, 0);
}

// SQLite hands two pieces over for each page; a system call for each of them is a third of what its writer does.
TEST_F(SqliteWal, gets_a_commit_in_one_write) {
  FaultyVfs vfs;
  vfs.skips_syncs = true;
  const auto outbox = open();
  ASSERT_TRUE(outbox->accept(new_jobs(1), AcceptRun::first));
  DiskLog log;
  vfs.log = &log;
  ASSERT_TRUE(outbox->accept(new_jobs(20), AcceptRun::first));
  vfs.log = nullptr;
  std::vector<DiskEvent::Kind> done;
  std::size_t bytes = 0;
  for (const DiskEvent& event : log.events()) {
    if (event.file != DiskFile::wal) continue;
    done.push_back(event.kind);
    bytes = std::max(bytes, event.bytes.size());
  }
  EXPECT_EQ(done, (std::vector{DiskEvent::Kind::write, DiskEvent::Kind::sync}));
  EXPECT_GT(bytes, 10 * 4096);
}

// A transaction that outgrows the cache is written before its end, and read again by the same connection.
TEST_F(SqliteWal, reads_what_it_has_not_handed_on) {
  const auto outbox = open();
  std::vector<NewJob> jobs;
  for (int i = 0; i < 40; ++i)
    jobs.push_back(new_job()), jobs.back().mail.mime.assign(1'500'000, static_cast<char>('a' + i % 26));
  ASSERT_TRUE(outbox->accept(jobs, AcceptRun::first)) << "60 MB by way of a cache of 32";
  for (const NewJob& job : jobs) {
    const auto loaded = outbox->load_contents(std::span(&job.id, 1), {});
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->mails.at(0).mime, job.mail.mime);
  }
}

}  // namespace
}  // namespace eilbote::test::sqlite_wal_test
