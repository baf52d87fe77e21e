#include "support/history_lines.h"

#include <algorithm>

namespace eilbote::test {
namespace {

using Deliveries = std::vector<const SeenDelivery*>;

class LineRules {
 public:
  LineRules(const SortedHistory& history, const HistoryRules& rules, HistoryVerdict& verdict)
      : history_(history), rules_(rules), verdict_(verdict) {}

  void check() {
    std::map<std::string, Deliveries> groups, pools;
    for (const auto& [number, delivery] : history_.deliveries) {
      if (!delivery.group.empty()) groups[delivery.group].push_back(&delivery);
      if (!delivery.pool.empty()) pools[delivery.pool].push_back(&delivery);
    }
    const auto earlier = [](const SeenDelivery* a, const SeenDelivery* b) { return a->begun < b->begun; };
    for (auto& [group, deliveries] : groups) {
      std::sort(deliveries.begin(), deliveries.end(), earlier);
      check_alone(group, deliveries);
      check_order(group, members_of(deliveries));
    }
    for (auto& [pool, deliveries] : pools) {
      const auto limits = history_.limits.find(pool);
      if (limits == history_.limits.end()) continue;
      std::sort(deliveries.begin(), deliveries.end(), earlier);
      check_rate(limits->second, deliveries);
      check_concurrency(limits->second, deliveries);
    }
  }

 private:
  struct Member {
    std::string id, mode;
    int place = 0;
    std::int64_t began = 0;  // its first start: on record, or seen
    std::int64_t done = 0;   // taken, or ended otherwise; 0: never
  };

  void found(std::string_view rule, const std::string& text, std::vector<std::string> ids) {
    verdict_.violations[rule].push_back({text, std::move(ids)});
  }

  bool late(const SeenDelivery& one) const { return bytes_may_be_late(history_, rules_, one.begun, one.by); }

  // A start may be on record that its receiver never saw: the line was cut.
  std::vector<Member> members_of(const Deliveries& deliveries) const {
    std::map<std::string, Member> members;
    for (const SeenDelivery* one : deliveries) {
      Member& member = members[one->id];
      const bool is_new = member.id.empty();
      if (is_new) member = {one->id, one->mode, one->place, one->begun, 0};
      const ToldJob& job = history_.jobs.at(one->id);
      if (is_new && !job.attempts.empty()) member.began = std::min(member.began, job.attempts.front().from);
      if (one->taken() && (member.done == 0 || one->begun < member.done)) member.done = one->begun;
      const bool is_over = job.stored != nullptr && job.stored->status != "sent";
      if (is_new && is_over && job.stored->finished_at != 0) member.done = job.stored->finished_at;
    }
    std::vector<Member> all;
    for (auto& [id, member] : members)
      all.push_back(std::move(member));
    std::sort(all.begin(), all.end(), [](const Member& a, const Member& b) {
      return a.began != b.began ? a.began < b.began : a.place < b.place;
    });
    return all;
  }

  void check_order(const std::string& group, const std::vector<Member>& members) {
    const Member* last = nullptr;
    for (const Member& one : members) {
      if (last != nullptr && one.place < last->place)
        found(history_rule::group_order,
              group + ": place " + std::to_string(one.place) + " after " + std::to_string(last->place),
              {one.id, last->id});
      if (last == nullptr || one.place > last->place) last = &one;
    }
    std::vector<const Member*> by_place;
    for (const Member& one : members)
      by_place.push_back(&one);
    std::sort(by_place.begin(), by_place.end(),
              [](const Member* a, const Member* b) { return a->place < b->place; });
    for (std::size_t i = 1; i < by_place.size(); ++i) {
      const Member &before = *by_place[i - 1], &one = *by_place[i];
      if (one.mode != "BLOCK_ON_ERROR" || before.place == one.place) continue;
      if (before.done == 0 || before.done > one.began + rules_.slack)
        found(history_rule::group_blocks, group + ": " + one.id + " before " + before.id,
              {before.id, one.id});
    }
  }

  void check_alone(const std::string& group, const Deliveries& deliveries) {
    const SeenDelivery* longest = nullptr;  // of those before, the one that ended last
    for (const SeenDelivery* one : deliveries) {
      if (longest != nullptr && longest->over() > one->begun && longest->id != one->id && !late(*one) &&
          !late(*longest))
        found(history_rule::group_alone, group + ": " + longest->id + " and " + one->id,
              {longest->id, one->id});
      if (longest == nullptr || one->over() > longest->over()) longest = one;
    }
  }

  // The bucket of the pool, with a little more room than it has: what is taken out of an empty one was too much.
  void check_rate(const HistoryEvent& limits, const Deliveries& deliveries) {
    if (limits.rate == 0) return;
    const double per_micro = limits.rate / 60e6;
    const double room = limits.burst + 1 + per_micro * static_cast<double>(rules_.rate_slack);
    double left = room;
    std::int64_t last = 0;
    for (const SeenDelivery* one : deliveries) {
      left = last == 0 ? room : std::min(room, left + per_micro * static_cast<double>(one->begun - last));
      last = one->begun;
      left -= 1;
      if (left >= 0) continue;
      if (!late(*one))
        found(history_rule::pool_rate, limits.pool + ": " + one->id + " at " + std::to_string(one->begun),
              {one->id});
      left = 0;  // one case for each start that was too much, and no more
    }
  }

  void check_concurrency(const HistoryEvent& limits, const Deliveries& deliveries) {
    if (limits.concurrency == 0) return;
    std::multimap<std::int64_t, const SeenDelivery*> under_way;  // by their ends
    for (const SeenDelivery* one : deliveries) {
      under_way.erase(under_way.begin(), under_way.upper_bound(one->begun));
      under_way.emplace(one->over(), one);
      if (static_cast<int>(under_way.size()) <= limits.concurrency) continue;
      std::vector<std::string> ids;
      bool excused = false;
      for (const auto& [over, other] : under_way) {
        ids.push_back(other->id);
        excused |= late(*other);
      }
      if (!excused)
        found(history_rule::pool_concurrency,
              limits.pool + ": " + std::to_string(under_way.size()) + " at " + std::to_string(one->begun),
              std::move(ids));
    }
  }

  const SortedHistory& history_;
  const HistoryRules& rules_;
  HistoryVerdict& verdict_;
};

}  // namespace

bool bytes_may_be_late(const SortedHistory& history, const HistoryRules& rules, std::int64_t at,
                       const std::string& by) {
  const auto faults = history.faults_between(at - rules.late_window, at, by);
  return std::any_of(faults.begin(), faults.end(),
                     [](const StruckFault* fault) { return delays_bytes(fault->kind); });
}

void check_lines(const SortedHistory& history, const HistoryRules& rules, HistoryVerdict& verdict) {
  LineRules(history, rules, verdict).check();
}

}  // namespace eilbote::test
