// What flows through: seconds of one instance and of several, and what is written to the totals of all.
#include "engine/flow_book.h"

#include <gtest/gtest.h>

#include "metrics/metrics.h"
#include "support/memory_overview_book.h"

namespace eilbote::test::flow_book_test {
namespace {

using namespace std::chrono_literals;

// An instance: its counts and its book.
struct Party {
  explicit Party(OverviewBook& shared, const Clock& clock) : book(shared, metrics, clock) {}
  void accept(int n) { metrics.add(Metric::messages_accepted, n); }
  void deliver(int n) { metrics.add(Metric::webhooks_delivered, n); }
  Metrics metrics;
  FlowBook book;
};

class FlowBooks : public testing::Test {
 protected:
  FakeClock clock_;
  MemoryOverviewBook shared_{clock_};
  Party one_{shared_, clock_}, other_{shared_, clock_};
};

TEST_F(FlowBooks, count_mails_and_webhooks_together) {
  one_.metrics.add(Metric::messages_accepted, 3);
  one_.metrics.add(Metric::webhooks_accepted, 4);
  one_.metrics.add(Metric::messages_sent, 2);
  one_.metrics.add(Metric::webhooks_delivered, 1);
  one_.metrics.add(Metric::dead, 1, {"Expired"});
  one_.metrics.add(Metric::dead, 1, {"Abandoned"});
  one_.metrics.add(Metric::requeued, 5, {"retry"});
  one_.metrics.add(Metric::requeued, 9, {"operator"});
  EXPECT_EQ(one_.book.unwritten(), (FlowCounts{7, 3, 2, 5}));
}

TEST_F(FlowBooks, seconds_are_rates_and_the_oldest_go) {
  one_.accept(10);
  clock_.advance(1s);
  one_.book.sample();
  one_.accept(30);
  clock_.advance(2s);
  one_.book.sample();
  const auto seconds = one_.book.seconds();
  ASSERT_EQ(seconds.size(), 2U);
  EXPECT_DOUBLE_EQ(seconds[0].rates.accepted, 10);
  EXPECT_DOUBLE_EQ(seconds[1].rates.accepted, 15);
  EXPECT_EQ(seconds[1].at, clock_.now());
  EXPECT_DOUBLE_EQ(one_.book.rates().accepted, 12.5);
  for (int i = 0; i < 400; ++i) {
    clock_.advance(1s);
    one_.book.sample();
  }
  EXPECT_EQ(one_.book.seconds().size(), 300U);
  EXPECT_EQ(one_.book.rates(), FlowRates{});
}

TEST_F(FlowBooks, only_what_is_new_is_written) {
  one_.accept(5);
  ASSERT_TRUE(one_.book.write(true));
  EXPECT_TRUE(one_.book.unwritten().is_zero());
  ASSERT_TRUE(one_.book.write(true));
  EXPECT_EQ(shared_.adds, 1) << "there was nothing to write";
  one_.accept(2);
  ASSERT_TRUE(one_.book.write(true));
  EXPECT_EQ(shared_.sum().accepted, 7);
}

TEST_F(FlowBooks, what_could_not_be_written_is_written_later_and_what_may_be_is_not_written_twice) {
  one_.accept(5);
  shared_.add_fault = ErrorKind::unavailable;
  EXPECT_FALSE(one_.book.write(true));
  EXPECT_EQ(one_.book.unwritten().accepted, 5);
  shared_.add_fault = ErrorKind::ambiguous;
  EXPECT_TRUE(one_.book.write(true));
  EXPECT_TRUE(one_.book.unwritten().is_zero());
}

TEST_F(FlowBooks, what_others_do_is_in_the_seconds) {
  // Ten a second by the other one, written every three seconds; over the edge of minutes, too.
  for (int second = 1; second <= 150; ++second) {
    other_.deliver(10);
    one_.accept(1);
    clock_.advance(1s);
    if (second % 3 == 0) {
      ASSERT_TRUE(other_.book.write(false));
    }
    if (second % 3 == 1) {
      ASSERT_TRUE(one_.book.write(false));
    }
    one_.book.sample();
    if (second < 20) continue;
    EXPECT_NEAR(one_.book.rates().delivered, 10, 0.01) << second;
    EXPECT_NEAR(one_.book.rates().accepted, 1, 0.01) << second;
  }
  EXPECT_EQ(shared_.sum() + one_.book.unwritten() + other_.book.unwritten(), (FlowCounts{150, 1500, 0, 0}));
  ASSERT_TRUE(one_.book.write(true)) << "it is alone now";
  for (int second = 0; second < 5; ++second) {
    clock_.advance(1s);
    one_.book.sample();
  }
  EXPECT_EQ(one_.book.rates().delivered, 0);
}

}  // namespace
}  // namespace eilbote::test::flow_book_test
