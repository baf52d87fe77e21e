// SQLite's own file system with faults on demand: it is the default one as long as this object lives, so a
// store opened meanwhile meets a full disk or a failing sync where a real one would.
#pragma once

#include <sqlite3.h>

#include <atomic>

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

 private:
  sqlite3_vfs vfs_;
};

}  // namespace eilbote::test
