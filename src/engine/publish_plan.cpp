#include "engine/publish_plan.h"

#include <algorithm>
#include <limits>

namespace eilbote {
namespace {

constexpr Duration kFailureDelayMin = std::chrono::seconds{1};
constexpr Duration kFailureDelayMax = std::chrono::seconds{30};
constexpr ChannelKind kChannels[] = {ChannelKind::mail, ChannelKind::webhook};

CarrierQueue send_queue(ChannelKind channel) {
  return channel == ChannelKind::mail ? CarrierQueue::mail_send : CarrierQueue::webhook_send;
}

}  // namespace

void PublishPlan::learn_pools(const std::vector<Pool>& pools) {
  travelling_.clear();
  for (const Pool& pool : pools)
    if (!pool.limited && pool.status == PoolStatus::ACTIVE) travelling_.insert(pool.code);
}

void PublishPlan::learn(const ActiveLanes& active, Steady now) {
  // First, so that those without queued rows leave the book by what it learns.
  lanes_.rest([this](const ActiveLane& lane) { return !travelling_.contains(lane.pool); });
  lanes_.learn(active, now);
}

// Of both queues of mails, as nobody knows before the claim which of them a mail goes by.
std::int64_t PublishPlan::depth_left(ChannelKind channel) const {
  std::int64_t left = kPublishBatchMax;
  const auto consider = [&](CarrierQueue queue) {
    if (const auto waiting = transport_.waiting(queue)) left = std::min(left, options_.depth_max - *waiting);
  };
  consider(send_queue(channel));
  if (channel == ChannelKind::mail && options_.retries_apart) consider(CarrierQueue::mail_retry);
  return std::max<std::int64_t>(left, 0);
}

bool PublishPlan::is_open(ChannelKind channel, Steady now) const {
  if (channel == ChannelKind::mail && !options_.mails) return false;
  const auto failed = failures_.find(send_queue(channel));
  return failed == failures_.end() || now >= failed->second.until;
}

int PublishPlan::ready_pools(ChannelKind channel, Steady now) const {
  return static_cast<int>(
      std::ranges::count_if(lanes_.ready_pools(channel, now),
                            [this](const std::string& pool) { return travelling_.contains(pool); }));
}

std::vector<ClaimLane> PublishPlan::plan(Steady now) {
  struct Part {
    ChannelKind channel;
    int room, pools;
  };
  std::vector<Part> parts;
  for (const ChannelKind channel : kChannels) {
    const int room = is_open(channel, now) ? static_cast<int>(depth_left(channel)) : 0;
    const int pools = room > 0 ? ready_pools(channel, now) : 0;
    if (pools > 0) parts.push_back({channel, room, pools});
  }
  std::ranges::shuffle(parts, turn_);  // a pool with lanes in both begins with another client each time
  std::vector<ClaimLane> asks;
  for (const Part& part : parts) {
    const int room = std::min(part.room, kPublishBatchMax / static_cast<int>(parts.size()));
    const auto some = plan(part.channel, room, part.pools, now);
    asks.insert(asks.end(), some.begin(), some.end());
  }
  return asks;
}

// Each pool has the same share of the room, so that the lane book's fairness between clients is not cut off afterwards. Only
// where there are more pools than room, one each, it is: at another place each time.
std::vector<ClaimLane> PublishPlan::plan(ChannelKind channel, int room, int pools, Steady now) {
  const int share = std::max(1, room / pools);
  LaneBook::Room rooms;
  rooms.of_pool = [&](const std::string& pool) { return travelling_.contains(pool) ? share : 0; };
  rooms.of_route = [&](ChannelKind of, const std::string&) {
    return RouteRoom{of == channel ? std::numeric_limits<int>::max() : 0, 0};
  };
  rooms.begins_at_once = [](const std::string&) { return false; };
  rooms.of_lane = [&](LaneId lane) { return pauses_.room(lane, now); };
  std::vector<ClaimLane> asks = lanes_.plan(rooms, now);
  if (asks.empty()) return asks;
  std::ranges::rotate(asks, asks.begin() + static_cast<long>(turn_() % asks.size()));
  for (ClaimLane& ask : asks) {
    ask.n = std::min(ask.n, room);
    room -= ask.n;
  }
  std::erase_if(asks, [](const ClaimLane& ask) { return ask.n == 0; });
  for (const ClaimLane& ask : asks)
    pauses_.asked(ask.lane, now);
  return asks;
}

void PublishPlan::claimed(std::span<const ClaimLane> asked, std::span<const PublishClaim> got) {
  std::vector<LaneBook::Row> rows;
  rows.reserve(got.size());
  for (const PublishClaim& claim : got)
    rows.push_back({claim.lane, claim.next_attempt_at});
  lanes_.claimed_rows(asked, rows);
}

Duration PublishPlan::carried(CarrierQueue queue, const CarriedCount& count, Steady now) {
  Failures& its = failures_[queue];
  if (count.refused + count.unknown == 0) {
    its = {};
    return its.delay;
  }
  // Two batches are at the broker at once: what both fail for is one failure.
  if (now >= its.until) its.delay = std::clamp(its.delay * 2, kFailureDelayMin, kFailureDelayMax);
  if (count.confirmed == 0) its.until = std::max(its.until, now + its.delay);
  return its.delay;
}

bool PublishPlan::is_held_by_depth(Steady now) const {
  return std::ranges::any_of(kChannels, [&](ChannelKind channel) {
    return is_open(channel, now) && depth_left(channel) == 0 && ready_pools(channel, now) > 0;
  });
}

std::optional<PublishPlan::Steady> PublishPlan::next_change(Steady now) const {
  std::optional<Steady> earliest = lanes_.next_due(now);
  const auto consider = [&](std::optional<Steady> at) {
    if (at && *at > now && (!earliest || *at < *earliest)) earliest = at;
  };
  consider(pauses_.next_change(now));
  for (const auto& [queue, failed] : failures_)
    consider(failed.until);
  return earliest;
}

}  // namespace eilbote
