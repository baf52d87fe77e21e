// The care of the outbox on PostgreSQL: lends each operation one of the outbox's connections. What the operations do is in
// instances.cpp, sweeps.cpp, retention.cpp and stats.cpp.
#include "store/postgres/connection_pool.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

class PostgresCare final : public OutboxCare {
 public:
  explicit PostgresCare(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<Epoch> start_instance(const std::string& name, Duration lease) override {
    return pool_->with_connection([&](Connection& c) { return postgres::start_instance(c, name, lease); });
  }
  Result<Heartbeat> heartbeat(Epoch epoch, Duration lease) override {
    return pool_->with_connection([&](Connection& c) { return postgres::heartbeat(c, epoch, lease); });
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
    return pool_->with_connection([&](Connection& c) { return postgres::rescue(c, params); });
  }
  Result<SweepResult> sweep(const SweepParams& params) override {
    return pool_->with_connection([&](Connection& c) { return postgres::sweep(c, params); });
  }
  Result<OutboxStats> stats() override {
    return pool_->with_connection([&](Connection& c) { return postgres::stats(c); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
  Directory directory_;                   // of its own: only orphans ask it
};

}  // namespace

std::unique_ptr<OutboxCare> make_care(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresCare>(std::move(pool));
}

}  // namespace eilbote::postgres
