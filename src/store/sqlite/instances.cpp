// Instances: their epochs, leases and homes. A file has one engine at a time (file_lock.h), but the rows it
// leased under an earlier epoch are still there after a crash.
#include <algorithm>

#include "domain/acts.h"
#include "store/row_readers.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// A lease that ends now is set to have ended a little earlier, so that "over" needs no care about equality.
constexpr Duration kOverBy = std::chrono::seconds{1};

}  // namespace

Epoch start_instance(Session& session, const std::string& name, Duration lease) {
  session.database.run(q::expire_instances_named).with(session.now - kOverBy).done();
  Run run = session.database.run(q::start_instance);
  run.with(name, session.now, session.now + lease);
  return run.row() ? Epoch{run.int4(0)} : Epoch{};
}

Heartbeat heartbeat(Session& session, Epoch epoch, Duration lease, bool takes_homes) {
  Heartbeat answer;
  {
    Run beat = session.database.run(q::heartbeat);
    answer.alive = beat.with(epoch, session.now, session.now + lease, takes_homes).row();
    if (answer.alive) answer.peers = beat.int4(0);
  }
  if (!answer.alive || !takes_homes) return answer;
  Run homes = session.database.run(q::take_pool_homes);
  for (homes.with(epoch, session.now); homes.row();)
    answer.home_pools.emplace_back(homes.text(0));
  std::ranges::sort(answer.home_pools);
  return answer;
}

bool take_turn(Session& session, const std::string& chore, Epoch epoch, Duration turn) {
  {
    Run found = session.database.run(q::find_turn);
    if (found.with(chore, epoch, session.now).row()) return found.boolean(0);
  }
  Run taken = session.database.run(q::take_turn);
  return taken.with(chore, epoch, session.now, session.now + turn).row();
}

void end_instance(Session& session, Epoch epoch) {
  session.database.run(q::release_pool_homes).with(epoch).done();
  session.database.run(q::end_instance).with(epoch, session.now - kOverBy).done();
}

int reconcile(Session& session, Epoch epoch, std::span<const JobId> held) {
  const LeaseTokens tokens = tokens_of(epoch);
  std::vector<JobId> lost;
  {
    Run run = session.database.run(q::leased_by_epoch);
    for (run.with(tokens.first, tokens.last); run.row();) {
      const JobId id{run.int8(0)};
      if (!std::binary_search(held.begin(), held.end(), id)) lost.push_back(id);
    }
  }
  int freed = 0;
  Groups groups;
  for (const JobId id : lost) {
    bool stopped = false;
    {
      Run run = session.database.run(q::release_rows);
      if (!run.with(id, tokens.first, tokens.last, session.now).row()) continue;
      stopped = kJobStatusNames.parse(run.text(1)) == JobStatus::cancelled;
      if (stopped && !run.is_null(2)) groups.insert(run.int8(2));
    }
    ++freed;
    if (stopped) write_event(session, id, event_of_stop(std::nullopt));
  }
  promote(session, groups);
  return freed;
}

std::vector<Epoch> dead_epochs(Session& session, const std::string& of_instance) {
  std::vector<Epoch> dead;
  Run run = session.database.run(of_instance.empty() ? q::dead_instances : q::instances_named);
  if (of_instance.empty())
    run.with(session.now);
  else
    run.with(of_instance);
  while (run.row())
    dead.emplace_back(run.int4(0));
  return dead;
}

std::vector<ClaimedJob> orphans(Session& session, const std::string& of_instance, int rows_max) {
  std::vector<ClaimedJob> found;
  for (const Epoch epoch : dead_epochs(session, of_instance)) {
    const LeaseTokens tokens = tokens_of(epoch);
    Run run = session.database.run(q::orphans);
    for (run.with(tokens.first, tokens.last, rows_max - static_cast<int>(found.size())); run.row();)
      found.push_back(read_orphan(run));
  }
  for (ClaimedJob& one : found)
    if (const Lane* lane = session.directory.find(session.database, one.lane)) name_job(one.job, *lane);
  return found;
}

}  // namespace eilbote::sqlite
