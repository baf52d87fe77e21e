// The breaker desk between a ledger and the board: who is told what, and when, and what a reset closes.
#include "engine/breaker_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/idle_ledger.h"
#include "support/lively_care.h"
#include "support/memory_breaker_board.h"

namespace eilbote::test::breaker_desk_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// A ledger of which nothing is wanted but its breakers.
class BreakerLedger final : public Ledger {
 public:
  std::vector<BreakerView> views;
  std::vector<std::string> closed;

  std::vector<BreakerView> breakers() const override { return views; }
  bool reset_breaker(const std::string& route) override {
    if (std::ranges::find(views, route, &BreakerView::route) == views.end()) return false;
    closed.push_back(route);
    return true;
  }
  void start() override {}
  void stop(Duration) override {}
  void wake(std::span<const LaneId>) override {}
  void wake_all() override {}
  void offer(std::vector<Offer>) override {}
  void dispatch(DispatchOrder, std::function<void(Result<DispatchReport>)>) override {}
  bool holds(const Lease&) const override { return false; }
  std::vector<JobId> held_webhooks() const override { return {}; }
  std::optional<std::string> held_back(const Job&) const override { return std::nullopt; }
};

// Two instances and what lies between them.
struct Party {
  Party(MemoryBreakerBoard& board, LivelyCare& care, const Clock& clock, const std::string& name)
      : instance(care, clock, name, 15s), desk(board, ledger, instance, clock, name) {
    care.peers = 1;
    if (!instance.begin() || !instance.beat()) throw std::runtime_error("no life");
  }
  void open(const std::string& route) {
    ledger.views.push_back({route, BreakerState::open, "refused", Clock::Steady{1s}, ChannelKind::webhook});
  }
  BreakerLedger ledger;
  Instance instance;
  BreakerDesk desk;
};

class BreakerDeskTest : public testing::Test {
 protected:
  std::vector<std::string> seen_by_two() {
    std::vector<std::string> seen;
    const auto others = two_.desk.others().value();
    for (const RouteLoad& route : others)
      seen.push_back(route.instance + " " + route.route);
    return seen;
  }

  FakeClock clock_;
  LivelyCare care_;
  MemoryBreakerBoard board_;
  Party one_{board_, care_, clock_, "one"}, two_{board_, care_, clock_, "two"};
};

TEST_F(BreakerDeskTest, others_see_a_breaker_after_the_next_exchange) {
  one_.open("a.example");
  EXPECT_THAT(seen_by_two(), IsEmpty());
  ASSERT_TRUE(one_.desk.exchange());
  EXPECT_THAT(seen_by_two(), ElementsAre("one a.example"));
  EXPECT_EQ(one_.desk.own().at(0).route, "a.example");
  one_.ledger.views.clear();
  ASSERT_TRUE(one_.desk.exchange());
  EXPECT_THAT(seen_by_two(), IsEmpty());
}

TEST_F(BreakerDeskTest, what_did_not_change_is_not_written_again) {
  one_.open("a.example");
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(one_.desk.exchange());
  EXPECT_EQ(board_.tells, 1);
  ASSERT_TRUE(one_.instance.begin());
  ASSERT_TRUE(one_.desk.exchange());
  EXPECT_EQ(board_.tells, 2) << "its new life is not known to anybody";
}

TEST_F(BreakerDeskTest, what_could_not_be_told_is_told_the_next_time) {
  one_.open("a.example");
  board_.away = true;
  EXPECT_FALSE(one_.desk.exchange());
  board_.away = false;
  ASSERT_TRUE(one_.desk.exchange());
  EXPECT_THAT(seen_by_two(), ElementsAre("one a.example"));
}

TEST_F(BreakerDeskTest, a_reset_reaches_the_others_with_their_next_exchange) {
  one_.open("a.example");
  ASSERT_TRUE(one_.desk.exchange());
  const auto done = two_.desk.reset("a.example");
  EXPECT_FALSE(done.here);
  EXPECT_EQ(done.asked, 1);
  EXPECT_THAT(one_.ledger.closed, IsEmpty());
  ASSERT_TRUE(one_.desk.exchange());
  EXPECT_THAT(one_.ledger.closed, ElementsAre("a.example"));
  ASSERT_TRUE(one_.desk.exchange());
  EXPECT_EQ(one_.ledger.closed.size(), 1U) << "asked for once, done once";
}

TEST_F(BreakerDeskTest, a_reset_of_what_has_closed_by_itself_does_nothing) {
  one_.open("a.example");
  ASSERT_TRUE(one_.desk.exchange());
  ASSERT_EQ(two_.desk.reset("a.example").asked, 1);
  one_.ledger.views.clear();
  ASSERT_TRUE(one_.desk.exchange());
  EXPECT_THAT(one_.ledger.closed, IsEmpty());
}

TEST_F(BreakerDeskTest, a_reset_here_works_while_the_database_is_away) {
  one_.open("a.example");
  board_.away = true;
  const auto done = one_.desk.reset("a.example");
  EXPECT_TRUE(done.here);
  EXPECT_EQ(done.not_asked->kind, ErrorKind::unavailable) << "others may have it, too";
  care_.peers = 0;
  ASSERT_TRUE(one_.instance.beat());
  EXPECT_FALSE(one_.desk.reset("a.example").not_asked) << "there are no others";
}

}  // namespace
}  // namespace eilbote::test::breaker_desk_test
