#include "engine/claim_plan.h"

#include <algorithm>

namespace eilbote {
namespace {

// Where the channel's own pool says nothing about what comes (it is limited, and does not travel, or it is suspended): so many
// at a time. They are of other pools, or are put back.
constexpr int kOffersUnmeasured = 100;
// Which host an offer is for shows only once it is claimed. While so many claimed webhooks wait to begin, few more are taken
// at a time, so that a fast host is not flooded, and one that is slow keeps nobody else waiting.
constexpr int kInLineEnough = 256;
constexpr int kOffersTrickle = 16;
// What was claimed for a host that is busy waits here for its turn, up to so many, rather than travel once more.
constexpr int kWaitPerHostMax = 512;

}  // namespace

// What has spent a pool's rate begins before more of it is spent: after a pause they would all begin at once.
int ClaimPlan::room_of(const std::string& pool, Steady now) {
  if (!parts_.gate.has_rate(pool) || !parts_.departures.has_waiting(pool)) return parts_.gate.room(pool, now);
  parts_.gate.hold(pool, now);
  return 0;
}

// An order has a say about mails only: webhooks go on.
std::vector<ClaimLane> ClaimPlan::lanes(Steady now, DispatchOrders::Open* order,
                                        const std::string& taken_in) {
  const bool batch = order != nullptr && !order->order.only;
  const bool mail_flows = rules_.continuous || batch;
  LaneBook::Room room;
  room.of_pool = [&](const std::string& pool) { return room_of(pool, now) - (pool == taken_in ? 1 : 0); };
  room.of_route = [&](ChannelKind channel, const std::string& route) {
    const bool flows = channel == ChannelKind::mail ? mail_flows : rules_.takes_webhooks;
    return flows && !parts_.departures.is_full(channel, route) ? parts_.routes.room(channel, route, now)
                                                               : RouteRoom{};
  };
  room.begins_at_once = [&](const std::string& pool) { return parts_.gate.has_rate(pool); };
  LaneBook::Which from_database;  // with a broker, not all of them
  if (rules_.by_broker)
    from_database = [&](const ActiveLane& lane) {
      return !travels(lane.pool) || (batch && lane.channel == ChannelKind::mail);
    };
  std::vector<ClaimLane> lanes = parts_.lanes.plan(room, now, from_database);
  if (batch) order->limit(lanes, [this](LaneId lane) { return parts_.lanes.channel_of(lane); });
  return lanes;
}

ClaimPlan::Ask ClaimPlan::next(Steady now) {
  DispatchOrders::Open* order = parts_.orders.claiming();
  Ask ask;
  bool for_order = false;
  // Where the job that an order names has its place, before the lanes share out the rest.
  std::string taken_in;
  if (order != nullptr && order->order.only) {
    const std::string pool = pool_of(*order->order.only);
    for_order = pool.empty() || room_of(pool, now) > 0;
    if (for_order) ask.request.claim_one = order->order.only;
    if (for_order) taken_in = pool;
  }
  ask.request.lanes = lanes(now, order, taken_in);
  if (order != nullptr && !order->order.only) {
    for_order = asks_for_mail(ask.request.lanes);
    if (!for_order && parts_.routes.mail_flows() && !room_is_short(now)) parts_.orders.no_more(*order);
  }
  // What asks for nothing an order wants says nothing about what there is for it.
  if (for_order) ask.order = order;
  if (rules_.by_broker) add_offers(ask, now);
  return ask;
}

bool ClaimPlan::asks_for_mail(const std::vector<ClaimLane>& lanes) const {
  return std::ranges::any_of(
      lanes, [&](const ClaimLane& ask) { return parts_.lanes.channel_of(ask.lane) == ChannelKind::mail; });
}

// Whether a full pool has ready lanes: an order waits for it rather than end with less than it asked for.
bool ClaimPlan::room_is_short(Steady now) {
  return std::ranges::any_of(parts_.pools, [&](const Pool& pool) {
    return parts_.lanes.any_ready(ChannelKind::mail, pool.code) &&
           (room_of(pool.code, now) == 0 || parts_.departures.is_full(ChannelKind::mail, ""));
  });
}

// Empty: unknown, so the claim will say so.
std::string ClaimPlan::pool_of(JobId id) const {
  const auto record = parts_.outbox.find(id, std::nullopt);
  return record && *record ? (*record)->job.pool : "";
}

// How many offers of a channel are taken now. Which pool each is in shows only once it is claimed; most are in the channel's own.
int ClaimPlan::offers_of(ChannelKind channel, Steady now) {
  const bool is_mail = channel == ChannelKind::mail;
  const std::string pool(is_mail ? kMailPool : kWebhookPool);
  const bool measured = !parts_.gate.is_limited(pool) && !parts_.gate.is_suspended(pool);
  const int room = measured ? parts_.gate.room(pool, now) : kOffersUnmeasured;
  if (is_mail) return parts_.departures.is_full(channel, "") ? 0 : room;
  const int in_line = static_cast<int>(parts_.departures.webhooks_in_line());
  return std::min(room, std::max(kInLineEnough - in_line, kOffersTrickle));
}

void ClaimPlan::add_offers(Ask& ask, Steady now) {
  int for_order = 0;  // mails that would be offered else
  if (ask.order != nullptr)
    for (const ClaimLane& lane : ask.request.lanes)
      if (parts_.lanes.channel_of(lane.lane) == ChannelKind::mail) for_order += lane.n;
  for (const ChannelKind channel : {ChannelKind::mail, ChannelKind::webhook}) {
    if (parts_.offers.waiting(channel) == 0) continue;
    const int n = offers_of(channel, now) - (channel == ChannelKind::mail ? for_order : 0);
    const std::vector<OfferedJob> taken = parts_.offers.take(channel, n);
    ask.request.offers.insert(ask.request.offers.end(), taken.begin(), taken.end());
  }
}

WayOut ClaimPlan::way_of(const Job& job, Steady now) {
  if (parts_.gate.is_elsewhere(job.pool)) return WayOut::elsewhere;
  if (parts_.gate.is_suspended(job.pool)) return WayOut::closed;
  if (job.channel == ChannelKind::webhook && !rules_.takes_webhooks) return WayOut::closed;
  const RouteRoom route = parts_.routes.room(job.channel, job.route, now);
  const bool flows = parts_.routes.flows(job.channel, job.route);
  if (!flows && route.free <= 0) return WayOut::closed;
  if (room_of(job.pool, now) <= 0) return WayOut::full;
  const int ahead = flows && !parts_.gate.has_rate(job.pool) ? std::max(route.ahead, kWaitPerHostMax) : 0;
  const bool busy = job.channel == ChannelKind::webhook && route.free + ahead <= 0;
  return busy || parts_.departures.is_full(job.channel, job.route) ? WayOut::full : WayOut::open;
}

}  // namespace eilbote
