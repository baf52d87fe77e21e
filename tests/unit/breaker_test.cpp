// The breaker: when it opens, that nothing passes while it is open, and how probes close it.
#include "domain/breaker.h"

#include <gtest/gtest.h>

namespace eilbote::breaker_test {
namespace {

using namespace std::chrono_literals;
using V = Verdict;
using B = BreakerState;

const Clock::Steady kStart{std::chrono::hours{1000}};

BreakerRules share_rules() {
  BreakerRules rules;
  rules.opens_on_first_fault = false;
  rules.good_probes_to_close = 3;
  return rules;
}

TEST(MailBreaker, opens_on_the_first_fault_of_the_route_only) {
  const struct {
    V verdict;
    bool opens;
  } cases[] = {{V::delivered, false},  {V::deferred, false},     {V::transient, false}, {V::permanent, false},
               {V::route_fault, true}, {V::configuration, true}, {V::uncertain, false}, {V::released, false}};
  ASSERT_EQ(std::size(cases), kVerdictNames.entries.size());
  for (const auto& c : cases) {
    Breaker breaker{BreakerRules{}};
    breaker.on_result(c.verdict, "why", kStart);
    EXPECT_EQ(breaker.state(), c.opens ? B::open : B::closed) << kVerdictNames.text(c.verdict);
    EXPECT_EQ(breaker.lets_through(), !c.opens);
    EXPECT_EQ(breaker.reason(), c.opens ? "why" : "");
  }
}

// That a refused login rests for five minutes is the channel's part: it answers such a probe from memory.
TEST(MailBreaker, is_probed_every_30_seconds) {
  const struct {
    V verdict;
    std::chrono::seconds wait;
  } cases[] = {{V::route_fault, 30s}, {V::configuration, 30s}};
  for (const auto& c : cases) {
    Breaker breaker{BreakerRules{}};
    breaker.on_result(c.verdict, "down", kStart);
    EXPECT_EQ(breaker.next_probe(), kStart + c.wait);
    EXPECT_FALSE(breaker.take_probe(kStart + c.wait - 1us));
    EXPECT_TRUE(breaker.take_probe(kStart + c.wait));
    EXPECT_EQ(breaker.state(), B::probing);
    EXPECT_FALSE(breaker.lets_through());
    EXPECT_FALSE(breaker.take_probe(kStart + c.wait)) << "one probe at a time";
    breaker.on_probe(false, "still down", kStart + c.wait);
    EXPECT_EQ(breaker.state(), B::open);
    EXPECT_EQ(breaker.reason(), "still down");
    EXPECT_EQ(breaker.next_probe(), kStart + 2 * c.wait);
    EXPECT_TRUE(breaker.take_probe(kStart + 2 * c.wait));
    breaker.on_probe(true, "", kStart + 2 * c.wait);
    EXPECT_EQ(breaker.state(), B::closed);
    EXPECT_EQ(breaker.reason(), "");
  }
}

TEST(MailBreaker, stragglers_of_the_outage_change_nothing) {
  Breaker breaker{BreakerRules{}};
  breaker.on_result(V::route_fault, "first", kStart);
  breaker.on_result(V::configuration, "second", kStart + 20s);
  breaker.on_result(V::delivered, "", kStart + 25s);
  EXPECT_EQ(breaker.state(), B::open);
  EXPECT_EQ(breaker.reason(), "first");
  EXPECT_EQ(breaker.next_probe(), kStart + 30s);
}

TEST(MailBreaker, a_probe_nobody_took_is_ignored) {
  Breaker breaker{BreakerRules{}};
  EXPECT_FALSE(breaker.take_probe(kStart)) << "closed";
  breaker.on_probe(false, "x", kStart);
  EXPECT_EQ(breaker.state(), B::closed);
  breaker.on_result(V::route_fault, "down", kStart);
  breaker.on_probe(true, "", kStart);
  EXPECT_EQ(breaker.state(), B::open);
}

TEST(MailBreaker, reset_closes_it) {
  Breaker breaker{BreakerRules{}};
  breaker.on_result(V::route_fault, "down", kStart);
  breaker.reset();
  EXPECT_TRUE(breaker.lets_through());
  breaker.on_result(V::route_fault, "down again", kStart);
  EXPECT_EQ(breaker.reason(), "down again");
}

// Feeds `failures` and `successes`, a second apart, failures last.
Breaker after(int failures, int successes, V failure = V::transient) {
  Breaker breaker{share_rules()};
  Clock::Steady now = kStart;
  for (int i = 0; i < successes; ++i, now += 1s)
    breaker.on_result(V::delivered, "", now);
  for (int i = 0; i < failures; ++i, now += 1s)
    breaker.on_result(failure, "bad", now);
  return breaker;
}

TEST(EndpointBreaker, opens_at_half_of_ten) {
  const struct {
    const char* name;
    int failures, successes;
    B want;
  } cases[] = {{"nine failures are too few", 9, 0, B::closed},
               {"ten failures", 10, 0, B::open},
               {"half of ten", 5, 5, B::open},
               {"less than half", 4, 6, B::closed},
               {"half of twenty", 10, 10, B::open},
               {"less than half of twenty-one", 10, 11, B::closed}};
  for (const auto& c : cases)
    EXPECT_EQ(after(c.failures, c.successes).state(), c.want) << c.name;
}

TEST(EndpointBreaker, what_counts_as_a_failure) {
  const struct {
    V verdict;
    bool counts;
  } cases[] = {{V::deferred, false},   {V::transient, true}, {V::permanent, false},
               {V::route_fault, true}, {V::uncertain, true}, {V::released, false}};
  for (const auto& c : cases)
    EXPECT_EQ(after(10, 0, c.verdict).state(), c.counts ? B::open : B::closed)
        << kVerdictNames.text(c.verdict);
}

TEST(EndpointBreaker, forgets_after_its_window) {
  Breaker breaker{share_rules()};
  for (int i = 0; i < 9; ++i)
    breaker.on_result(V::transient, "bad", kStart);
  breaker.on_result(V::transient, "bad", kStart + 61s);
  EXPECT_EQ(breaker.state(), B::closed) << "nine of them are too old";
  for (int i = 0; i < 9; ++i)
    breaker.on_result(V::transient, "bad", kStart + 62s);
  EXPECT_EQ(breaker.state(), B::open);
}

TEST(EndpointBreaker, closes_after_three_good_probes_in_a_row) {
  Breaker breaker = after(10, 0);
  Clock::Steady now = breaker.next_probe();
  const auto probe = [&](bool good) {
    ASSERT_TRUE(breaker.take_probe(now));
    breaker.on_probe(good, "bad", now);
    now = std::max(now, breaker.next_probe());
  };
  probe(true);
  probe(true);
  EXPECT_EQ(breaker.state(), B::open);
  probe(false);
  probe(true);
  probe(true);
  EXPECT_EQ(breaker.state(), B::open) << "the bad one began the count anew";
  probe(true);
  EXPECT_EQ(breaker.state(), B::closed);
}

TEST(EndpointBreaker, starts_anew_once_closed) {
  Breaker breaker = after(10, 0);
  breaker.reset();
  for (int i = 0; i < 9; ++i)
    breaker.on_result(V::transient, "bad", kStart + 20s);
  EXPECT_EQ(breaker.state(), B::closed) << "the failures before do not count again";
}

}  // namespace
}  // namespace eilbote::breaker_test
