// The one thread that writes. It takes everything that waits, runs each piece of work inside a savepoint of
// one shared transaction, commits once (one fsync for all of them) and then answers. A piece that fails is
// undone alone.
//
// Promise: run() answers after the commit, and with success only if it is on disk.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/service.h"
#include "store/sqlite/checkpointer.h"
#include "store/sqlite/directory.h"

namespace eilbote::sqlite {

// What a piece of work may use; "now" stands still while it runs.
struct Session {
  Database& database;
  Directory& directory;
  TimePoint now;
};

class Writer {
 public:
  Writer(std::unique_ptr<Database> database, const Clock& clock, Checkpointer& checkpointer);
  ~Writer() { stop(); }
  void start() { thread_.start(); }
  // Finishes what waits; later calls of run() answer unavailable.
  void stop();

  // Why the last transaction could not be written (a full disk); nothing once one was.
  std::optional<Error> trouble() {
    const MutexLock lock(mutex_);
    return trouble_;
  }

  // How many pieces of work wait for the next transaction.
  std::size_t waiting() {
    const MutexLock lock(mutex_);
    return waiting_.size();
  }

  // Runs `work` (Session& -> T) on the writer's thread and waits for the commit.
  template <class Work>
  auto run(Work work) -> Result<std::invoke_result_t<Work&, Session&>> {
    using T = std::invoke_result_t<Work&, Session&>;
    if constexpr (std::is_void_v<T>) {
      return submit([&](Session& session) { work(session); });
    } else {
      std::optional<T> answer;
      const Result<void> committed = submit([&](Session& session) { answer = work(session); });
      if (!committed) return fail(committed.error());
      return std::move(*answer);
    }
  }

 private:
  struct Task {
    std::function<void(Session&)> work;
    std::promise<Result<void>> done;
    std::optional<Error> error;
  };

  Result<void> submit(std::function<void(Session&)> work);
  void loop(std::stop_token token);
  void run_together(const std::vector<Task*>& tasks);
  // Nullopt when the transaction goes on, be it without this task; else why everything is lost.
  std::optional<Error> run_one(Task& task);
  std::optional<Error> commit();
  void undo_all();
  void note_trouble(const std::vector<Task*>& tasks, const std::optional<Error>& lost);

  std::unique_ptr<Database> database_;
  const Clock& clock_;
  Checkpointer& checkpointer_;
  Directory directory_;
  int wal_pages_ = 0;  // as the last commit left it
  Mutex mutex_;
  std::condition_variable_any work_waits_;
  std::vector<Task*> waiting_ EILBOTE_GUARDED_BY(mutex_);  // one per calling thread, so it is bounded by them
  std::optional<Error> trouble_ EILBOTE_GUARDED_BY(mutex_);
  bool closed_ EILBOTE_GUARDED_BY(mutex_) = false;
  Service thread_;
};

}  // namespace eilbote::sqlite
