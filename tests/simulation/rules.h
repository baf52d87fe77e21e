// What must always hold (the invariants of the specification, as far as a simulated world can see them). The world tells what
// happens; the first thing that breaks a rule is kept. Nothing here decides anything for the engine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/pool.h"
#include "simulation/model_row.h"

namespace eilbote::sim {

class ModelStore;

namespace rule {
inline constexpr std::string_view stored = "an acknowledged job is in the database",
                                  once_accepted = "a key makes one job at most",
                                  lease = "only the holder of a live lease hands a job over",
                                  begun_once = "a claimed job is begun once",
                                  decision = "what an attempt came to decides what becomes of the job",
                                  legal = "a job moves only as its table of states allows",
                                  budget = "a job has no more attempts than it may",
                                  cancelled = "a mail that was cancelled is not handed over",
                                  duplicate = "a job is handed over twice only beside a fault",
                                  group_alone = "two jobs of a group are never under way together",
                                  group_order = "a job of a group that blocks waits for the one before it",
                                  pool_room = "a pool has no more under way than it may",
                                  pool_rate = "a pool starts no more within a minute than its rate allows",
                                  ends = "with the faults over, every job comes to an end",
                                  answered = "an order is answered once, at the latest when its wait is over",
                                  prompt = "a wake-up starts what is due at once";
}  // namespace rule

struct Violation {
  std::string_view rule;
  std::string what;
};

// What the other side said, as the channel told the engine.
struct Answer {
  DeliveryResult result;
  bool probe_allowed = false;  // its host has failed so often that it may have been a probe
};

class Rules {
 public:
  explicit Rules(const ModelStore& store) : store_(store) {}

  bool hold() const { return !violation_; }
  const std::optional<Violation>& violation() const { return violation_; }
  void broken(std::string_view rule, std::string what) {
    if (!violation_) violation_ = Violation{rule, std::move(what)};
  }

  // A client got its answer.
  void accepted(JobId id, const std::string& key);
  void replayed(JobId id, const std::string& key);
  // The engine gave a job to a channel; so many of its pool are under way on this instance with it, and everywhere.
  struct Begin {
    JobId id;
    LeaseToken token;
    int open_here = 0, open_everywhere = 0;
  };
  void begun(const Begin& begin);
  // The channel asked whether the lease may be trusted, was told yes, and let it go.
  void handed_over(int instance, JobId id, LeaseToken token);
  // What was told of it; the next settlement of this lease must say so.
  void answered(JobId id, LeaseToken token, Answer answer);
  // The database wrote a settlement down.
  void settled(const Row& before, const Settlement& settlement, const Row& after);
  // Somebody was told that this mail is cancelled.
  void cancelled(JobId id) { cancelled_.insert(id); }
  // A person's act, or upkeep, moved a job.
  void moved(const Row& before, const Row& after);
  // An instance was killed, frozen, or silent for too long: what it has handed over may be handed over again.
  void lost(int instance);
  void clock_jumped();
  // Time has passed: what was handed over under leases that are over by now may be handed over again.
  void check_leases();
  // The rows as they are after a step.
  void check_rows();
  void check_acknowledged();

 private:
  struct HandOver {
    JobId id;
    LeaseToken token;
    int instance = 0;
    bool received = true;  // false: the other side has it not
    bool excused = false;
    bool over = false;  // settled
  };
  void check_settled(const Row& before, const Settlement& settlement, const Answer* told);
  void check_group(const Row& row);
  void check_rate(const Row& row, LeaseToken token);
  HandOver* find(JobId id, LeaseToken token);
  const Claim* claim_of(JobId id, LeaseToken token) const;

  const ModelStore& store_;
  std::optional<Violation> violation_;
  std::map<std::string, JobId> by_key_;
  std::vector<JobId> acknowledged_;
  std::set<JobId> cancelled_, started_;
  std::vector<std::pair<JobId, LeaseToken>> begun_;
  std::vector<HandOver> hand_overs_;
  std::vector<std::pair<std::pair<JobId, LeaseToken>, Answer>> answers_;
  std::map<std::string, std::vector<TimePoint>> starts_;  // of pools with a rate
};

}  // namespace eilbote::sim
