// The care of the outbox on PostgreSQL: lends each operation one of the outbox's connections. What the operations do is in
// instances.cpp, sweeps.cpp, retention.cpp and stats.cpp.
#include "store/postgres/connection_pool.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

class PostgresCare final : public OutboxCare {
 public:
  PostgresCare(std::shared_ptr<ConnectionPool> pool, bool broker) : pool_(std::move(pool)), broker_(broker) {}

  Result<Epoch> start_instance(const std::string& name, Duration lease) override {
    return pool_->with_connection([&](Connection& c) { return postgres::start_instance(c, name, lease); });
  }
  Result<Heartbeat> heartbeat(Epoch epoch, Duration lease, bool takes_homes) override {
    return pool_->with_connection(
        [&](Connection& c) { return postgres::heartbeat(c, epoch, lease, takes_homes); });
  }
  Result<bool> take_turn(const std::string& chore, Epoch epoch, Duration turn) override {
    return pool_->with_connection([&](Connection& c) { return postgres::take_turn(c, chore, epoch, turn); });
  }
  Result<void> end_instance(Epoch epoch) override {
    return pool_->with_connection([&](Connection& c) { return postgres::end_instance(c, epoch); });
  }
  Result<int> reconcile(Epoch epoch, std::span<const JobId> held) override {
    return pool_->with_connection([&](Connection& c) { return postgres::reconcile(c, epoch, held); });
  }
  Result<std::vector<ClaimedJob>> orphans(const std::string& of_instance, int rows_max) override {
    return pool_->with_connection(
        [&](Connection& c) { return postgres::orphans(c, directory_, of_instance, rows_max); });
  }
  Result<SweepResult> rescue(const RescueParams& params) override {
    return pool_->with_connection([&](Connection& c) { return postgres::rescue(c, params, broker_); });
  }
  Result<SweepResult> sweep(const SweepParams& params) override {
    return pool_->with_connection([&](Connection& c) { return postgres::sweep(c, params, broker_); });
  }
  Result<OutboxStats> stats() override {
    return pool_->with_connection([&](Connection& c) { return postgres::stats(c); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
  const bool broker_;
  Directory directory_;  // of its own: only orphans ask it
};

}  // namespace

std::unique_ptr<OutboxCare> make_care(std::shared_ptr<ConnectionPool> pool, bool broker) {
  return std::make_unique<PostgresCare>(std::move(pool), broker);
}

}  // namespace eilbote::postgres
