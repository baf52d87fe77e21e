// The breakers of endpoint hosts: when they open, how they are probed with real jobs, and when they close.
#include <gtest/gtest.h>

#include "engine/route_watch.h"
#include "metrics/metrics.h"

namespace eilbote::engine_route_watch_test {
namespace {

using namespace std::chrono_literals;
using Change = RouteWatch::Change;

class RouteWatchTest : public testing::Test {
 protected:
  Job job(const std::string& host = "a.example") const {
    Job job;
    job.channel = ChannelKind::webhook;
    job.route = host;
    return job;
  }
  // A moment later, when nothing has ended lately: a host that answers fast has more.
  int room(const std::string& host = "a.example") {
    const RouteRoom room = watch_.room(ChannelKind::webhook, host, now_ + 200ms);
    EXPECT_EQ(room.ahead, 0);
    return room.free;
  }
  // Starts one and ends it; answers what changed.
  Change attempt(Verdict verdict, const std::string& host = "a.example") {
    const bool probe = watch_.started(job(host), now_);
    return finish(verdict, probe, host);
  }
  Change finish(Verdict verdict, bool probe, const std::string& host = "a.example") {
    Finished finished;
    finished.after = job(host);
    finished.verdict = verdict;
    finished.probe = probe;
    finished.text = "why";
    return watch_.finished(finished, now_);
  }
  void break_it() {
    for (int i = 0; i < 10; ++i)
      attempt(Verdict::transient);
  }

  Metrics metrics_;
  RouteWatch watch_{"capture", RouteRules{.mail = {}, .requests_per_host_max = 4}, metrics_};
  Clock::Steady now_{1000s};
};

TEST_F(RouteWatchTest, a_host_takes_so_many_requests_at_once) {
  EXPECT_EQ(room(), 4);
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(watch_.started(job(), now_));
  EXPECT_EQ(room(), 1);
  EXPECT_EQ(room("b.example"), 4);
  finish(Verdict::released, false);
  EXPECT_EQ(room(), 2);
}

TEST_F(RouteWatchTest, what_ended_lately_is_claimed_ahead_as_long_as_it_goes_on) {
  const auto ahead = [this] { return watch_.room(ChannelKind::webhook, "a.example", now_).ahead; };
  EXPECT_EQ(ahead(), 0);
  attempt(Verdict::delivered);
  attempt(Verdict::delivered);
  EXPECT_EQ(ahead(), 2);
  now_ += 60ms;
  EXPECT_EQ(ahead(), 2) << "the next claim is not far";
  attempt(Verdict::delivered);
  EXPECT_EQ(ahead(), 2) << "what ended in the window before counts too";
  now_ += 60ms;
  EXPECT_EQ(ahead(), 1);
  for (int i = 0; i < 9; ++i)
    attempt(Verdict::delivered);
  EXPECT_EQ(ahead(), 4) << "never more than may be open";
  now_ += 100ms;
  EXPECT_EQ(ahead(), 0);
}

TEST_F(RouteWatchTest, half_of_ten_failures_within_a_minute_open_it) {
  for (int i = 0; i < 5; ++i)
    attempt(Verdict::delivered);
  for (int i = 0; i < 4; ++i)
    attempt(Verdict::transient);
  EXPECT_EQ(room(), 4);
  attempt(Verdict::transient);
  EXPECT_EQ(room(), 0);
  EXPECT_EQ(room("b.example"), 4) << "others are not concerned";
  EXPECT_FALSE(watch_.flows(ChannelKind::webhook, "a.example"));
  EXPECT_TRUE(watch_.flows(ChannelKind::webhook, "b.example"));
  EXPECT_TRUE(watch_.flows(ChannelKind::mail, ""));
  ASSERT_EQ(watch_.views().size(), 2U);
  EXPECT_EQ(watch_.views()[1].route, "a.example");
  EXPECT_EQ(watch_.trouble(job()), "its route 'a.example' is down: why");
}

// A relay's refusal may repeat an address of whoever's mail it was.
TEST_F(RouteWatchTest, why_a_mail_waits_says_nothing_of_what_the_relay_said) {
  Finished refused;
  refused.after.channel = ChannelKind::mail;
  refused.verdict = Verdict::route_fault;
  refused.text = "421 4.3.2 closing at RCPT TO:<zqrecipient@example.org>";
  Job waiting;
  waiting.channel = ChannelKind::mail;
  for (int i = 0; i < 20 && !watch_.trouble(waiting); ++i)
    watch_.finished(refused, now_);
  EXPECT_EQ(watch_.trouble(waiting),
            "its route 'capture' is down; it goes out by itself when the route is up again");
  EXPECT_EQ(watch_.views().front().reason, refused.text) << "operators see it";
}

TEST_F(RouteWatchTest, refusals_and_deferrals_do_not_count) {
  for (int i = 0; i < 50; ++i) {
    attempt(Verdict::permanent);
    attempt(Verdict::deferred);
  }
  EXPECT_EQ(room(), 4);
}

TEST_F(RouteWatchTest, old_failures_are_forgotten) {
  for (int i = 0; i < 9; ++i)
    attempt(Verdict::transient);
  now_ += 61s;
  attempt(Verdict::transient);
  EXPECT_EQ(room(), 4);
}

TEST_F(RouteWatchTest, three_good_probes_one_at_a_time_close_it) {
  break_it();
  EXPECT_EQ(room(), 0);
  EXPECT_EQ(watch_.next_probe(now_), now_ + 30s);
  now_ += 30s;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(room(), 1);
    ASSERT_TRUE(watch_.started(job(), now_));
    EXPECT_EQ(room(), 0) << "one probe at a time";
    EXPECT_EQ(finish(Verdict::delivered, true), i == 2 ? Change::up : Change::none);
  }
  EXPECT_EQ(room(), 4);
  EXPECT_EQ(watch_.views().size(), 1U);
}

TEST_F(RouteWatchTest, a_bad_probe_or_one_that_never_went_keeps_it_open_for_another_pause) {
  for (const Verdict verdict : {Verdict::transient, Verdict::released}) {
    break_it();
    now_ += 30s;
    ASSERT_TRUE(watch_.started(job(), now_));
    EXPECT_EQ(finish(verdict, true), Change::none);
    EXPECT_EQ(room(), 0);
    now_ += 30s;
    EXPECT_EQ(room(), 1) << "it can be probed again";
    watch_.reset("a.example");
    EXPECT_EQ(room(), 4);
  }
}

TEST_F(RouteWatchTest, stragglers_of_an_outage_say_nothing_and_give_their_place_back) {
  for (int i = 0; i < 3; ++i)
    watch_.started(job(), now_);
  break_it();
  for (int i = 0; i < 3; ++i)
    finish(Verdict::transient, false);
  watch_.reset("a.example");
  EXPECT_EQ(room(), 4);
}

TEST_F(RouteWatchTest, hosts_with_nothing_to_remember_are_forgotten) {
  attempt(Verdict::delivered);
  now_ += 61s;
  watch_.tidy(now_);
  EXPECT_EQ(room(), 4);
}

}  // namespace
}  // namespace eilbote::engine_route_watch_test
