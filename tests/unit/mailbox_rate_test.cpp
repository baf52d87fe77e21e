// A mailbox's limit per minute: never more in any 60 seconds, turns in order, other mailboxes untouched.
#include "channel/mailbox_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "support/test_seed.h"

namespace eilbote::test::mailbox_rate_test {
namespace {

using namespace std::chrono_literals;
using Steady = MailboxRate::Steady;

const Steady kStart{std::chrono::hours{1000}};

JobId mail(int n) {
  return JobId{n};
}

// Sends at once, with the answer `took` later.
void send(MailboxRate& rate, const std::string& mailbox, int n, Steady at, Duration took = 100ms) {
  ASSERT_EQ(rate.begin_send(mailbox, at), std::nullopt);
  rate.end_send(mailbox, mail(n), true, at + took);
}

TEST(MailboxRate, lets_the_first_mails_go_at_once) {
  MailboxRate rate(3);
  for (int n = 1; n <= 3; ++n) {
    EXPECT_EQ(rate.turn_of("a", mail(n), kStart), kStart);
    send(rate, "a", n, kStart);
  }
  EXPECT_GT(rate.turn_of("a", mail(4), kStart + 1s), kStart + 60s);
  EXPECT_TRUE(rate.is_consistent());
}

TEST(MailboxRate, gives_turns_in_order_and_apart) {
  MailboxRate rate(30);
  std::vector<Steady> turns;
  for (int n = 1; n <= 300; ++n)
    turns.push_back(rate.turn_of("a", mail(n), kStart));
  for (std::size_t i = 30; i < turns.size(); ++i) {
    EXPECT_GE(turns[i] - turns[i - 30], 60s) << i;
    EXPECT_GE(turns[i] - turns[i - 1], 500ms) << i;
  }
  EXPECT_LE(turns.back() - kStart, 11min) << "and still about as many as may go";
}

TEST(MailboxRate, gives_a_mail_its_turn_again_until_it_left) {
  MailboxRate rate(1);
  EXPECT_EQ(rate.turn_of("a", mail(1), kStart), kStart);
  const Steady second = rate.turn_of("a", mail(2), kStart);
  const Steady third = rate.turn_of("a", mail(3), kStart);
  EXPECT_GT(third, second);
  EXPECT_EQ(rate.turn_of("a", mail(2), kStart + 10s), second);
  rate.leave("a", mail(3));
  EXPECT_EQ(rate.turn_of("a", mail(4), kStart + 10s), third) << "the place of one that left is free";
  EXPECT_TRUE(rate.is_consistent());
}

TEST(MailboxRate, forgets_turns_that_nobody_came_for) {
  MailboxRate rate(1);
  rate.turn_of("a", mail(1), kStart);
  rate.turn_of("a", mail(2), kStart);
  const Steady later = kStart + 10min;
  EXPECT_EQ(rate.turn_of("a", mail(3), later), later);
}

TEST(MailboxRate, does_not_slow_another_mailbox) {
  MailboxRate rate(1);
  send(rate, "a", 1, kStart);
  EXPECT_TRUE(rate.begin_send("a", kStart + 1s));
  EXPECT_EQ(rate.turn_of("b", mail(2), kStart + 1s), kStart + 1s);
  EXPECT_EQ(rate.begin_send("b", kStart + 1s), std::nullopt);
}

TEST(MailboxRate, counts_a_send_until_a_minute_after_its_answer) {
  MailboxRate rate(1);
  send(rate, "a", 1, kStart, 10s);
  const auto again = rate.begin_send("a", kStart + 65s);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, kStart + 10s + MailboxRate::kWindow);
  EXPECT_EQ(rate.begin_send("a", *again), std::nullopt);
}

TEST(MailboxRate, counts_what_has_no_answer_yet_and_not_what_was_not_sent) {
  MailboxRate rate(1);
  ASSERT_EQ(rate.begin_send("a", kStart), std::nullopt);
  EXPECT_TRUE(rate.begin_send("a", kStart + 90s)) << "it may arrive any moment";
  rate.end_send("a", mail(1), false, kStart + 90s);
  EXPECT_EQ(rate.begin_send("a", kStart + 90s), std::nullopt);
}

TEST(MailboxRate, pauses_a_mailbox_for_all_and_lets_them_come_back_apart) {
  MailboxRate rate(30);
  EXPECT_EQ(rate.turn_of("a", mail(1), kStart), kStart);
  rate.pause("a", {kStart + 20s, "X", "words"});
  rate.pause("a", {kStart + 10s, "Y", "a shorter one changes nothing"});
  ASSERT_NE(rate.paused("a", kStart), nullptr);
  EXPECT_EQ(rate.paused("a", kStart)->code, "X");
  EXPECT_EQ(rate.paused("b", kStart), nullptr);
  EXPECT_EQ(rate.begin_send("a", kStart), kStart + 20s);
  const Steady first = rate.turn_of("a", mail(1), kStart + 1s),
               second = rate.turn_of("a", mail(2), kStart + 1s);
  EXPECT_GE(first, kStart + 20s);
  EXPECT_GT(second, first);
  EXPECT_EQ(rate.paused("a", kStart + 20s), nullptr);
  EXPECT_EQ(rate.begin_send("a", kStart + 20s), std::nullopt);
}

// Mails come when they like, answers take as long as they like, some are not sent: whatever the other side counts, by the time
// a request may have arrived, stays within the limit.
TEST(MailboxRate, never_sends_more_than_allowed_in_any_minute) {
  constexpr int kPerMinute = 7;
  const auto seed = test_seed();
  std::mt19937_64 random(seed);
  const auto millis = [&](int max) {
    return std::chrono::milliseconds{std::uniform_int_distribution<int>{0, max}(random)};
  };
  MailboxRate rate(kPerMinute);
  std::multimap<Steady, std::pair<int, bool>>
      open;  // by the time of their answer: the mail, and whether it was sent
  std::vector<Steady> arrivals;
  Steady now = kStart;
  const auto answer_until = [&](Steady until) {
    for (; !open.empty() && open.begin()->first <= until; open.erase(open.begin()))
      rate.end_send("a", mail(open.begin()->second.first), open.begin()->second.second, open.begin()->first);
  };
  for (int n = 1; n <= 3000; ++n) {
    now += millis(4000);
    answer_until(now);
    rate.turn_of("a", mail(n), now);
    if (rate.begin_send("a", now)) {
      rate.leave("a", mail(n));
      continue;
    }
    const bool was_sent = random() % 10 != 0;
    const Duration took = millis(15'000);
    if (was_sent) arrivals.push_back(now + Duration{took.count() * static_cast<long>(random() % 100) / 100});
    open.emplace(now + took, std::pair{n, was_sent});
  }
  std::sort(arrivals.begin(), arrivals.end());
  ASSERT_GT(arrivals.size(), 300U);
  for (std::size_t i = kPerMinute; i < arrivals.size(); ++i)
    ASSERT_GE(arrivals[i] - arrivals[i - kPerMinute], 60s) << "seed " << seed;
  EXPECT_TRUE(rate.is_consistent());
}

}  // namespace
}  // namespace eilbote::test::mailbox_rate_test
