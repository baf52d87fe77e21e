// The lane book: who is asked for work, how much, and when again.
#include "engine/lane_book.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace eilbote::engine_lane_book_test {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow{std::chrono::sys_days{std::chrono::year{2026} / 5 / 1}};
const Clock::Steady kStart{1000s};

ActiveLane lane(int id, const std::string& client, Duration due_in = -1s, const std::string& pool = "mail") {
  return {LaneId{id}, ChannelKind::mail, ClientName{client}, pool, "", kNow + due_in};
}

LaneBook::Room room_of(int n) {
  return {[n](const std::string&) { return n; },
          [](ChannelKind, const std::string&) {
            return RouteRoom{1'000, 0};
          },
          [](const std::string&) { return false; }};
}

std::map<int, int> asked(const std::vector<ClaimLane>& plan) {
  std::map<int, int> by_lane;
  for (const ClaimLane& ask : plan)
    by_lane[ask.lane.value()] = ask.n;
  return by_lane;
}

ClaimedJob claimed(int lane, TimePoint due) {
  ClaimedJob job;
  job.lane = LaneId{lane};
  job.job.next_attempt_at = due;
  return job;
}

TEST(LaneBook, SplitsRoomEvenlyBetweenClientsThenLanes) {
  LaneBook book;
  book.learn({{lane(1, "flood"), lane(2, "flood"), lane(3, "quiet")}, kNow}, kStart);
  const auto plan = asked(book.plan(room_of(8), kStart));
  EXPECT_EQ(plan.at(1) + plan.at(2), 4);
  EXPECT_EQ(plan.at(3), 4);
}

TEST(LaneBook, NeverAsksForMoreThanThereIsRoom) {
  LaneBook book;
  ActiveLanes active{{}, kNow};
  for (int i = 0; i < 50; ++i)
    active.lanes.push_back(lane(i, "client" + std::to_string(i % 7)));
  book.learn(active, kStart);
  for (int room : {0, 1, 2, 3, 7, 10, 49, 50, 51, 1000}) {
    int sum = 0;
    for (const ClaimLane& ask : book.plan(room_of(room), kStart)) {
      EXPECT_GT(ask.n, 0);
      sum += ask.n;
    }
    EXPECT_LE(sum, room);
  }
}

TEST(LaneBook, WithOneSlotEveryClientGetsItsTurn) {
  LaneBook book;
  book.learn({{lane(1, "a"), lane(2, "b"), lane(3, "c")}, kNow}, kStart);
  std::set<int> served;
  for (int i = 0; i < 3; ++i)
    for (const auto& [id, n] : asked(book.plan(room_of(1), kStart)))
      served.insert(id);
  EXPECT_EQ(served, (std::set<int>{1, 2, 3}));
}

TEST(LaneBook, ALaneThatGaveLessThanAskedRestsUntilWoken) {
  LaneBook book;
  book.learn({{lane(1, "a")}, kNow}, kStart);
  const auto plan = book.plan(room_of(10), kStart);
  book.claimed(plan, {});
  EXPECT_TRUE(book.plan(room_of(10), kStart).empty());
  EXPECT_FALSE(book.wake(LaneId{1}));
  EXPECT_EQ(asked(book.plan(room_of(10), kStart)).at(1), 10);
}

TEST(LaneBook, ALaneThatGaveAllIsAskedAgain) {
  LaneBook book;
  book.learn({{lane(1, "a")}, kNow}, kStart);
  const auto plan = book.plan(room_of(2), kStart);
  const std::vector got{claimed(1, kNow - 2s), claimed(1, kNow - 1s)};
  book.claimed(plan, got);
  const auto next = book.plan(room_of(2), kStart + 1ms);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].low_water, kNow - 1s - 150ms) << "the scan starts a little before the last row claimed";
}

TEST(LaneBook, LooksFromTheBeginningEveryFiveSeconds) {
  LaneBook book;
  book.learn({{lane(1, "a")}, kNow}, kStart);
  const auto plan = book.plan(room_of(1), kStart);
  EXPECT_FALSE(plan[0].low_water.has_value());
  book.claimed(plan, std::vector{claimed(1, kNow)});
  EXPECT_TRUE(book.plan(room_of(1), kStart + 4s)[0].low_water.has_value());
  EXPECT_FALSE(book.plan(room_of(1), kStart + 5s)[0].low_water.has_value());
}

TEST(LaneBook, FutureWorkRipensByItself) {
  LaneBook book;
  book.learn({{lane(1, "a", 3s)}, kNow}, kStart);
  EXPECT_TRUE(book.plan(room_of(1), kStart + 2s).empty());
  EXPECT_EQ(book.next_due(kStart + 2s), kStart + 3s);
  EXPECT_EQ(book.plan(room_of(1), kStart + 3s).size(), 1u);
}

TEST(LaneBook, ASettledRetryRipensItsLane) {
  LaneBook book;
  book.learn({{lane(1, "a")}, kNow}, kStart);
  book.claimed(book.plan(room_of(5), kStart), {});
  book.note_due(LaneId{1}, kStart + 200ms);
  EXPECT_TRUE(book.plan(room_of(5), kStart + 199ms).empty());
  EXPECT_FALSE(book.plan(room_of(5), kStart + 200ms).empty());
}

TEST(LaneBook, ClosedRoutesAreNotAsked) {
  LaneBook book;
  book.learn({{lane(1, "a")}, kNow}, kStart);
  LaneBook::Room room = room_of(5);
  room.of_route = [](ChannelKind, const std::string&) { return RouteRoom{}; };
  EXPECT_TRUE(book.plan(room, kStart).empty());
}

TEST(LaneBook, WhatARouteCannotTakeGoesToTheOthers) {
  LaneBook book;
  ActiveLane slow = lane(1, "a"), fast = lane(2, "a"), same = lane(3, "b");
  slow.channel = fast.channel = same.channel = ChannelKind::webhook;
  slow.route = same.route = "slow.example";
  fast.route = "fast.example";
  book.learn({{slow, fast, same}, kNow}, kStart);
  LaneBook::Room room = room_of(100);
  room.of_route = [](ChannelKind, const std::string& route) {
    return RouteRoom{route == "slow.example" ? 10 : 1000, 0};
  };
  const auto plan = asked(book.plan(room, kStart));
  int on_slow = 0;
  for (const int id : {1, 3})
    if (plan.contains(id)) on_slow += plan.at(id);
  EXPECT_EQ(on_slow, 10) << "two clients share the host's room";
  EXPECT_GE(plan.at(2), 40);
}

TEST(LaneBook, AnUnknownLaneIsReportedSoThatItIsLearnt) {
  LaneBook book;
  EXPECT_TRUE(book.wake(LaneId{9}));
}

TEST(LaneBook, AFullPoolDoesNotSlowAnother) {
  LaneBook book;
  book.learn({{lane(1, "a", -1s, "full"), lane(2, "a", -1s, "free")}, kNow}, kStart);
  LaneBook::Room room = room_of(0);
  room.of_pool = [](const std::string& pool) { return pool == "free" ? 4 : 0; };
  const auto plan = asked(book.plan(room, kStart));
  EXPECT_EQ(plan, (std::map<int, int>{{2, 4}}));
}

TEST(LaneBook, APoolWhoseJobsBeginAtOnceIsNotClaimedAheadNorStarved) {
  struct Case {
    RouteRoom route;
    int room_of_rated;
    int rated, other;  // asked for
  };
  for (const Case& one : {
           Case{{5, 20}, 100, 5, 0},
           Case{{5, 20}, 3, 3, 2},
           Case{{-15, 20}, 100, 0, 0},  // what was claimed ahead begins first; then there is room
           Case{{5, 20}, 0, 0, 25},
           Case{{-15, 20}, 0, 0, 5},
           Case{{-20, 20}, 0, 0, 0},
       }) {
    LaneBook book;
    book.learn({{lane(1, "c", -1s, "rated"), lane(2, "c", -1s, "other")}, kNow}, kStart);
    LaneBook::Room room = room_of(100);
    room.of_pool = [&](const std::string& pool) { return pool == "rated" ? one.room_of_rated : 100; };
    room.of_route = [&](ChannelKind, const std::string&) { return one.route; };
    room.begins_at_once = [](const std::string& pool) { return pool == "rated"; };
    auto plan = asked(book.plan(room, kStart));
    EXPECT_EQ(plan[1], one.rated) << one.route.free << ", " << one.room_of_rated;
    EXPECT_EQ(plan[2], one.other) << one.route.free << ", " << one.room_of_rated;
  }
}

TEST(LaneBook, LanesThatTravelByABrokerAreNotAsked) {
  LaneBook book;
  const auto travels = [](const ActiveLane& lane) { return lane.pool == "mail"; };
  book.learn({{lane(1, "a"), lane(2, "a", -1s, "limited")}, kNow}, kStart);
  const auto here = book.plan(room_of(4), kStart, [&](const ActiveLane& lane) { return !travels(lane); });
  EXPECT_EQ(asked(here), (std::map<int, int>{{2, 4}}));
  EXPECT_FALSE(book.wake(LaneId{1})) << "it is known all the same: no look-around for each job in it";
  EXPECT_EQ(asked(book.plan(room_of(4), kStart)).count(1), 1U) << "an order may ask for it";
}

TEST(LaneBook, LanesThatRestAreForgottenOnceTheyHaveNothing) {
  LaneBook book;
  const auto all = [](const ActiveLane&) { return true; };
  book.learn({{lane(1, "a"), lane(2, "a")}, kNow}, kStart);
  book.rest(all);
  EXPECT_TRUE(book.plan(room_of(4), kStart).empty());
  book.learn({{lane(2, "a")}, kNow}, kStart);
  EXPECT_EQ(asked(book.plan(room_of(4), kStart)), (std::map<int, int>{{2, 4}}));
  EXPECT_TRUE(book.wake(LaneId{1})) << "nobody knows it any more";
}

}  // namespace
}  // namespace eilbote::engine_lane_book_test
