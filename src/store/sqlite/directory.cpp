#include "store/sqlite/directory.h"

#include "domain/pool.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// One text for the four parts of a lane; NUL cannot occur inside them.
std::string lane_name(std::string_view pool, std::string_view client, std::string_view channel,
                      std::string_view route) {
  std::string name;
  name.reserve(pool.size() + client.size() + channel.size() + route.size() + 3);
  name.append(pool).append(1, '\0').append(client).append(1, '\0').append(channel).append(1, '\0').append(
      route);
  return name;
}

// The id of a row that the statement makes known; `known` is what the memory has.
template <class... Values>
std::int64_t ensure(Database& database, std::unordered_map<std::string, std::int64_t>& known,
                    const std::string& name, const sql::Text& statement, const Values&... values) {
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  Run run = database.run(statement);
  run.with(values...);
  if (!run.row()) return 0;
  return known[name] = run.integer(0);
}

}  // namespace

void Directory::load(Database& database) {
  if (loaded_) return;
  forget();
  std::unordered_map<std::int64_t, std::string> client_names, pool_codes;
  for (Run run = database.run(q::find_clients); run.row();) {
    clients_[std::string(run.text(1))] = run.integer(0);
    client_names[run.integer(0)] = run.text(1);
  }
  for (Run run = database.run(q::find_pools); run.row();) {
    pools_[std::string(run.text(1))] = run.integer(0);
    pool_codes[run.integer(0)] = run.text(1);
  }
  for (Run run = database.run(q::find_lanes); run.row();) {
    Lane lane{LaneId{run.small(0)}, run.integer(2), ClientName{client_names[run.integer(2)]},
              pool_codes[run.integer(1)]};
    std::string name = lane_name(lane.pool, lane.client.value(), run.text(3), run.text(4));
    const Lane& kept = lanes_[std::move(name)] = std::move(lane);
    by_id_[kept.id] = &kept;
  }
  loaded_ = !database.failed();
}

void Directory::forget() {
  loaded_ = false;
  by_id_.clear();
  lanes_.clear();
  pools_.clear();
  clients_.clear();
}

const Lane& Directory::lane(Database& database, const LaneKey& key, TimePoint now) {
  load(database);
  std::string name = lane_name(key.pool, key.client.value(), kChannelNames.text(key.channel), key.route);
  const auto found = lanes_.find(name);
  return found != lanes_.end() ? found->second : add_lane(database, key, std::move(name), now);
}

const Lane& Directory::add_lane(Database& database, const LaneKey& key, std::string name, TimePoint now) {
  Lane lane;
  lane.client = key.client;
  lane.pool = key.pool;
  const Pool defaults;
  const std::int64_t pool = ensure(database, pools_, lane.pool, q::ensure_pool, lane.pool, defaults.burst,
                                   defaults.concurrency, now);
  lane.client_id = ensure(database, clients_, lane.client.value(), q::ensure_client, lane.client);
  Run run = database.run(q::ensure_lane);
  run.with(pool, lane.client_id, kChannelNames.text(key.channel), key.route);
  if (run.row()) lane.id = LaneId{run.small(0)};
  const Lane& kept = lanes_[std::move(name)] = std::move(lane);
  by_id_[kept.id] = &kept;
  return kept;
}

const Lane* Directory::find(Database& database, LaneId id) {
  load(database);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::optional<std::int64_t> Directory::client_id(Database& database, const ClientName& name) {
  load(database);
  const auto found = clients_.find(name.value());
  if (found == clients_.end()) return std::nullopt;
  return found->second;
}

}  // namespace eilbote::sqlite
