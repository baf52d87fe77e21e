// What wants a person: a row per code and limit, and the order of many.
#include "domain/attention.h"

#include <gtest/gtest.h>

#include <functional>

namespace eilbote::attention_test {
namespace {

using namespace std::chrono_literals;
using enum AttentionCode;
using enum Urgency;

constexpr TimePoint kNow{std::chrono::sys_days{std::chrono::year{2026} / 6 / 1}};
constexpr Duration kDay = std::chrono::hours{24};

// Nothing in it wants anybody.
Overview well() {
  Overview seen;
  seen.at = kNow;
  seen.instances = seen.delivering = 1;
  PoolLoad pool;
  pool.pool = "mail";
  pool.waiting = 7;
  pool.due = 3;
  pool.oldest = kNow - 5min;
  seen.pools = {pool};
  RouteLoad route;
  route.route = "smtp-a";
  seen.routes = {route};
  seen.broker = BrokerLoad{true, true, ""};
  seen.machine.disk_free = 0.10;
  seen.machine.clock_skew = -2s;
  seen.machine.certificate_ends = kNow + 14 * kDay;
  seen.machine.credentials_end = {{"graph_certificate", kNow + 14 * kDay}};
  return seen;
}

void break_route(Overview& seen, ChannelKind channel) {
  RouteLoad& route = seen.routes.front();
  route.channel = channel;
  route.is_down = true;
  route.reason = "535 5.7.8 no";
  route.since = kNow - 1h;
  route.waiting = 312;
}

struct Case {
  const char* name;
  std::function<void(Overview&)> change;
  std::vector<Attention> want;
};

const Case kCases[] = {
    {"all is well", [](Overview&) {}, {}},
    {"nobody delivers", [](Overview& o) { o.delivering = 0; }, {{nothing_delivers, critical}}},
    {"the relay is down",
     [](Overview& o) { break_route(o, ChannelKind::mail); },
     {{route_down, critical, "smtp-a", kNow - 1h, 312, "535 5.7.8 no", ChannelKind::mail}}},
    {"an endpoint host is down",
     [](Overview& o) { break_route(o, ChannelKind::webhook); },
     {{route_down, warning, "smtp-a", kNow - 1h, 312, "535 5.7.8 no", ChannelKind::webhook}}},
    {"the relay is down for three instances, one of which noticed it first",
     [](Overview& o) {
       break_route(o, ChannelKind::mail);
       o.routes.resize(3, o.routes.front());
       o.routes[1].since = kNow - 2h;
       o.routes[1].reason = "535 first";
     },
     {{route_down, critical, "smtp-a", kNow - 2h, 312, "535 first", ChannelKind::mail}}},
    {"the relay is down for one instance of two",
     [](Overview& o) {
       o.routes.push_back(o.routes.front());
       break_route(o, ChannelKind::mail);
     },
     {{route_down, critical, "smtp-a", kNow - 1h, 312, "535 5.7.8 no", ChannelKind::mail}}},
    {"a pool is late",
     [](Overview& o) { o.pools.front().oldest = kNow - 5min - 1s; },
     {{pool_late, warning, "mail", kNow - 5min - 1s, 3}}},
    {"a pool is very late",
     [](Overview& o) { o.pools.front().oldest = kNow - 31min; },
     {{pool_late, critical, "mail", kNow - 31min, 3}}},
    {"a suspended pool is not late",
     [](Overview& o) {
       o.pools.front().oldest = kNow - 2h;
       o.pools.front().status = PoolStatus::SUSPENDED;
     },
     {{pool_suspended, warning, "mail", std::nullopt, 7}}},
    {"an empty pool is suspended",
     [](Overview& o) {
       o.pools.front().waiting = o.pools.front().due = 0;
       o.pools.front().oldest.reset();
       o.pools.front().status = PoolStatus::SUSPENDED;
     },
     {{pool_suspended, notice, "mail", std::nullopt, 0}}},
    {"dead letters of the last day",
     [](Overview& o) {
       o.dead.count = 90;
       o.dead.lately = 4;
     },
     {{dead_letters, warning, "", std::nullopt, 4}}},
    {"old dead letters only", [](Overview& o) { o.dead.count = 90; }, {}},
    {"blocked groups",
     [](Overview& o) { o.blocked_groups = 2; },
     {{groups_blocked, warning, "", std::nullopt, 2}}},
    {"the broker is away",
     [](Overview& o) {
       o.broker = BrokerLoad{false, true, "connection refused"};
     },
     {{broker_away, critical, "", std::nullopt, 0, "connection refused"}}},
    {"the broker sends nothing",
     [](Overview& o) {
       o.broker = BrokerLoad{true, false, "channel closed"};
     },
     {{broker_away, critical, "", std::nullopt, 0, "channel closed"}}},
    {"no broker at all", [](Overview& o) { o.broker.reset(); }, {}},
    {"the clock is ahead",
     [](Overview& o) { o.machine.clock_skew = 2500ms; },
     {{clock_skew, warning, "", std::nullopt, 0, "2.5"}}},
    {"the clock is behind",
     [](Overview& o) { o.machine.clock_skew = -61s; },
     {{clock_skew, warning, "", std::nullopt, 0, "-61.0"}}},
    {"the disk is low",
     [](Overview& o) { o.machine.disk_free = 0.09; },
     {{disk_low, warning, "", std::nullopt, 0, "9"}}},
    {"the disk is nearly full",
     [](Overview& o) { o.machine.disk_free = 0.02; },
     {{disk_low, critical, "", std::nullopt, 0, "2"}}},
    {"the certificate ends soon",
     [](Overview& o) { o.machine.certificate_ends = kNow + 13 * kDay; },
     {{certificate_expires, warning, "", kNow + 13 * kDay}}},
    {"the certificate is over",
     [](Overview& o) { o.machine.certificate_ends = kNow - 1s; },
     {{certificate_expires, critical, "", kNow - 1s}}},
    {"a credential ends soon",
     [](Overview& o) { o.machine.credentials_end.emplace_back("vault_token", kNow + kDay); },
     {{credential_expires, critical, "vault_token", kNow + kDay}}},
};

TEST(Attention, is_as_the_table_says) {
  std::set<AttentionCode> met;
  for (const Case& row : kCases) {
    Overview seen = well();
    row.change(seen);
    EXPECT_EQ(attention(seen), row.want) << row.name;
    for (const Attention& want : row.want)
      met.insert(want.code);
  }
  for (const auto& [code, text] : kAttentionCodeNames.entries)
    EXPECT_TRUE(met.contains(code)) << "no row for " << text;
}

TEST(Attention, comes_with_the_worst_first) {
  Overview seen = well();
  seen.dead.lately = 3;
  seen.blocked_groups = 1;
  seen.delivering = 0;
  seen.pools.front().status = PoolStatus::SUSPENDED;
  seen.pools.front().waiting = 0;
  for (const int waiting : {5, 500}) {
    break_route(seen, ChannelKind::webhook);
    seen.routes.front().waiting = waiting;
    seen.routes.front().route = std::to_string(waiting) + ".example";
    seen.routes.push_back(seen.routes.front());
  }
  seen.routes.erase(seen.routes.begin());
  std::vector<std::pair<AttentionCode, std::int64_t>> order;
  for (const Attention& item : attention(seen))
    order.emplace_back(item.code, item.count);
  const std::vector<std::pair<AttentionCode, std::int64_t>> want{{nothing_delivers, 0}, {route_down, 500},
                                                                 {route_down, 5},       {groups_blocked, 1},
                                                                 {dead_letters, 3},     {pool_suspended, 0}};
  EXPECT_EQ(order, want);
}

}  // namespace
}  // namespace eilbote::attention_test
