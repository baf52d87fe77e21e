#include "store/postgres/directory.h"

#include <mutex>

#include "store/postgres/params.h"
#include "store/row_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

// An `ensure_*` statement comes back empty when a twin was committed while it ran; the next run sees it.
Result<std::int32_t> ensured(Connection& connection, const sql::Text& statement, const Params& params) {
  for (int tries = 0; tries < 3; ++tries) {
    auto rows = connection.run(statement, params);
    if (!rows) return fail(rows.error());
    if (!rows->empty()) return (*rows)[0].int4(0);
  }
  return fail(ErrorKind::unavailable, std::string(statement.name) + ": no answer after three tries");
}

}  // namespace

Result<Lane> Directory::ensure_lane(Connection& connection, const NewJob& job) {
  {
    const ReadLock lock(mutex_);
    const auto found = by_key_.find({job.pool, job.client.value(), job.channel, job.route});
    if (found != by_key_.end()) return found->second;
  }
  const auto client = ensure_client(connection, job.client);
  if (!client) return fail(client.error());
  const auto pool = ensured(connection, q::ensure_pool, Params().add(job.pool));
  if (!pool) return fail(pool.error());
  const auto id =
      ensured(connection, q::ensure_lane,
              Params().add(*pool).add(*client).add(kChannelNames.text(job.channel)).add(job.route));
  if (!id) return fail(id.error());
  const Lane made{LaneId{*id}, *client, job.channel, job.client, job.pool, job.route};
  remember(made);
  return made;
}

Result<std::int32_t> Directory::ensure_client(Connection& connection, const ClientName& name) {
  {
    const ReadLock lock(mutex_);
    const auto found = clients_.find(name.value());
    if (found != clients_.end()) return found->second;
  }
  const auto id = ensured(connection, q::ensure_client, Params().add(name.value()));
  if (!id) return fail(id.error());
  const WriteLock lock(mutex_);
  clients_[name.value()] = *id;
  return *id;
}

void Directory::remember(const Lane& lane) {
  const WriteLock lock(mutex_);
  by_key_[{lane.pool, lane.client.value(), lane.channel, lane.route}] = lane;
  by_id_[lane.id] = lane;
  clients_[lane.client.value()] = lane.client_id;
}

std::optional<Lane> Directory::lane(LaneId id) const {
  const ReadLock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

Result<void> Directory::reload(Connection& connection) {
  auto rows = connection.run(q::find_lanes);
  if (!rows) return fail(rows.error());
  for (const Row row : *rows)
    remember(Lane{LaneId{row.int4(0)}, row.int4(5),
                  kChannelNames.parse(row.text(1)).value_or(ChannelKind::mail),
                  ClientName{std::string(row.text(2))}, std::string(row.text(3)), std::string(row.text(4))});
  return {};
}

Result<void> Directory::know_lanes(Connection& connection, const Rows& rows) {
  for (const Row row : rows)
    if (!lane(read_lane(row))) return reload(connection);
  return {};
}

Result<std::optional<std::int32_t>> Directory::client_id(Connection& connection, const ClientName& name) {
  const auto known = [&]() -> std::optional<std::int32_t> {
    const ReadLock lock(mutex_);
    const auto found = clients_.find(name.value());
    if (found == clients_.end()) return std::nullopt;
    return found->second;
  };
  if (auto id = known()) return id;
  if (auto read = reload(connection); !read) return fail(read.error());
  return known();
}

Result<std::vector<std::pair<std::int32_t, std::string>>> Directory::clients(Connection& connection) {
  auto rows = connection.run(q::find_clients);
  if (!rows) return fail(rows.error());
  std::vector<std::pair<std::int32_t, std::string>> all;
  for (const Row row : *rows)
    all.emplace_back(row.int4(0), std::string(row.text(1)));
  return all;
}

}  // namespace eilbote::postgres
