#include "engine/dispatch_orders.h"

#include <algorithm>

namespace eilbote {

void DispatchOrders::add(DispatchOrder order, Done done, Steady now) {
  Open open;
  open.remaining = order.only ? 1 : order.batch_size;
  open.deadline = now + order.wait;
  open.order = order;
  open.done = std::move(done);
  orders_.push_back(std::move(open));
}

DispatchOrders::Open* DispatchOrders::claiming() {
  for (Open& order : orders_)
    if (order.remaining > 0) return &order;
  return nullptr;
}

bool DispatchOrders::Open::wants(const Job& job) const {
  if (order.only) return job.id == *order.only;
  return job.channel == ChannelKind::mail && remaining > 0;
}

void DispatchOrders::Open::limit(std::vector<ClaimLane>& plan,
                                 const std::function<ChannelKind(LaneId)>& channel_of) const {
  int left = remaining;
  for (ClaimLane& lane : plan) {
    if (channel_of(lane.lane) != ChannelKind::mail) continue;
    lane.n = std::min(lane.n, left);
    left -= lane.n;
    lane.low_water.reset();  // an order wants everything that is due
  }
  std::erase_if(plan, [](const ClaimLane& lane) { return lane.n == 0; });
}

void DispatchOrders::claimed(Open& order, const Job& job, LeaseToken token) {
  --order.remaining;
  ++order.waiting;
  order.jobs.push_back(job);
  by_lease_[{job.id, token}] = &order;
}

void DispatchOrders::no_more(Open& order) {
  order.remaining = 0;
}

void DispatchOrders::refuse(Open& order) {
  order.remaining = 0;
  order.refused = true;
}

void DispatchOrders::settled(const Job& after, LeaseToken token) {
  const auto it = by_lease_.find({after.id, token});
  if (it == by_lease_.end()) return;
  Open& order = *it->second;
  by_lease_.erase(it);
  --order.waiting;
  for (Job& job : order.jobs)
    if (job.id == after.id) job = after;
}

void DispatchOrders::answer(Steady now, bool all) {
  for (auto it = orders_.begin(); it != orders_.end();) {
    const bool complete = it->remaining == 0 && it->waiting == 0;
    if (!complete && !all && now < it->deadline) {
      ++it;
      continue;
    }
    std::erase_if(by_lease_, [&](const auto& entry) { return entry.second == &*it; });
    it->done(DispatchReport{std::move(it->jobs), it->refused});
    it = orders_.erase(it);
  }
}

std::optional<DispatchOrders::Steady> DispatchOrders::next_deadline() const {
  std::optional<Steady> earliest;
  for (const Open& order : orders_)
    if (!earliest || order.deadline < *earliest) earliest = order.deadline;
  return earliest;
}

}  // namespace eilbote
