// SQLite's own file system with faults on demand: it is the default one as long as this object lives, so a
// store opened meanwhile meets a full disk or a failing sync where a real one would. It can also remember what each file
// was at its last sync, which is all that a power cut is bound to leave, and write down everything that is done to the files.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "support/disk_log.h"

namespace eilbote::test {

class FaultyVfs {
 public:
  FaultyVfs();
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  // The codes that writes and syncs of the WAL, and writes of the database, answer; SQLITE_OK: they work.
  std::atomic<int> wal_write{SQLITE_OK};
  std::atomic<int> wal_sync{SQLITE_OK};
  std::atomic<int> database_write{SQLITE_OK};

  // What a power cut would leave now, counted from when `keeps_synced` was set: both files as they were at their last
  // sync, without anything written since.
  struct Synced {
    std::string database, wal;
  };
  std::atomic<bool> keeps_synced{false};
  Synced synced() const {
    const std::lock_guard lock(mutex_);
    return synced_;
  }
  // A disk that lies: syncs of the WAL are answered and do nothing.
  std::atomic<bool> wal_sync_lies{false};

  // Where everything is noted that changes a file; null: nowhere. A sync that lies is not noted.
  std::atomic<DiskLog*> log{nullptr};
  // For files that are thrown away soon: nothing is really synced, and all goes faster.
  std::atomic<bool> skips_syncs{false};

  // Called by the files.
  // `read` is called under the lock: of two syncs at once, the later copy stays.
  void keep_synced(int kind, const std::function<std::optional<std::string>()>& read) {
    const std::lock_guard lock(mutex_);
    auto bytes = read();
    if (!bytes) return;
    if (kind == SQLITE_OPEN_WAL) synced_.wal = std::move(*bytes);
    if (kind == SQLITE_OPEN_MAIN_DB) synced_.database = std::move(*bytes);
  }

 private:
  mutable std::mutex mutex_;
  Synced synced_;
  sqlite3_vfs vfs_;
};

}  // namespace eilbote::test
