// A model of the database in memory: what ports/outbox.h and ports/outbox_care.h promise, and nothing a database could not do.
// Operations here always work; what goes wrong on the way there and back is store_link.h's. Of brokers, reports, lists and
// retention it knows nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ports/outbox_care.h"
#include "simulation/model_row.h"
#include "simulation/rules.h"
#include "simulation/sim_time.h"

namespace eilbote::sim {

class ModelStore {
 public:
  ModelStore(const SimTime& time, std::vector<Pool> pools);

  TimePoint now() const { return time_.database_now(); }
  const std::vector<Row>& rows() const { return rows_; }
  const Row* find(JobId id) const;
  const Pool& pool(const std::string& code) const;
  const std::vector<Claim>& claims() const { return claims_; }
  int jumps() const { return jumps_; }
  Rules& rules() { return rules_; }

  // Whoever hands a job in says first what goes with it.
  void expect(JobId id, const RetryPolicy& policy);

  // ---- ports/outbox.h ----
  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run);
  std::vector<SettleOutcome> settle(const std::vector<Settlement>& settlements, bool grouped_only,
                                    std::vector<LaneId>& woken);
  ExchangeResult exchange(const ExchangeRequest& request);
  JobContents load(std::span<const JobId> mails, std::span<const JobId> webhooks) const;
  ActiveLanes active_lanes() const;
  std::optional<JobRecord> record(JobId id) const;
  ActOutcome act(JobId id, const ActRequest& request);

  // ---- ports/outbox_care.h ----
  Epoch start_instance(const std::string& name, Duration lease);
  Heartbeat heartbeat(Epoch epoch, Duration lease, bool takes_homes);
  bool take_turn(const std::string& chore, Epoch epoch, Duration turn);
  void end_instance(Epoch epoch);
  int reconcile(Epoch epoch, std::span<const JobId> held);
  std::vector<ClaimedJob> orphans(const std::string& of_instance) const;
  SweepResult rescue(const RescueParams& params);
  SweepResult sweep(Sweep sweep);

  // The heartbeats of a while that nobody steps through: this lease runs at least until then.
  void stretch(Epoch epoch, TimePoint until);
  bool is_alive(Epoch epoch) const;
  // The database's clock has jumped since this epoch's last heartbeat, or back since it began (a lease that others took for over may run
  // again then, and its next heartbeat find it alive): how long it has its lease is not what its instance thinks.
  bool jumped_since_beat(Epoch epoch) const;
  void clock_jumped(bool back) {
    ++jumps_;
    if (back) ++jumps_back_;
    rules_.clock_jumped();
  }

 private:
  struct InstanceRow {
    Epoch epoch;
    std::string name;
    TimePoint lease_until;
    int jumps = 0;       // of the database's clock, before its last heartbeat
    int jumps_back = 0;  // before it began
  };
  struct Turn {
    Epoch epoch;
    TimePoint until;
  };
  Row* at(JobId id);
  LaneId lane_of(const NewJob& job);
  void insert(const NewJob& job);
  SettleOutcome settle_one(const Settlement& settlement, std::vector<int>& groups);
  void apply(Row& row, const Settlement& settlement) const;
  void claim(Row& row, LeaseToken token, std::vector<ClaimedJob>& claimed);
  void claim_lane(const ClaimLane& lane, LeaseToken token, std::vector<ClaimedJob>& claimed);
  // Gives the group's turn to the first of its line, when nobody has it; the lane in which something became due.
  void promote(int group, std::vector<LaneId>& woken);
  void promote(const std::vector<int>& groups, std::vector<LaneId>& woken);
  void lose(Row& row);
  void count(const Row& row, SweepResult& result) const;
  std::vector<Epoch> dead_epochs(const std::string& of_instance) const;
  ClaimedJob as_claimed(const Row& row) const;

  const SimTime& time_;
  const std::vector<Pool> pools_;
  std::vector<Row> rows_;
  std::vector<ActiveLane> lanes_;  // by number, from 1
  std::vector<InstanceRow> instances_;
  std::map<std::string, Epoch> homes_;
  std::map<std::string, Turn> turns_;
  std::map<std::pair<std::string, std::string>, std::pair<JobId, Sha256>> keys_;
  std::map<JobId, RetryPolicy> expected_;
  std::vector<Claim> claims_;
  int last_epoch_ = 0, last_place_ = 0, jumps_ = 0, jumps_back_ = 0;
  Rules rules_;
};

}  // namespace eilbote::sim
