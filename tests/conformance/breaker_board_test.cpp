// What instances tell each other of their breakers: what is told is what is read, of those that live; a reset reaches those that
// told of the route, once, and none is lost when two ask at once.
#include "ports/breaker_board.h"

#include <gmock/gmock.h>

#include "domain/breaker.h"
#include "support/outbox_fixture.h"

namespace eilbote::test::breaker_board_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class BreakerBoards : public StoreFixture {
 protected:
  BreakerBoard& board() { return breakers(); }
  // On SQLite whoever starts ends all others; here they live on.
  Epoch start(const std::string& name) {
    const Epoch epoch = must(care().start_instance(name, minutes{5}));
    sql("UPDATE instances SET lease_until = " + sql_time(now() + minutes{5}));
    return epoch;
  }
  static RouteLoad breaker(const std::string& route, BreakerState state = BreakerState::open) {
    RouteLoad load;
    load.route = route;
    load.channel = ChannelKind::webhook;
    load.state = kBreakerStateNames.text(state);
    load.is_down = state != BreakerState::closed;
    load.reason = "connection refused";
    return load;
  }
  std::vector<std::string> seen_by(Epoch own) {
    std::vector<std::string> rows;
    for (const RouteLoad& load : must(board().told_by_others(own)))
      rows.push_back(load.instance + " " + load.route + " " + std::string(load.state));
    return rows;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, BreakerBoards, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(BreakerBoards, WhatIsToldIsRead) {
  const Epoch front = start("front"), worker = start("worker");
  EXPECT_THAT(seen_by(front), IsEmpty());
  RouteLoad mail = breaker("smtp", BreakerState::closed);
  mail.channel = ChannelKind::mail;
  mail.reason.clear();
  RouteLoad host = breaker("[::1]:8080", BreakerState::probing);
  host.reason = "it said \"no\"\\ \x01 \xFF and \0 more" + std::string(1, '\0') + std::string(1'000, 'x');
  host.since = std::chrono::floor<milliseconds>(now() - minutes{7});
  must(board().tell(worker, "host:42", std::vector{mail, host}));
  const std::vector<RouteLoad> told = must(board().told_by_others(front));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].route, "smtp");
  EXPECT_EQ(told[0].channel, ChannelKind::mail);
  EXPECT_EQ(told[0].state, "closed");
  EXPECT_FALSE(told[0].is_down);
  EXPECT_EQ(told[0].reason, "");
  EXPECT_FALSE(told[0].since);
  EXPECT_EQ(told[1].instance, "host:42");
  EXPECT_EQ(told[1].route, "[::1]:8080");
  EXPECT_EQ(told[1].channel, ChannelKind::webhook);
  EXPECT_EQ(told[1].state, "probing");
  EXPECT_TRUE(told[1].is_down);
  EXPECT_TRUE(told[1].reason.starts_with("it said \"no\"\\")) << told[1].reason;
  EXPECT_LE(told[1].reason.size(), 400U) << "it is cut";
  EXPECT_EQ(told[1].since, host.since);
  EXPECT_THAT(seen_by(worker), IsEmpty()) << "its own it knows itself";
  must(board().tell(worker, "host:42", std::vector{mail}));
  EXPECT_THAT(seen_by(front), ElementsAre("host:42 smtp closed")) << "the last word holds";
}

TEST_P(BreakerBoards, OnlyThoseWhoLiveAreHeard) {
  const Epoch front = start("front"), one = start("one"), two = start("two");
  must(board().tell(one, "one", std::vector{breaker("a.example")}));
  must(board().tell(two, "two", std::vector{breaker("b.example")}));
  EXPECT_THAT(seen_by(front), ElementsAre("one a.example open", "two b.example open")) << "by age";
  must(care().end_instance(one));
  EXPECT_THAT(seen_by(front), ElementsAre("two b.example open"));
  EXPECT_EQ(must(board().ask_reset(front, "a.example")), 0);
  travel(minutes{10});
  EXPECT_THAT(seen_by(front), IsEmpty()) << "their leases are over";
  EXPECT_EQ(must(board().ask_reset(front, "b.example")), 0);
}

TEST_P(BreakerBoards, FiftyAreTold) {
  const Epoch front = start("front"), worker = start("worker");
  std::vector<RouteLoad> many;
  for (int i = 0; i < 80; ++i)
    many.push_back(breaker(std::to_string(i) + ".example"));
  must(board().tell(worker, "worker", many));
  const std::vector<std::string> seen = seen_by(front);
  ASSERT_EQ(seen.size(), kBreakersToldMax);
  EXPECT_EQ(seen.front(), "worker 0.example open") << "the first ones";
}

TEST_P(BreakerBoards, AResetReachesThoseWhoToldOfTheRoute) {
  const Epoch front = start("front"), one = start("one"), two = start("two"), three = start("three");
  must(board().tell(one, "one", std::vector{breaker("a.example"), breaker("b.example")}));
  must(board().tell(two, "two", std::vector{breaker("a.example")}));
  must(board().tell(three, "three", std::vector{breaker("a.example.org")}));
  EXPECT_EQ(must(board().ask_reset(front, "a.example")), 2);
  EXPECT_EQ(must(board().ask_reset(front, "a.example")), 2) << "twice is once";
  EXPECT_EQ(must(board().ask_reset(front, "b.example")), 1);
  EXPECT_EQ(must(board().ask_reset(front, "'; \"$")), 0);
  EXPECT_EQ(must(board().ask_reset(one, "b.example")), 0) << "not its own";
  EXPECT_THAT(must(board().take_resets(one)), UnorderedElementsAre("a.example", "b.example"));
  EXPECT_THAT(must(board().take_resets(one)), IsEmpty()) << "each is done once";
  EXPECT_THAT(must(board().take_resets(two)), ElementsAre("a.example"));
  EXPECT_THAT(must(board().take_resets(three)), IsEmpty());
  EXPECT_THAT(must(board().take_resets(front)), IsEmpty());
  EXPECT_EQ(must(board().ask_reset(front, "a.example")), 2) << "and can be asked for again";
}

TEST_P(BreakerBoards, WhatIsAskedMeanwhileIsNotLost) {
  const Epoch front = start("front"), worker = start("worker");
  must(board().tell(worker, "worker", std::vector{breaker("a.example"), breaker("b.example")}));
  must(board().ask_reset(front, "a.example"));
  const std::string read =
      value("SELECT resets FROM instances WHERE epoch = " + std::to_string(worker.value()));
  must(board().ask_reset(front, "b.example"));
  // As the one that read before would clear it: only what it has read.
  EXPECT_EQ(sql("UPDATE instances SET resets = '[]' WHERE epoch = " + std::to_string(worker.value()) +
                " AND resets = '" + read + "'"),
            0);
  EXPECT_THAT(must(board().take_resets(worker)), UnorderedElementsAre("a.example", "b.example"));
}

TEST_P(BreakerBoards, ANewLifeBeginsWithNothing) {
  const Epoch front = start("front"), worker = start("worker");
  must(board().tell(worker, "worker", std::vector{breaker("a.example")}));
  must(board().ask_reset(front, "a.example"));
  const Epoch anew = start("worker");
  EXPECT_THAT(must(board().take_resets(anew)), IsEmpty());
}

}  // namespace
}  // namespace eilbote::test::breaker_board_test
