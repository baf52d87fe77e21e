// A small, bounded pool of connections, and the one way operations use it: `with_connection`.
// Connections are made when needed and replaced when they broke. While the database is away, calls try again
// with a growing pause for less than two seconds in all, then answer `unavailable`.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "store/postgres/connection.h"

namespace eilbote::postgres {

class ConnectionPool {
 public:
  ConnectionPool(Address address, int connections_max);

  // A connection on loan; goes back by itself, outside of any transaction, or is closed when it is of no more
  // use.
  class Lease {
   public:
    Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_) pool_->give_back(std::move(connection_));
    }
    Connection& operator*() const { return *connection_; }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  Result<Lease> acquire();

  // Runs `operation(Connection&)`, a whole transaction, and runs it again when nothing was changed and
  // another try may work: it lost a race, the link broke before COMMIT was sent, or a pooler does not carry
  // named statements.
  template <class Operation>
  auto with_connection(Operation&& operation) -> decltype(operation(std::declval<Connection&>())) {
    for (int tries_left = kRepeats;; --tries_left) {
      auto lease = acquire();
      if (!lease) return fail(lease.error());
      auto result = operation(**lease);
      if (result || tries_left == 0 || !worth_repeating(**lease, result.error())) return result;
    }
  }

 private:
  using Steady = std::chrono::steady_clock;
  static constexpr int kRepeats = 4;

  void give_back(std::unique_ptr<Connection> connection);
  bool worth_repeating(const Connection& connection, const Error& error);
  void forget_names();
  Result<std::unique_ptr<Connection>> make();

  const Address address_;
  const int max_;
  std::atomic<bool> named_{true};
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<Connection>> idle_ EILBOTE_GUARDED_BY(mutex_);
  int open_ EILBOTE_GUARDED_BY(mutex_) = 0;                     // idle, on loan or being made
  Steady::time_point not_before_ EILBOTE_GUARDED_BY(mutex_){};  // no new connection until then
  Steady::duration pause_ EILBOTE_GUARDED_BY(mutex_){};
};

}  // namespace eilbote::postgres
