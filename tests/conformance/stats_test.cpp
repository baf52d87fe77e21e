// stats(): depth and age per pool, retries due; exact to 10,000 and then "more".
#include <map>

#include "support/outbox_fixture.h"

namespace eilbote::test::stats_test {
namespace {

class Stats : public StoreFixture {
 protected:
  PoolStats pool(const std::string& code) {
    for (const PoolStats& stats : must(care().stats()).pools)
      if (stats.pool == code) return stats;
    return PoolStats{code, 0, std::nullopt};
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Stats, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Stats, NothingWaits) {
  const OutboxStats stats = must(care().stats());
  for (const PoolStats& pool : stats.pools) {
    EXPECT_EQ(pool.depth, 0);
    EXPECT_FALSE(pool.oldest);
  }
  EXPECT_EQ(stats.retries_due, 0);
  EXPECT_TRUE(about(stats.now, now()));
}

TEST_P(Stats, DepthIsWhatWaitsInEachPool) {
  accepted_many(3);
  accepted(new_mail().from_client("billing"));
  accepted(new_mail().in_pool("bulk"));
  EXPECT_EQ(pool("mail").depth, 4) << "over all clients";
  EXPECT_EQ(pool("bulk").depth, 1);
  Worker one = worker();
  for (const ClaimedJob& claimed : one.claim({ClaimLane{lane_of(), 10, {}}}))
    one.settle(settle_sent(claimed));
  EXPECT_EQ(pool("mail").depth, 1) << "what is sent waits no more";
}

TEST_P(Stats, TheOldestIsTheFirstDue) {
  accepted(new_mail().scheduled_for(now() + hours{1}));
  EXPECT_FALSE(pool("mail").oldest) << "nothing is due";
  accepted(new_mail().scheduled_for(now() + minutes{10}));
  accepted(new_mail().scheduled_for(now() + minutes{20}));
  travel(minutes{30});
  EXPECT_TRUE(about(pool("mail").oldest, now() - minutes{20}));
}

TEST_P(Stats, RetriesDueAreThoseWhoseTimeHasCome) {
  accepted_many(2);
  Worker one = worker();
  const std::vector<ClaimedJob> claimed = one.claim();
  one.settle(settle_retry(claimed.at(0), minutes{10}));
  one.settle(settle_deferred(claimed.at(1), minutes{20}));
  accepted(new_mail());
  EXPECT_EQ(must(care().stats()).retries_due, 0);
  travel(minutes{15});
  EXPECT_EQ(must(care().stats()).retries_due, 1);
  travel(minutes{15});
  EXPECT_EQ(must(care().stats()).retries_due, 2) << "a deferred mail is RETRY_PENDING as well";
}

TEST_P(Stats, TenThousandAndOneMeansMore) {
  accepted_many(10'050);
  EXPECT_EQ(pool("mail").depth, 10'001);
  sql("UPDATE outbox SET retry_count = 1");
  EXPECT_LE(must(care().stats()).retries_due, 10'001);
  EXPECT_GE(must(care().stats()).retries_due, 10'000);
}

TEST_P(Stats, TheQueueIsCountedByPoolAndAge) {
  const TimePoint begin = now();
  for (const Duration age : {seconds{30}, seconds{90}, seconds{6 * 60}, seconds{20 * 60}, seconds{2 * 3600},
                             seconds{5 * 3600}, seconds{5 * 3600 + 1}})
    accepted(new_mail().scheduled_for(begin + hours{6} - age));
  accepted(new_mail().scheduled_for(begin + hours{7}));
  accepted(new_mail().in_pool("bulk").scheduled_for(begin + hours{7}));
  travel(hours{6});
  const QueueView view = must(registry().queue());
  EXPECT_TRUE(about(view.now, now()));
  const auto row = [&](const std::string& code) {
    for (const PoolQueue& one : view.pools)
      if (one.pool == code) return one;
    return PoolQueue{};
  };
  EXPECT_EQ(row("mail").due, (std::array<std::int64_t, 6>{1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(row("mail").waiting, 8);
  EXPECT_TRUE(about(row("mail").oldest, now() - hours{5} - seconds{1}));
  EXPECT_EQ(row("mail").last_error, "");
  EXPECT_EQ(row("bulk").due, (std::array<std::int64_t, 6>{}));
  EXPECT_EQ(row("bulk").waiting, 1);
}

TEST_P(Stats, TheQueueHasTheLatestErrorOfEachPool) {
  const auto fails = [&](JobId job, const std::string& error, Duration ago) {
    sql("UPDATE outbox SET retry_count = 1, last_error = '" + error +
        "', last_attempt_at = " + sql_time(now() - ago) + " WHERE id = " + std::to_string(job.value()));
  };
  fails(accepted(new_mail()), "451 first", minutes{20});
  fails(accepted(new_mail()), "451 second", minutes{10});
  fails(accepted(new_mail().in_pool("bulk")), "452 full", minutes{30});
  accepted(new_mail().in_pool("quiet"));
  std::map<std::string, std::string> errors;
  for (const PoolQueue& pool : must(registry().queue()).pools) {
    errors[pool.pool] = pool.last_error;
    EXPECT_EQ(pool.last_error.empty(), !pool.last_error_at.has_value());
    if (pool.pool == "mail") {
      EXPECT_TRUE(about(pool.last_error_at, now() - minutes{10}));
    }
  }
  EXPECT_EQ(errors["mail"], "451 second");
  EXPECT_EQ(errors["bulk"], "452 full");
  EXPECT_EQ(errors["quiet"], "");
}

TEST_P(Stats, ThePoolsErrorIsNotLostBehindManyLaterRetries) {
  const auto fail_those = [&](const std::string& which, const std::string& error, Duration ago,
                              Duration until) {
    sql("UPDATE outbox SET retry_count = 1, last_error = '" + error + "', last_attempt_at = " +
        sql_time(now() - ago) + ", next_attempt_at = " + sql_time(now() + until) + " WHERE " + which);
  };
  const auto is = [](JobId job) { return "id = " + std::to_string(job.value()); };
  accepted_many(2'000);
  fail_those("retry_count = 0", "451 of the many", minutes{5}, hours{2});
  accepted_many(2'000);  // wait for their first attempt
  const JobId bulk = accepted(new_mail().in_pool("bulk"));
  fail_those(is(bulk), "452 full", minutes{30}, minutes{1});
  const JobId billing = accepted(new_mail().from_client("billing").in_pool("bulk"));
  fail_those(is(billing), "452 earlier", minutes{40}, hours{3});
  const JobId latest = accepted(new_mail());
  fail_those(is(latest), "451 the latest", minutes{1}, minutes{1});
  const JobId told_nothing = accepted(new_mail());
  sql("UPDATE outbox SET retry_count = 1, last_attempt_at = " + sql_time(now()) + " WHERE " +
      is(told_nothing));
  std::map<std::string, std::string> errors;
  for (const PoolQueue& pool : must(registry().queue()).pools)
    errors[pool.pool] = pool.last_error;
  EXPECT_EQ(errors["mail"], "451 the latest") << "though it is tried again first";
  EXPECT_EQ(errors["bulk"], "452 full") << "of the latest attempt, not of the latest retry";
  std::map<std::string, std::string> seen;
  for (const PoolLoad& pool : must(overview().standing()).pools)
    seen[pool.pool] = pool.last_error;
  EXPECT_EQ(seen, errors) << "the overview says the same";
}

TEST_P(Stats, ACheckOfAWorkingStoreSucceeds) {
  EXPECT_TRUE(outbox().check());
}

TEST_P(Stats, ACheckSeesASchemaThatLacksSomething) {
  sql("INSERT INTO schema_migrations (name, applied_at) VALUES ('999_contract_from_the_future', " +
      sql_time(now()) + ")");
  EXPECT_FALSE(outbox().check());
  sql("DELETE FROM schema_migrations WHERE name = '999_contract_from_the_future'");
  EXPECT_TRUE(outbox().check());
}

}  // namespace
}  // namespace eilbote::test::stats_test
