// Keeps the WAL small. A thread of its own copies committed pages into the database while the writer goes on
// (PASSIVE); when the WAL has grown past its bound, the writer closes the readers' gate, copies the rest and
// starts the WAL over (RESTART). Without the gate a WAL under steady reading never starts over and grows for
// ever. A reader of another process, a backup say, is not waited for: the WAL grows until it is gone.
#pragma once

#include <condition_variable>
#include <memory>

#include "base/mutex.h"
#include "base/service.h"
#include "store/sqlite/database.h"
#include "store/sqlite/read_gate.h"

namespace eilbote::sqlite {

class Checkpointer {
 public:
  Checkpointer(std::unique_ptr<Database> database, ReadGate& gate);
  void start() { thread_.start(); }
  void stop() { thread_.stop(); }

  // Told by the writer after each commit, on the writer's thread, how many pages the WAL holds.
  // Callers of the commit were answered before.
  void committed(int wal_pages);

 private:
  void work(std::stop_token token);
  void start_over(int wal_pages);

  Mutex one_at_a_time_;  // a checkpoint of either kind
  std::unique_ptr<Database> database_ EILBOTE_GUARDED_BY(one_at_a_time_);
  ReadGate& gate_;
  Mutex mutex_;
  std::condition_variable_any asked_for_;
  bool wanted_ EILBOTE_GUARDED_BY(mutex_) = false;
  // The writer's thread's.
  int copied_pages_ = 0;  // of the WAL, when a passive checkpoint was last asked for
  int next_restart_;      // WAL pages at which the writer tries to start over
  Service thread_;
};

}  // namespace eilbote::sqlite
