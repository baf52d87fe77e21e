// Running instances: their epochs, leases and pool homes.
#include <algorithm>

#include "store/postgres/lease_range.h"
#include "store/postgres/operations.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

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

Result<Heartbeat> heartbeat(Connection& connection, Epoch epoch, Duration lease,
                            std::span<const std::string> pools) {
  auto beat = connection.run(q::heartbeat, std::move(Params().add(epoch.value()).add(lease)));
  if (!beat) return fail(beat.error());
  Heartbeat result;
  result.alive = !beat->empty();
  if (!result.alive || pools.empty()) return result;
  Array codes(Type::text);
  for (const std::string& pool : pools)
    codes.add(pool);
  auto homes =
      connection.run(q::take_pool_homes, std::move(Params().add(epoch.value()).add(std::move(codes))));
  if (!homes) return fail(homes.error());
  for (const Row row : *homes)
    result.home_pools.emplace_back(row.text(0));
  std::ranges::sort(result.home_pools);
  return result;
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
  const LeaseRange range(epoch);
  auto leased = connection.run(q::leased_by_epoch, std::move(Params().add(range.first).add(range.last)));
  if (!leased) return fail(leased.error());
  std::vector<JobId> lost;
  for (const Row row : *leased)
    if (const JobId id{row.int8(0)}; !std::ranges::binary_search(held, id)) lost.push_back(id);
  if (lost.empty()) return 0;
  auto freed = connection.run(q::release_rows,
                              std::move(Params().add(int8_array(lost)).add(range.first).add(range.last)));
  if (!freed) return fail(freed.error());
  return freed->size();
}

}  // namespace eilbote::postgres
