// Running instances: their epochs, leases and pool homes.
#include <algorithm>

#include "domain/acts.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/operations.h"
#include "store/row_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

// The events of the rows (id, status now, group) that were handed back and turned out to be cancelled; their groups.
std::vector<std::int64_t> add_stop_events(Calls& calls, const Rows& rows) {
  std::vector<std::int64_t> groups;
  EventRows events;
  for (const Row row : rows) {
    if (kJobStatusNames.parse(row.text(1)) != JobStatus::cancelled) continue;
    if (!row.is_null(2)) groups.push_back(row.int8(2));
    events.add(row.int8(0), event_of_stop(std::nullopt));
  }
  std::move(events).write(calls);
  return groups;
}

}  // namespace

Result<Epoch> start_instance(Connection& connection, const std::string& name, Duration lease) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&q::expire_instances_named, std::move(Params().add(name))});
  calls.push_back({&q::start_instance, std::move(Params().add(name).add(lease))});
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());
  return Epoch{(*done)[2][0].int4(0)};
}

Result<Heartbeat> heartbeat(Connection& connection, Epoch epoch, Duration lease, bool takes_homes) {
  auto beat =
      connection.run(q::heartbeat, std::move(Params().add(epoch.value()).add(lease).add(takes_homes)));
  if (!beat) return fail(beat.error());
  Heartbeat result;
  result.alive = !beat->empty();
  if (result.alive) result.peers = (*beat)[0].int4(0);
  if (!result.alive || !takes_homes) return result;
  auto homes = connection.run(q::take_pool_homes, std::move(Params().add(epoch.value())));
  if (!homes) return fail(homes.error());
  for (const Row row : *homes)
    result.home_pools.emplace_back(row.text(0));
  std::ranges::sort(result.home_pools);
  return result;
}

Result<bool> take_turn(Connection& connection, const std::string& chore, Epoch epoch, Duration turn) {
  auto found = connection.run(q::find_turn, std::move(Params().add(chore).add(epoch.value())));
  if (!found) return fail(found.error());
  if (!found->empty()) return (*found)[0].boolean(0);
  auto taken = connection.run(q::take_turn, std::move(Params().add(chore).add(epoch.value()).add(turn)));
  if (!taken) return fail(taken.error());
  return !taken->empty();
}

Result<void> end_instance(Connection& connection, Epoch epoch) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&q::release_pool_homes, std::move(Params().add(epoch.value()))});
  calls.push_back({&q::end_instance, std::move(Params().add(epoch.value()))});
  calls.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(calls); !done) return fail(done.error());
  return {};
}

Result<int> reconcile(Connection& connection, Epoch epoch, std::span<const JobId> held) {
  const LeaseTokens range = tokens_of(epoch);
  auto leased = connection.run(q::leased_by_epoch, std::move(Params().add(range.first).add(range.last)));
  if (!leased) return fail(leased.error());
  std::vector<JobId> lost;
  for (const Row row : *leased)
    if (const JobId id{row.int8(0)}; !std::ranges::binary_search(held, id)) lost.push_back(id);
  if (lost.empty()) return 0;
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back(
      {&q::release_rows, std::move(Params().add(int8_array(lost)).add(range.first).add(range.last))});
  auto freed = connection.run(calls);
  if (!freed) return fail(freed.error());
  calls.clear();
  std::vector<std::int64_t> groups = add_stop_events(calls, freed->back());
  calls.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(calls); !done) return fail(done.error());
  // Group locks come before rows, so the turns are passed on in a transaction of their own.
  if (!groups.empty())
    if (auto promoted = promote(connection, std::move(groups)); !promoted) return fail(promoted.error());
  return freed->back().size();
}

Result<std::vector<Epoch>> dead_epochs(Connection& connection, const std::string& of_instance) {
  auto rows = of_instance.empty() ? connection.run(q::dead_instances)
                                  : connection.run(q::instances_named, std::move(Params().add(of_instance)));
  if (!rows) return fail(rows.error());
  std::vector<Epoch> epochs;
  for (const Row row : *rows)
    epochs.emplace_back(row.int4(0));
  return epochs;
}

Result<std::vector<ClaimedJob>> orphans(Connection& connection, Directory& directory,
                                        const std::string& of_instance, int rows_max) {
  const auto dead = dead_epochs(connection, of_instance);
  if (!dead) return fail(dead.error());
  std::vector<ClaimedJob> found;
  for (const Epoch epoch : *dead) {
    const LeaseTokens range = tokens_of(epoch);
    const int room = rows_max - static_cast<int>(found.size());
    auto rows = connection.run(q::orphans, std::move(Params().add(range.first).add(range.last).add(room)));
    if (!rows) return fail(rows.error());
    if (auto known = directory.know_lanes(connection, *rows); !known) return fail(known.error());
    for (const Row row : *rows) {
      ClaimedJob one = read_orphan(row);
      if (const auto lane = directory.lane(one.lane)) name_job(one.job, *lane);
      found.push_back(std::move(one));
    }
  }
  return found;
}

}  // namespace eilbote::postgres
