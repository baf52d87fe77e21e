// What the publisher asks for next, and which lanes and queues it leaves alone for how long.
#include "engine/publish_plan.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/publish_batch.h"
#include "support/scripted_transport.h"

namespace eilbote::test::publish_plan_test {
namespace {

using namespace std::chrono_literals;
const TimePoint kNow{std::chrono::sys_days{std::chrono::year{2026} / 5 / 1}};
const Clock::Steady kStart{1000s};
constexpr int kAnyNumber = 1'000'000;

TEST(LanePauses, a_lane_waits_is_tried_with_a_few_and_trusted_again) {
  LanePauses pauses;
  const LaneId lane{1};
  EXPECT_GT(pauses.room(lane, kStart), kAnyNumber);
  pauses.learn(std::vector{PausedLane{lane, 5s}}, kStart);
  EXPECT_FALSE(pauses.empty());
  EXPECT_GT(pauses.room(LaneId{2}, kStart), kAnyNumber);
  EXPECT_EQ(pauses.room(lane, kStart + 4999ms), 0);
  EXPECT_EQ(pauses.next_change(kStart), kStart + 5s);
  EXPECT_EQ(pauses.room(lane, kStart + 5s), 4);
  pauses.asked(lane, kStart + 5s);
  EXPECT_EQ(pauses.room(lane, kStart + 5500ms), 0);
  EXPECT_EQ(pauses.next_change(kStart + 5500ms), kStart + 6s);
  EXPECT_EQ(pauses.room(lane, kStart + 6s), 4);
  EXPECT_EQ(pauses.room(lane, kStart + 14999ms), 4);
  EXPECT_GT(pauses.room(lane, kStart + 15s), kAnyNumber);
  pauses.learn({}, kStart + 15s);
  EXPECT_TRUE(pauses.empty());
  EXPECT_EQ(pauses.next_change(kStart + 15s), std::nullopt);
}

TEST(LanePauses, a_lane_that_was_only_full_goes_on_at_once) {
  LanePauses pauses;
  const LaneId lane{1};
  pauses.learn(std::vector{PausedLane{lane, kFullPause}}, kStart);
  EXPECT_EQ(pauses.room(lane, kStart + 999ms), 0);
  EXPECT_GT(pauses.room(lane, kStart + 1s), kAnyNumber);
  pauses.learn({}, kStart + 1s);
  EXPECT_TRUE(pauses.empty());
}

TEST(LanePauses, a_new_pause_begins_the_trial_anew) {
  LanePauses pauses;
  const LaneId lane{1};
  pauses.learn(std::vector{PausedLane{lane, 5s}}, kStart);
  pauses.learn(std::vector{PausedLane{lane, 5s}}, kStart + 8s);
  EXPECT_EQ(pauses.room(lane, kStart + 12s), 0);
  EXPECT_EQ(pauses.room(lane, kStart + 22s), 4);
  EXPECT_GT(pauses.room(lane, kStart + 23s), kAnyNumber);
}

struct PublishPlanTest : testing::Test {
  ScriptedTransport transport;
  PublisherOptions options;
  PublishPlan plan{transport, options};
  std::vector<Pool> pools;
  ActiveLanes active{{}, kNow};

  void pool(const std::string& code, bool limited = false, PoolStatus status = PoolStatus::ACTIVE) {
    pools.emplace_back();
    pools.back().code = code;
    pools.back().limited = limited;
    pools.back().status = status;
    plan.learn_pools(pools);
  }
  void lane(int id, ChannelKind channel, const std::string& of_pool, const std::string& route = "",
            Duration due_in = -1s) {
    active.lanes.push_back({LaneId{id}, channel, ClientName{"shop"}, of_pool, route, kNow + due_in});
    plan.lanes().learn(active, kStart);
  }
  std::map<int, int> asked(Clock::Steady now = kStart) {
    std::map<int, int> by_lane;
    for (const ClaimLane& ask : plan.plan(now))
      by_lane[ask.lane.value()] = ask.n;
    return by_lane;
  }
  static int sum(const std::map<int, int>& asks) {
    return std::accumulate(asks.begin(), asks.end(), 0,
                           [](int all, const auto& ask) { return all + ask.second; });
  }
};

TEST_F(PublishPlanTest, one_lane_gets_a_whole_batch) {
  pool("a");
  lane(1, ChannelKind::mail, "a");
  EXPECT_EQ(asked(), (std::map<int, int>{{1, kPublishBatchMax}}));
}

TEST_F(PublishPlanTest, pools_share_a_batch) {
  for (int id = 1; id <= 5; ++id) {
    pool("p" + std::to_string(id));
    lane(id, ChannelKind::webhook, "p" + std::to_string(id), "host" + std::to_string(id));
  }
  const auto asks = asked();
  ASSERT_EQ(asks.size(), 5u);
  for (const auto& [id, n] : asks)
    EXPECT_EQ(n, kPublishBatchMax / 5) << id;
}

TEST_F(PublishPlanTest, more_pools_than_fit_get_one_each_and_no_more_than_a_batch) {
  for (int id = 1; id <= kPublishBatchMax + 100; ++id) {
    pools.emplace_back();
    pools.back().code = "p" + std::to_string(id);
    active.lanes.push_back({LaneId{id}, ChannelKind::webhook, ClientName{"shop"}, pools.back().code,
                            "host" + std::to_string(id), kNow - 1s});
  }
  plan.learn_pools(pools);
  plan.lanes().learn(active, kStart);
  EXPECT_EQ(sum(asked()), kPublishBatchMax);
}

TEST_F(PublishPlanTest, a_pool_that_does_not_travel_takes_no_share) {
  pool("a");
  pool("slow", true);
  pool("off", false, PoolStatus::SUSPENDED);
  lane(1, ChannelKind::mail, "a");
  lane(2, ChannelKind::mail, "slow");
  lane(3, ChannelKind::mail, "off");
  lane(4, ChannelKind::mail, "unheard-of");
  EXPECT_EQ(asked(), (std::map<int, int>{{1, kPublishBatchMax}}));
}

TEST_F(PublishPlanTest, the_depth_of_a_queue_is_shared_by_all_its_routes) {
  options.depth_max = 100;
  pool("a");
  lane(1, ChannelKind::webhook, "a", "one.example.org");
  lane(2, ChannelKind::webhook, "a", "two.example.org");
  lane(3, ChannelKind::mail, "a");
  transport.set_waiting(CarrierQueue::webhook_send, 93);
  const auto asks = asked();
  EXPECT_EQ(sum(asks) - asks.at(3), 7);
  EXPECT_FALSE(plan.is_held_by_depth(kStart));
  transport.set_waiting(CarrierQueue::webhook_send, 250);
  EXPECT_TRUE(plan.is_held_by_depth(kStart));
  EXPECT_EQ(asked().count(1) + asked().count(2), 0u);
}

TEST_F(PublishPlanTest, a_little_room_comes_to_everybody_in_turn) {
  options.depth_max = 3;
  for (int id = 1; id <= 10; ++id) {
    pool("p" + std::to_string(id));
    // The first has many lanes, and gets no more for it.
    for (int more = 0; more < (id == 1 ? 50 : 1); ++more)
      lane(100 * id + more, ChannelKind::webhook, "p" + std::to_string(id), "host" + std::to_string(more));
  }
  transport.set_waiting(CarrierQueue::webhook_send, 0);
  std::map<int, int> by_pool;
  for (int round = 0; round < 1'000; ++round) {
    const auto asks = asked();
    EXPECT_EQ(sum(asks), 3);
    for (const auto& [id, n] : asks)
      by_pool[id / 100] += n;
  }
  ASSERT_EQ(by_pool.size(), 10u);
  for (const auto& [id, n] : by_pool)
    EXPECT_NEAR(n, 300, 100) << id;
}

TEST_F(PublishPlanTest, a_little_room_comes_to_the_clients_of_a_pool_in_turn) {
  options.depth_max = 3;
  pool("a");
  pool("b");
  for (const auto& [id, client] : {std::pair{1, "few"}, {2, "flood"}, {3, "flood"}, {4, "flood"}})
    active.lanes.push_back(
        {LaneId{id}, ChannelKind::webhook, ClientName{client}, "a", "host" + std::to_string(id), kNow - 1s});
  lane(5, ChannelKind::webhook, "b", "host5");
  transport.set_waiting(CarrierQueue::webhook_send, 0);
  std::map<int, int> by_lane;
  for (int round = 0; round < 1'000; ++round)
    for (const auto& [id, n] : asked())
      by_lane[id] += n;
  EXPECT_NEAR(by_lane[1], by_lane[2] + by_lane[3] + by_lane[4], 150);
  EXPECT_NEAR(by_lane[1] * 2, by_lane[5], 250);
}

TEST_F(PublishPlanTest, both_channels_have_a_part_of_a_batch) {
  pool("a");
  lane(1, ChannelKind::mail, "a");
  lane(2, ChannelKind::webhook, "a", "one.example.org");
  EXPECT_EQ(asked(), (std::map<int, int>{{1, kPublishBatchMax / 2}, {2, kPublishBatchMax / 2}}));
}

TEST_F(PublishPlanTest, what_became_due_just_now_is_asked_for) {
  pool("a");
  lane(1, ChannelKind::mail, "a", "", 10s);
  EXPECT_TRUE(asked(kStart + 9s).empty());
  EXPECT_EQ(asked(kStart + 10s).count(1), 1u);
}

TEST_F(PublishPlanTest, the_depth_of_the_queue_of_retries_counts_where_it_is_used) {
  options.depth_max = 100;
  pool("a");
  lane(1, ChannelKind::mail, "a");
  transport.set_waiting(CarrierQueue::mail_retry, 100);
  EXPECT_EQ(asked().count(1), 1u);
  options.retries_apart = true;
  EXPECT_EQ(asked().count(1), 0u);
}

TEST_F(PublishPlanTest, depth_holds_nothing_back_where_nothing_waits) {
  options.depth_max = 100;
  pool("a");
  pool("slow", true);
  lane(1, ChannelKind::mail, "slow");
  lane(2, ChannelKind::mail, "a", "", 10s);
  transport.set_waiting(CarrierQueue::mail_send, 100);
  EXPECT_FALSE(plan.is_held_by_depth(kStart));
  EXPECT_EQ(plan.next_change(kStart), kStart + 10s);
}

TEST_F(PublishPlanTest, a_paused_lane_takes_no_share_of_its_pool) {
  pool("a");
  lane(1, ChannelKind::webhook, "a", "one.example.org");
  lane(2, ChannelKind::webhook, "a", "two.example.org");
  plan.pauses().learn(std::vector{PausedLane{LaneId{1}, 5s}}, kStart);
  EXPECT_EQ(asked(), (std::map<int, int>{{2, kPublishBatchMax}}));
  EXPECT_EQ(plan.next_change(kStart), kStart + 5s);
  EXPECT_EQ(asked(kStart + 5s).at(1), 4);
  EXPECT_EQ(asked(kStart + 5s).count(1), 0u);
}

TEST_F(PublishPlanTest, a_lane_that_gave_less_than_asked_is_not_asked_again) {
  pool("a");
  lane(1, ChannelKind::mail, "a");
  const auto asks = plan.plan(kStart);
  PublishClaim claim;
  claim.lane = LaneId{1};
  claim.next_attempt_at = kNow - 1s;
  plan.claimed(asks, std::vector{claim});
  EXPECT_TRUE(asked().empty());
  plan.lanes().wake(LaneId{1});
  EXPECT_EQ(asked().count(1), 1u);
}

TEST_F(PublishPlanTest, failures_wait_longer_and_longer_and_are_forgotten_with_a_success) {
  pool("a");
  lane(1, ChannelKind::mail, "a");
  lane(2, ChannelKind::webhook, "a", "one.example.org");
  const CarriedCount all_refused{.refused = 3};
  Clock::Steady now = kStart;
  for (const Duration want : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
    EXPECT_EQ(plan.carried(CarrierQueue::mail_send, all_refused, now), want);
    EXPECT_EQ(plan.carried(CarrierQueue::mail_send, all_refused, now), want);  // its sister
    EXPECT_EQ(asked(now).count(1), 0u);
    EXPECT_EQ(asked(now).count(2), 1u);
    EXPECT_EQ(plan.next_change(now), now + want);
    now += want;
    EXPECT_EQ(asked(now).count(1), 1u);
  }
  plan.carried(CarrierQueue::mail_send, {.confirmed = 1}, now);
  EXPECT_EQ(plan.carried(CarrierQueue::mail_send, all_refused, now), 1s);
}

TEST_F(PublishPlanTest, a_queue_that_took_some_stays_open) {
  pool("a");
  lane(1, ChannelKind::mail, "a");
  EXPECT_EQ(plan.carried(CarrierQueue::mail_send, {.confirmed = 1, .refused = 1}, kStart), 1s);
  EXPECT_EQ(asked().count(1), 1u);
}

TEST_F(PublishPlanTest, a_queue_whose_confirms_are_all_lost_is_left_alone_for_a_moment) {
  pool("a");
  lane(1, ChannelKind::mail, "a");
  plan.carried(CarrierQueue::mail_send, {.unknown = 500}, kStart);
  EXPECT_EQ(asked().count(1), 0u);
  EXPECT_EQ(asked(kStart + 1s).count(1), 1u);
}

TEST(PublishBatch, parcels_have_the_group_and_an_id_that_a_repetition_has_too) {
  PublishClaim claim;
  claim.id = JobId{7};
  claim.channel = ChannelKind::webhook;
  claim.key = "k";
  claim.group = "g1";
  claim.attempt = 3;
  const auto once = parcels_of({claim}, false), again = parcels_of({claim}, false);
  EXPECT_EQ(once.at(0).group, "g1");
  EXPECT_EQ(once.at(0).id, again.at(0).id);
  claim.attempt = 4;
  EXPECT_NE(parcels_of({claim}, false).at(0).id, once.at(0).id);
}

}  // namespace
}  // namespace eilbote::test::publish_plan_test
