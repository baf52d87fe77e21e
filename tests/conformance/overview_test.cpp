// What the overview needs of a store: totals that add up over instances and minutes, and counts of what stands there, each exact to
// 10,000 and then "more".
#include "ports/overview_book.h"

#include <thread>

#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::overview_test {
namespace {

class OverviewBooks : public StoreFixture {
 protected:
  OverviewBook& book() { return overview(); }
  StandingLoad standing() { return must(book().standing()); }
  PoolLoad pool(const std::string& code) {
    for (const PoolLoad& load : standing().pools)
      if (load.pool == code) return load;
    return {};
  }
  NewJob hook(const std::string& host) { return WebhookBuilder(new_id()).to_host(host); }
  // Dead, as the engine leaves them.
  void die(int n, DeadReason reason) {
    accepted_many(n);
    sql("UPDATE outbox SET status = 'failed', dead_reason = '" + std::string(kDeadReasonNames.text(reason)) +
        "', finished_at = created_at WHERE status = 'queued'");
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, OverviewBooks, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(OverviewBooks, TotalsAddUpWithinAMinuteAndOverMinutes) {
  EXPECT_TRUE(must(book().flow(hours{24})).empty());
  must(book().add_flow({1, 2, 3, 4}));
  must(book().add_flow({10, 20, 30, 40}));
  EXPECT_EQ(standing().totals, (FlowCounts{11, 22, 33, 44}));
  travel(minutes{5});
  must(book().add_flow({100, 0, 0, 0}));
  EXPECT_EQ(standing().totals, (FlowCounts{111, 22, 33, 44}));
  const auto rows = must(book().flow(hours{24}));
  ASSERT_GE(rows.size(), 2U);
  EXPECT_LT(rows.front().at, rows.back().at);
  EXPECT_EQ(rows.back().counts, (FlowCounts{100, 0, 0, 0}));
  EXPECT_EQ(rows.back().at, std::chrono::floor<minutes>(rows.back().at));
  EXPECT_LE(must(book().flow(minutes{3})).size(), 1U) << "only the last minutes";
}

TEST_P(OverviewBooks, ManyWhoWriteAtOnceLoseNothing) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i)
        must(book().add_flow({1, 1, 0, 0}));
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(standing().totals, (FlowCounts{100, 100, 0, 0}));
}

TEST_P(OverviewBooks, TotalsOfAnEarlierDayAreKeptAndNotShownAndGoAfterEight) {
  must(book().add_flow({5, 0, 0, 0}));
  travel(hours{25});
  must(book().add_flow({7, 0, 0, 0}));
  EXPECT_EQ(standing().totals.accepted, 7);
  EXPECT_EQ(must(book().flow(hours{24 * 8})).size(), 2U);
  SweepParams params;
  params.sweep = Sweep::flow;
  EXPECT_EQ(must(care().sweep(params)).changed, 0);
  travel(hours{24 * 7});
  EXPECT_EQ(must(care().sweep(params)).changed, 1);
  EXPECT_EQ(must(care().sweep(params)).changed, 0);
  EXPECT_EQ(must(book().flow(hours{24 * 30})).size(), 1U);
}

TEST_P(OverviewBooks, PoolsShowWhatWaitsAndWhatIsDue) {
  accepted_many(3);
  accepted(new_mail().scheduled_for(now() + hours{1}));
  accepted(new_mail().in_pool("bulk").scheduled_for(now() + hours{1}));
  EXPECT_EQ(pool("mail").waiting, 4);
  EXPECT_EQ(pool("mail").due, 3);
  EXPECT_TRUE(pool("mail").oldest);
  EXPECT_EQ(pool("bulk").waiting, 1);
  EXPECT_EQ(pool("bulk").due, 0);
  EXPECT_FALSE(pool("bulk").oldest);
  EXPECT_EQ(pool("mail").last_error, "");
}

TEST_P(OverviewBooks, TheDeadAreCountedByReason) {
  die(2, DeadReason::Expired);
  die(3, DeadReason::PermanentFailure);
  const DeadLoad dead = standing().dead;
  EXPECT_EQ(dead.count, 5);
  EXPECT_EQ(dead.by_reason, (std::map<DeadReason, std::int64_t>{{DeadReason::PermanentFailure, 3},
                                                                {DeadReason::Expired, 2}}));
  EXPECT_EQ(dead.lately, 5);
  sql("UPDATE outbox SET dead_reason = NULL WHERE dead_reason = 'Expired'");
  EXPECT_EQ(standing().dead.count, 5) << "a foreign worker's";
  EXPECT_EQ(standing().dead.by_reason.size(), 1U);
  travel(hours{25});
  EXPECT_EQ(standing().dead.lately, 0);
  EXPECT_EQ(standing().dead.count, 5);
}

TEST_P(OverviewBooks, TenThousandAndOneDeadMeansMore) {
  die(10'050, DeadReason::Expired);
  die(5, DeadReason::Abandoned);
  const DeadLoad dead = standing().dead;
  EXPECT_EQ(dead.count, 10'001);
  EXPECT_EQ(dead.by_reason.at(DeadReason::Expired), 10'001);
  EXPECT_EQ(dead.by_reason.at(DeadReason::Abandoned), 5);
  EXPECT_EQ(dead.lately, 10'001);
}

TEST_P(OverviewBooks, InstancesSayWhetherTheyDeliver) {
  EXPECT_EQ(standing().instances, 0);
  const Epoch front = must(care().start_instance("front", seconds{15}));
  must(care().heartbeat(front, seconds{15}, false));
  EXPECT_EQ(standing().instances, 1);
  EXPECT_EQ(standing().delivering, 0);
  if (on_postgres()) {
    const Epoch worker = must(care().start_instance("worker", seconds{15}));
    must(care().heartbeat(worker, seconds{15}, true));
    EXPECT_EQ(standing().instances, 2);
    EXPECT_EQ(standing().delivering, 1);
  }
  travel(minutes{1});
  EXPECT_EQ(standing().instances, 0) << "their leases are over";
}

TEST_P(OverviewBooks, WhatWaitsForARouteIsCounted) {
  accepted_many(3);
  accepted(hook("a.example"));
  accepted(hook("a.example"));
  accepted(hook("b.example"));
  EXPECT_EQ(must(book().waiting_for(ChannelKind::mail, "")), 3);
  EXPECT_EQ(must(book().waiting_for(ChannelKind::webhook, "a.example")), 2);
  EXPECT_EQ(must(book().waiting_for(ChannelKind::webhook, "c.example")), 0);
}

}  // namespace
}  // namespace eilbote::test::overview_test
