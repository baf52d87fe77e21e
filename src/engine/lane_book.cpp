#include "engine/lane_book.h"

#include <algorithm>
#include <limits>
#include <set>

namespace eilbote {
namespace {

// Rows are claimed in due order, but one inserted by a slower transaction may carry a slightly earlier time.
constexpr Duration kLowWaterSlack = std::chrono::milliseconds{150};
// How often a lane is asked from its very beginning, as a net under the low water mark.
constexpr Duration kFullLookEvery = std::chrono::seconds{5};

}  // namespace

// What is left while a plan is made. Several clients and pools may share a route.
class LaneBook::RoomLeft {
 public:
  RoomLeft(const Room& room, const Which& which) : which_(which), room_(room) {}

  int in(const std::string& pool) {
    const auto [it, is_new] = pools_.try_emplace(pool);
    if (is_new) it->second = room_.of_pool(pool);
    return it->second;
  }
  RouteRoom& route_of(const ActiveLane& lane) {
    const auto [it, is_new] = routes_.try_emplace({lane.channel, lane.route});
    if (is_new) it->second = room_.of_route(lane.channel, lane.route);
    return it->second;
  }
  int on(const ActiveLane& lane) {
    if (which_ && !which_(lane)) return 0;
    const RouteRoom& route = route_of(lane);
    return route.free + (room_.begins_at_once(lane.pool) ? 0 : route.ahead);
  }
  int of(LaneId lane) const { return room_.of_lane ? room_.of_lane(lane) : std::numeric_limits<int>::max(); }

 private:
  const Which& which_;
  const Room& room_;
  std::map<std::string, int> pools_;
  std::map<std::pair<ChannelKind, std::string>, RouteRoom> routes_;
};

void LaneBook::learn(const ActiveLanes& active, Steady now) {
  std::set<LaneId> named;
  for (const ActiveLane& facts : active.lanes) {
    named.insert(facts.lane);
    Lane& lane = lanes_[facts.lane];
    lane.facts = facts;
    if (facts.next_due <= active.now) {
      lane.ready = true;
      // Something older than the mark is waiting: the mark was wrong, look from the beginning.
      if (lane.low_water && facts.next_due < *lane.low_water) lane.low_water.reset();
    } else {
      const Steady due = now + (facts.next_due - active.now);
      if (!lane.due || due < *lane.due) lane.due = due;
    }
  }
  std::erase_if(lanes_,
                [&](const auto& entry) { return !named.contains(entry.first) && !entry.second.ready; });
}

bool LaneBook::wake(LaneId id) {
  const auto it = lanes_.find(id);
  if (it == lanes_.end()) return true;
  it->second.ready = true;
  return false;
}

void LaneBook::wake_all() {
  for (auto& [id, lane] : lanes_)
    lane.ready = true;
}

void LaneBook::rest(const Which& which) {
  for (auto& [id, lane] : lanes_)
    if (which(lane.facts)) lane.ready = false;
}

void LaneBook::note_due(LaneId id, Steady at) {
  const auto it = lanes_.find(id);
  if (it == lanes_.end()) return;
  if (!it->second.due || at < *it->second.due) it->second.due = at;
}

void LaneBook::ripen(Steady now) {
  for (auto& [id, lane] : lanes_) {
    if (!lane.due || *lane.due > now) continue;
    lane.due.reset();
    lane.ready = true;
  }
}

std::vector<ClaimLane> LaneBook::plan(const Room& room, Steady now, const Which& which) {
  ripen(now);
  RoomLeft left(room, which);
  // Where a pool whose jobs begin at once has some, nobody claims ahead: it would never find a slot free.
  for (const auto& [id, lane] : lanes_)
    if (lane.ready && room.begins_at_once(lane.facts.pool) && left.in(lane.facts.pool) > 0)
      left.route_of(lane.facts).ahead = 0;
  // Pools, those first; of each, clients and their lanes that may have work.
  std::map<std::pair<bool, std::string>, Clients> ready;
  for (const auto& [id, lane] : lanes_)
    if (lane.ready && left.on(lane.facts) > 0 && left.of(id) > 0)
      ready[{!room.begins_at_once(lane.facts.pool), lane.facts.pool}][lane.facts.client.value()].push_back(
          id);
  std::vector<ClaimLane> asks;
  for (const auto& [key, clients] : ready)
    if (left.in(key.second) > 0) share_out(key.second, clients, left, now, asks);
  return asks;
}

void LaneBook::share_out(const std::string& pool, const Clients& clients, RoomLeft& room, Steady now,
                         std::vector<ClaimLane>& asks) {
  int left = room.in(pool);
  // Clients move on by one each time, their lanes once around the clients: counted together, a pool with room for one
  // would never come to some lanes.
  const std::size_t turn = turns_[pool]++;
  const std::size_t count = clients.size();
  for (std::size_t i = 0; i < count && left > 0; ++i) {
    const auto& lanes = std::next(clients.begin(), static_cast<long>((i + turn) % count))->second;
    const int clients_left = static_cast<int>(count - i);
    int share = (left + clients_left - 1) / clients_left;
    for (std::size_t j = 0; j < lanes.size() && share > 0; ++j) {
      const LaneId id = lanes[(j + turn / count) % lanes.size()];
      const int lanes_left = static_cast<int>(lanes.size() - j);
      const ActiveLane& facts = lanes_.at(id).facts;
      const int n = std::min({(share + lanes_left - 1) / lanes_left, room.on(facts), room.of(id)});
      if (n <= 0) continue;
      share -= n;
      left -= n;
      room.route_of(facts).free -= n;
      asks.push_back(ask(id, n, now));
    }
  }
}

ClaimLane LaneBook::ask(LaneId id, int n, Steady now) {
  Lane& lane = lanes_.at(id);
  const bool full = !lane.low_water || now - lane.full_look >= kFullLookEvery;
  if (full) lane.full_look = now;
  return {id, n, full ? std::nullopt : lane.low_water};
}

void LaneBook::claimed(std::span<const ClaimLane> asked, std::span<const ClaimedJob> got) {
  std::vector<Row> rows;
  rows.reserve(got.size());
  for (const ClaimedJob& job : got)
    rows.push_back({job.lane, job.job.next_attempt_at});
  claimed_rows(asked, rows);
}

void LaneBook::claimed_rows(std::span<const ClaimLane> asked, std::span<const Row> got) {
  std::map<LaneId, std::pair<int, TimePoint>> per_lane;  // how many, and the due time of the last
  for (const Row& row : got) {
    auto& [count, last] = per_lane[row.lane];
    ++count;
    last = std::max(last, row.due);
  }
  for (const ClaimLane& ask : asked) {
    const auto it = lanes_.find(ask.lane);
    if (it == lanes_.end()) continue;
    Lane& lane = it->second;
    const auto found = per_lane.find(ask.lane);
    const int count = found == per_lane.end() ? 0 : found->second.first;
    if (count > 0) lane.low_water = found->second.second - kLowWaterSlack;
    if (count >= ask.n) continue;  // there may be more
    lane.ready = false;
    // Nothing above the mark does not mean nothing below it: come back with a full look before long.
    if (ask.low_water) note_due(ask.lane, lane.full_look + kFullLookEvery);
  }
}

std::optional<LaneBook::Steady> LaneBook::next_due(Steady now) const {
  std::optional<Steady> earliest;
  for (const auto& [id, lane] : lanes_)
    if (lane.due && *lane.due > now && (!earliest || *lane.due < *earliest)) earliest = lane.due;
  return earliest;
}

bool LaneBook::any_ready(ChannelKind channel, const std::string& pool) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const auto& entry) {
    const Lane& lane = entry.second;
    return lane.ready && lane.facts.channel == channel && lane.facts.pool == pool;
  });
}

std::set<std::string> LaneBook::ready_pools(ChannelKind channel, Steady now) const {
  std::set<std::string> pools;
  for (const auto& [id, lane] : lanes_)
    if (lane.facts.channel == channel && (lane.ready || (lane.due && *lane.due <= now)))
      pools.insert(lane.facts.pool);
  return pools;
}

}  // namespace eilbote
