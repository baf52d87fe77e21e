#include "store/sqlite/readers.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

constexpr int kStepsBetweenLooksAtTheClock = 1000;

}  // namespace

Readers::Readers(std::vector<std::unique_ptr<Database>> connections, const Clock& clock, ReadGate& gate)
    : clock_(clock), gate_(gate) {
  for (std::unique_ptr<Database>& database : connections) {
    connections_.push_back(std::make_unique<Connection>(Connection{std::move(database), {}}));
    Connection* connection = connections_.back().get();
    sqlite3_progress_handler(connection->database->handle(), kStepsBetweenLooksAtTheClock, past_deadline,
                             connection);
    free_.push_back(connection);
  }
}

int Readers::past_deadline(void* connection) {
  return std::chrono::steady_clock::now() > static_cast<Connection*>(connection)->deadline;
}

// Waits for a connection without a bound of its own: every read before it is bounded, and so are the callers.
Readers::Visit::Visit(Readers& readers) : readers_(readers) {
  {
    const MutexLock lock(readers_.mutex_);
    readers_.given_back_.wait(readers_.mutex_,
                              [&]() EILBOTE_REQUIRES(readers_.mutex_) { return !readers_.free_.empty(); });
    connection_ = readers_.free_.back();
    readers_.free_.pop_back();
  }
  readers_.gate_.enter();
  connection_->deadline = std::chrono::steady_clock::now() + kReadMax;
  database().run(q::begin_read).done();
}

std::optional<Error> Readers::Visit::end() {
  std::optional<Error> error;
  if (database().failed()) error = database().take_error();
  // The snapshot must go even if the time is over.
  connection_->deadline = std::chrono::steady_clock::time_point::max();
  if (database().in_transaction()) database().run(q::rollback_transaction).done();
  if (database().failed()) {
    Error late = database().take_error();
    if (!error) error = std::move(late);
  }
  return error;
}

Readers::Visit::~Visit() {
  if (database().in_transaction() || database().failed()) end();
  readers_.gate_.leave();
  const MutexLock lock(readers_.mutex_);
  readers_.free_.push_back(connection_);
  readers_.given_back_.notify_one();
}

}  // namespace eilbote::sqlite
