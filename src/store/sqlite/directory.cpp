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

// The id that a statement answers; 0 after an error.
template <class... Values>
std::int64_t ensure(Database& database, const sql::Text& statement, const Values&... values) {
  Run run = database.run(statement);
  return run.with(values...).row() ? run.int8(0) : 0;
}

}  // namespace

void Directory::load(Database& database) {
  if (loaded_) return;
  forget();
  for (Run run = database.run(q::find_lanes); run.row();) {
    Lane lane{LaneId{run.int4(0)}, run.int8(5), ClientName{std::string(run.text(2))},
              std::string(run.text(3)), std::string(run.text(4))};
    keep(lane_name(lane.pool, lane.client.value(), run.text(1), lane.route), std::move(lane));
  }
  loaded_ = !database.failed();
}

const Lane& Directory::keep(std::string name, Lane lane) {
  const Lane& kept = lanes_[std::move(name)] = std::move(lane);
  by_id_[kept.id] = &kept;
  return kept;
}

void Directory::forget() {
  loaded_ = false;
  by_id_.clear();
  lanes_.clear();
}

const Lane& Directory::lane(Database& database, const LaneKey& key, TimePoint now) {
  load(database);
  std::string name = lane_name(key.pool, key.client.value(), kChannelNames.text(key.channel), key.route);
  const auto found = lanes_.find(name);
  return found != lanes_.end() ? found->second : add_lane(database, key, std::move(name), now);
}

const Lane& Directory::add_lane(Database& database, const LaneKey& key, std::string name, TimePoint now) {
  const Pool defaults;
  const std::int64_t pool =
      ensure(database, q::ensure_pool, key.pool, defaults.burst, defaults.concurrency, now);
  const std::int64_t client = ensure(database, q::ensure_client, key.client);
  const std::int64_t lane =
      ensure(database, q::ensure_lane, pool, client, kChannelNames.text(key.channel), key.route);
  return keep(std::move(name), Lane{LaneId{static_cast<std::int32_t>(lane)}, client, key.client,
                                    std::string(key.pool), std::string(key.route)});
}

const Lane* Directory::find(Database& database, LaneId id) {
  load(database);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

}  // namespace eilbote::sqlite
