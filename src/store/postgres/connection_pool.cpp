#include "store/postgres/connection_pool.h"

#include <algorithm>

#include "base/log.h"
#include "store/postgres/sql_error.h"

namespace eilbote::postgres {
namespace {

// How long a call waits for a database that is away, and for a connection while all are busy.
constexpr auto kAwayPatience = std::chrono::milliseconds{1500};
constexpr auto kBusyPatience = std::chrono::seconds{10};
constexpr auto kPauseFirst = std::chrono::milliseconds{50};
constexpr auto kPauseMost = std::chrono::milliseconds{800};

}  // namespace

ConnectionPool::ConnectionPool(Address address, int connections_max)
    : address_(std::move(address)), max_(std::max(1, connections_max)) {}

Result<ConnectionPool::Lease> ConnectionPool::acquire() {
  const auto started = Steady::now();
  Error why{ErrorKind::unavailable,
            "postgres: all connections were busy for 10 s; EILBOTE_STORE_CONNECTIONS allows more"};
  bool away = false;
  const MutexLock lock(mutex_);
  for (;;) {
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      if (connection->healthy()) return Lease(*this, std::move(connection));
      --open_;
      continue;
    }
    const auto now = Steady::now();
    if (open_ < max_ && now >= not_before_) {
      ++open_;
      auto made = [this]() EILBOTE_REQUIRES(mutex_) {
        const MutexUnlock around_call(mutex_);
        return make();
      }();
      if (made) {
        pause_ = {};
        return Lease(*this, std::move(*made));
      }
      --open_;
      away = true;
      why = made.error();
      pause_ = std::clamp<Steady::duration>(pause_ * 2, kPauseFirst, kPauseMost);
      not_before_ = Steady::now() + pause_;
      changed_.notify_all();
    }
    const auto deadline =
        started + (away ? Steady::duration{kAwayPatience} : Steady::duration{kBusyPatience});
    if (Steady::now() >= deadline) return fail(why);
    changed_.wait_until(mutex_, open_ < max_ ? std::min(deadline, not_before_) : deadline);
  }
}

Result<std::unique_ptr<Connection>> ConnectionPool::make() {
  return Connection::open(address_, named_.load());
}

void ConnectionPool::give_back(std::unique_ptr<Connection> connection) {
  const bool good = connection->settle_down() && connection->named() == named_.load();
  const MutexLock lock(mutex_);
  if (good)
    idle_.push_back(std::move(connection));
  else
    --open_;
  changed_.notify_one();
}

bool ConnectionPool::worth_repeating(const Connection& connection, const Error& error) {
  if (names_are_lost(connection.sqlstate())) {
    forget_names();
    return true;
  }
  return lost_a_race(connection.sqlstate()) || (error.kind == ErrorKind::unavailable && !connection.usable());
}

void ConnectionPool::forget_names() {
  if (named_.exchange(false))
    log::warning(
        "postgres: prepared statements do not get through (a pooler in between?); going on without, a little "
        "slower",
        {});
  const MutexLock lock(mutex_);
  open_ -= static_cast<int>(idle_.size());
  idle_.clear();
  changed_.notify_all();
}

}  // namespace eilbote::postgres
