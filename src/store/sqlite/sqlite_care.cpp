// The care of the outbox on SQLite: hands each operation to the outbox's writer or to a reader. What the operations do is in
// instances.cpp, sweeps.cpp, retention.cpp and stats.cpp.
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

class SqliteCare final : public OutboxCare {
 public:
  SqliteCare(std::shared_ptr<Parts> parts, bool broker) : parts_(std::move(parts)), broker_(broker) {}

  Result<Epoch> start_instance(const std::string& name, Duration lease) override {
    return writer().run([&](Session& session) { return sqlite::start_instance(session, name, lease); });
  }
  Result<Heartbeat> heartbeat(Epoch epoch, Duration lease, bool takes_homes) override {
    return writer().run(
        [&](Session& session) { return sqlite::heartbeat(session, epoch, lease, takes_homes); });
  }
  Result<bool> take_turn(const std::string& chore, Epoch epoch, Duration turn) override {
    return writer().run([&](Session& session) { return sqlite::take_turn(session, chore, epoch, turn); });
  }
  Result<void> end_instance(Epoch epoch) override {
    return writer().run([&](Session& session) { sqlite::end_instance(session, epoch); });
  }
  Result<int> reconcile(Epoch epoch, std::span<const JobId> held) override {
    return writer().run([&](Session& session) { return sqlite::reconcile(session, epoch, held); });
  }
  Result<std::vector<ClaimedJob>> orphans(const std::string& of_instance, int rows_max) override {
    return writer().run([&](Session& session) { return sqlite::orphans(session, of_instance, rows_max); });
  }
  Result<SweepResult> rescue(const RescueParams& params) override {
    return writer().run([&](Session& session) { return sqlite::rescue(session, params, broker_); });
  }
  Result<SweepResult> sweep(const SweepParams& params) override {
    return writer().run([&](Session& session) { return sqlite::sweep(session, params, broker_); });
  }
  Result<OutboxStats> stats() override {
    return parts_->readers->read([](Reading& reading) { return sqlite::stats(reading); });
  }

 private:
  Writer& writer() { return *parts_->writer; }

  std::shared_ptr<Parts> parts_;  // with the outbox
  const bool broker_;
};

}  // namespace

std::unique_ptr<OutboxCare> make_care(std::shared_ptr<Parts> parts, bool broker) {
  return std::make_unique<SqliteCare>(std::move(parts), broker);
}

}  // namespace eilbote::sqlite
