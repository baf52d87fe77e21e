#include "store/sqlite/checkpointer.h"

#include "base/log.h"

namespace eilbote::sqlite {
namespace {

constexpr int kPassivePages = 1024;  // 4 MiB of new pages
constexpr int kRestartPages = 2048;  // 8 MiB in the WAL
// Readers are capped at 250 ms, so this is rarely waited out.
constexpr std::chrono::milliseconds kGatePatience{300};

int checkpoint(Database& database, int mode) {
  return sqlite3_wal_checkpoint_v2(database.handle(), nullptr, mode, nullptr, nullptr);
}

}  // namespace

Checkpointer::Checkpointer(std::unique_ptr<Database> database, ReadGate& gate)
    : database_(std::move(database)),
      gate_(gate),
      next_restart_(kRestartPages),
      thread_("sqlite-wal", [this](std::stop_token token) { work(token); }) {}

void Checkpointer::work(std::stop_token token) {
  const MutexLock lock(mutex_);
  while (asked_for_.wait(mutex_, token, [this]() EILBOTE_REQUIRES(mutex_) { return wanted_; })) {
    wanted_ = false;
    const MutexUnlock around_call(mutex_);
    const MutexLock alone(one_at_a_time_);
    // What this one cannot copy the next one does; the writer's RESTART reports errors.
    checkpoint(*database_, SQLITE_CHECKPOINT_PASSIVE);
  }
}

void Checkpointer::committed(int wal_pages) {
  if (wal_pages >= next_restart_) return start_over(wal_pages);
  if (wal_pages < copied_pages_) copied_pages_ = 0;
  if (wal_pages - copied_pages_ < kPassivePages) return;
  copied_pages_ = wal_pages;
  const MutexLock lock(mutex_);
  wanted_ = true;
  asked_for_.notify_one();
}

void Checkpointer::start_over(int wal_pages) {
  int code = SQLITE_BUSY;
  {
    const MutexLock alone(one_at_a_time_);
    if (gate_.close(kGatePatience)) {
      code = checkpoint(*database_, SQLITE_CHECKPOINT_RESTART);
      gate_.open();
    }
  }
  // A failed try is repeated when the WAL has grown by as much again, not at every commit.
  next_restart_ = code == SQLITE_OK ? kRestartPages : wal_pages + kPassivePages;
  copied_pages_ = code == SQLITE_OK ? 0 : copied_pages_;
  if (code != SQLITE_OK)
    log::warning("the SQLite file's -wal could not be copied back and grows, trying again",
                 {{"wal_pages", wal_pages}, {"error", sqlite3_errstr(code)}});
}

}  // namespace eilbote::sqlite
