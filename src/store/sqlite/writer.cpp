#include "store/sqlite/writer.h"

#include <algorithm>

#include "base/log.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

int remember_wal_pages(void* pages, sqlite3*, const char*, int wal_pages) {
  *static_cast<int*>(pages) = wal_pages;
  return SQLITE_OK;
}

// A COMMIT fails before its last frame is written (nothing happened), or around the sync that makes it
// durable: then this process goes on without it, but a crash before the next commit may bring it back.
ErrorKind kind_of_commit(int code) {
  if ((code & 0xFF) != SQLITE_IOERR || code == SQLITE_IOERR_WRITE) return kind_of(code);
  return ErrorKind::ambiguous;
}

}  // namespace

Writer::Writer(std::unique_ptr<Database> database, const Clock& clock, Checkpointer& checkpointer)
    : database_(std::move(database)),
      clock_(clock),
      checkpointer_(checkpointer),
      thread_("sqlite-writer", [this](std::stop_token token) { loop(token); }) {
  sqlite3_wal_hook(database_->handle(), remember_wal_pages, &wal_pages_);
}

void Writer::stop() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  thread_.stop();
}

Result<void> Writer::submit(std::function<void(Session&)> work) {
  Task task{std::move(work), {}, {}};
  std::future<Result<void>> done = task.done.get_future();
  {
    const MutexLock lock(mutex_);
    if (closed_) return fail(ErrorKind::unavailable, "the store is closing");
    waiting_.push_back(&task);
    work_waits_.notify_one();
  }
  return done.get();
}

void Writer::loop(std::stop_token token) {
  std::vector<Task*> tasks;
  for (;;) {
    {
      const MutexLock lock(mutex_);
      // False only when a stop is asked for and nothing waits; after that submit() refuses.
      if (!work_waits_.wait(mutex_, token, [this]() EILBOTE_REQUIRES(mutex_) { return !waiting_.empty(); }))
        return;
      tasks.swap(waiting_);
    }
    run_together(tasks);
    tasks.clear();
    checkpointer_.committed(wal_pages_);
  }
}

void Writer::run_together(const std::vector<Task*>& tasks) {
  std::optional<Error> lost;
  database_->run(q::begin_transaction).done();
  if (database_->failed()) lost = database_->take_error();
  for (Task* task : tasks) {
    if (lost) break;
    lost = run_one(*task);
  }
  if (!lost) lost = commit();
  if (lost) undo_all();
  note_trouble(tasks, lost);
  for (Task* task : tasks) {
    // The task is gone as soon as its promise is kept.
    if (task->error)
      task->done.set_value(fail(std::move(*task->error)));
    else if (lost)
      task->done.set_value(fail(*lost));
    else
      task->done.set_value({});
  }
}

std::optional<Error> Writer::run_one(Task& task) {
  Session session{*database_, directory_, clock_.now()};
  database_->run(q::savepoint).done();
  task.work(session);
  if (!database_->failed()) database_->run(q::savepoint_release).done();
  if (!database_->failed()) return std::nullopt;

  task.error = database_->take_error();
  directory_.forget();
  // Some failures (a full disk, no memory) take the whole transaction with them.
  if (!database_->in_transaction()) return task.error;
  database_->run(q::savepoint_rollback).done();
  database_->run(q::savepoint_release).done();
  if (database_->failed()) return database_->take_error();
  return std::nullopt;
}

std::optional<Error> Writer::commit() {
  database_->run(q::commit_transaction).done();
  if (!database_->failed()) return std::nullopt;
  const int code = database_->failure_code();
  Error error = database_->take_error();
  error.kind = kind_of_commit(code);
  return error;
}

// One piece that fails is its own trouble; the file's it is when nothing could be written.
void Writer::note_trouble(const std::vector<Task*>& tasks, const std::optional<Error>& lost) {
  const bool none_written = std::all_of(tasks.begin(), tasks.end(), [](const Task* task) {
    return task->error && task->error->kind == ErrorKind::unavailable;
  });
  const MutexLock lock(mutex_);
  trouble_ = lost ? lost : none_written ? tasks.front()->error : std::nullopt;
}

void Writer::undo_all() {
  directory_.forget();
  if (!database_->in_transaction()) return;
  database_->run(q::rollback_transaction).done();
  if (database_->failed()) log::error("sqlite rollback failed", {{"error", database_->take_error().message}});
}

}  // namespace eilbote::sqlite
