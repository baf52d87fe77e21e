// The WAL stays small while people read and mails come in without a pause; without the readers' gate it grows
// for ever.
#include <atomic>
#include <filesystem>
#include <thread>

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

}  // namespace
}  // namespace eilbote::test::sqlite_wal_test
