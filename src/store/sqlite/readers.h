// A few connections that only read, each read a snapshot of its own, passing the gate and ended after 250 ms:
// an old snapshot holds up checkpoints, the local twin of a long transaction on PostgreSQL.
#pragma once

#include <condition_variable>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "store/sqlite/database.h"
#include "store/sqlite/read_gate.h"

namespace eilbote::sqlite {

// What a read may use.
struct Reading {
  Database& database;
  TimePoint now;
};

class Readers {
 public:
  static constexpr std::chrono::milliseconds kReadMax{250};

  // `connections` are open and ready.
  Readers(std::vector<std::unique_ptr<Database>> connections, const Clock& clock, ReadGate& gate);

  // Runs `work` (Reading& -> T) on the caller's thread. Unavailable when it takes longer than kReadMax.
  template <class Work>
  auto read(Work work) -> Result<std::invoke_result_t<Work&, Reading&>> {
    Visit visit(*this);
    Reading reading{visit.database(), clock_.now()};
    auto answer = work(reading);
    if (std::optional<Error> error = visit.end()) return fail(std::move(*error));
    return answer;
  }

 private:
  struct Connection {
    std::unique_ptr<Database> database;
    std::chrono::steady_clock::time_point deadline;  // real time, also under a test's clock
  };
  // A connection, inside the gate, with a snapshot; all given back at the end.
  class Visit {
   public:
    explicit Visit(Readers& readers);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    Database& database() { return *connection_->database; }
    // Ends the snapshot; the error of the read if there was one.
    std::optional<Error> end();

   private:
    Readers& readers_;
    Connection* connection_;
  };

  static int past_deadline(void* connection);

  const Clock& clock_;
  ReadGate& gate_;
  std::vector<std::unique_ptr<Connection>> connections_;
  Mutex mutex_;
  std::condition_variable_any given_back_;
  std::vector<Connection*> free_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote::sqlite
