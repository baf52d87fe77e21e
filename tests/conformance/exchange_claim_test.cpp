// Claiming in exchange(): only due, queued rows with attempts left, in order, within the limits, and together
// with the settlements of the same call.
#include "support/outbox_fixture.h"

namespace eilbote::test::exchange_claim_test {
namespace {

EILBOTE_ON_BOTH_STORES(ExchangeClaim);

TEST_P(ExchangeClaim, AClaimedJobIsDispatchingUnderItsToken) {
  const JobId id = accepted(new_mail().attempts_max(3).expiring_at(now() + days{1}));
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  EXPECT_EQ(claimed.job.id, id);
  EXPECT_EQ(claimed.job.status, JobStatus::dispatching);
  EXPECT_EQ(claimed.job.client.value(), "shop");
  EXPECT_EQ(claimed.job.pool, "mail");
  EXPECT_EQ(claimed.job.attempts_max, 3);
  EXPECT_EQ(claimed.lane, lane_of());
  EXPECT_FALSE(claimed.grouped);
  EXPECT_EQ(claimed.token, make_lease_token(one.epoch(), 1));
  EXPECT_TRUE(about(claimed.job.last_attempt_at, now()));
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::dispatching);
  EXPECT_EQ(row.last_attempt_at, claimed.job.last_attempt_at);
  EXPECT_EQ(claimed.job.expires_at, row.expires_at);
  EXPECT_EQ(claimed.job.created_at, row.created_at);
  EXPECT_EQ(claimed.job.next_attempt_at, row.next_attempt_at);
  EXPECT_EQ(value("SELECT lease_token FROM outbox"), std::to_string(claimed.token.value()));
  EXPECT_EQ(state(id), "QUEUED");
  EXPECT_TRUE(one.claim().empty()) << "nobody claims it twice";
}

TEST_P(ExchangeClaim, ByDueTimeThenId) {
  const JobId c = accepted(new_mail().scheduled_for(now() + minutes{3}));
  const JobId a = accepted(new_mail().scheduled_for(now() + minutes{1}));
  const TimePoint same = now() + minutes{2};
  const JobId b1 = accepted(new_mail().scheduled_for(same));
  const JobId b2 = accepted(new_mail().scheduled_for(same));
  travel(minutes{5});
  EXPECT_EQ(ids_of(worker().claim()), (std::vector{a, b1, b2, c}));
}

TEST_P(ExchangeClaim, TheOldestFirstWithinTheLimit) {
  const std::vector<JobId> ids = accepted_many(10);
  Worker one = worker();
  EXPECT_EQ(ids_of(one.claim(3)), (std::vector<JobId>(ids.begin(), ids.begin() + 3)));
  EXPECT_EQ(ids_of(one.claim(4)), (std::vector<JobId>(ids.begin() + 3, ids.begin() + 7)));
  EXPECT_EQ(one.claim(50).size(), 3U);
}

TEST_P(ExchangeClaim, EachLaneHasItsOwnLimit) {
  accepted_many(5, "shop");
  accepted_many(5, "billing");
  accepted_many(5, "silent");
  const std::vector<ClaimedJob> claimed =
      worker().claim({ClaimLane{lane_of("shop"), 2, {}}, ClaimLane{lane_of("billing"), 4, {}}});
  ASSERT_EQ(claimed.size(), 6U);
  int shop = 0, billing = 0;
  for (const ClaimedJob& c : claimed) {
    shop += c.lane == lane_of("shop") && c.job.client.value() == "shop";
    billing += c.lane == lane_of("billing") && c.job.client.value() == "billing";
  }
  EXPECT_EQ(shop, 2);
  EXPECT_EQ(billing, 4);
}

TEST_P(ExchangeClaim, AZeroLimitAndAnUnknownLaneClaimNothing) {
  accepted(new_mail());
  EXPECT_TRUE(worker().claim({ClaimLane{lane_of(), 0, {}}, ClaimLane{LaneId{4711}, 10, {}}}).empty());
}

TEST_P(ExchangeClaim, NotBeforeItsTime) {
  accepted(new_mail().scheduled_for(now() + hours{1}));
  Worker one = worker();
  EXPECT_TRUE(one.claim().empty());
  travel(minutes{59});
  EXPECT_TRUE(one.claim().empty());
  travel(minutes{2});
  EXPECT_EQ(one.claim().size(), 1U);
}

TEST_P(ExchangeClaim, NothingOlderThanTheLowWaterMark) {
  const TimePoint base = now();
  const JobId old = accepted(new_mail().scheduled_for(base + minutes{1}));
  const JobId fresh = accepted(new_mail().scheduled_for(base + minutes{10}));
  travel(minutes{20});
  const TimePoint shifted =
      on_postgres() ? base - minutes{20} : base;  // PostgreSQL travels by moving its rows
  Worker one = worker();
  EXPECT_EQ(ids_of(one.claim({ClaimLane{lane_of(), 10, shifted + minutes{5}}})), std::vector{fresh});
  EXPECT_EQ(ids_of(one.claim({ClaimLane{lane_of(), 10, job(old).next_attempt_at}})), std::vector{old})
      << "the mark itself is included";
}

TEST_P(ExchangeClaim, OnlyWithAttemptsLeft) {
  const JobId id = accepted(new_mail().attempts_max(2));
  sql("UPDATE outbox SET retry_count = 2");
  Worker one = worker();
  EXPECT_TRUE(one.claim().empty());
  sql("UPDATE outbox SET retry_count = 1");
  EXPECT_EQ(ids_of(one.claim()), std::vector{id});
}

TEST_P(ExchangeClaim, OnlyQueuedRows) {
  const std::vector<JobId> ids = accepted_many(4);
  for (std::size_t i = 0; const char* status : {"sent", "failed", "cancelled", "published"})
    sql(std::string("UPDATE outbox SET status = '") + status +
        "' WHERE id = " + std::to_string(ids[i++].value()));
  const JobId last = accepted(new_mail());
  EXPECT_EQ(ids_of(worker().claim({ClaimLane{lane_of(), 10, {}}})), std::vector{last});
}

TEST_P(ExchangeClaim, OneByIdWhateverItsTime) {
  accepted_many(3);
  const JobId later = accepted(new_mail().scheduled_for(now() + days{3}));
  Worker one = worker();
  const std::optional<ClaimedJob> claimed = one.claim_one(later);
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->job.id, later);
  EXPECT_EQ(claimed->job.status, JobStatus::dispatching);
  EXPECT_EQ(one.settle(settle_sent(*claimed)), SettleOutcome::settled);
}

TEST_P(ExchangeClaim, OneByIdMustBeQueued) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = *one.claim_one(id);
  EXPECT_FALSE(one.claim_one(id)) << "leased";
  one.settle(settle_sent(claimed));
  EXPECT_FALSE(one.claim_one(id)) << "sent";
  const JobId cancelled = accepted(new_mail());
  act(cancelled, Act::cancel);
  EXPECT_FALSE(one.claim_one(cancelled));
  accepted(new_mail().in_group("g"));
  const JobId blocked = accepted(new_mail().in_group("g"));
  EXPECT_FALSE(one.claim_one(blocked)) << "not its turn";
  EXPECT_FALSE(one.claim_one(JobId{42}));
}

TEST_P(ExchangeClaim, SettlesFirstThenClaimsInOneTransaction) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  const ExchangeResult result =
      one.exchange({settle_retry(claimed, seconds{0})}, {ClaimLane{claimed.lane, 10, {}}});
  EXPECT_EQ(result.settled, std::vector{SettleOutcome::settled});
  EXPECT_EQ(ids_of(result.claimed), std::vector{id})
      << "what it settled is due again, and taken in the same call";
  EXPECT_EQ(result.claimed[0].job.retry_count, 1);
  EXPECT_NE(result.claimed[0].token, claimed.token);
  EXPECT_TRUE(about(result.now, now()));
}

TEST_P(ExchangeClaim, ASettlementThatIsRefusedClaimsNothing) {
  const JobId first = accepted(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  const JobId waiting = accepted(new_mail());
  ExchangeRequest request;
  request.settlements = {settle_retry(claimed)};
  request.settlements[0].decision.last_error = std::string("bad \0 text", 10);
  request.lanes = {ClaimLane{claimed.lane, 10, {}}};
  request.token = one.next_token();
  const auto refused = outbox().exchange(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data);
  EXPECT_EQ(status(first), "dispatching");
  EXPECT_EQ(status(waiting), "queued");
  EXPECT_EQ(count("attempts"), 0);
}

TEST_P(ExchangeClaim, AnEmptyExchangeTellsTheTime) {
  const ExchangeResult result = worker().exchange({});
  EXPECT_TRUE(result.settled.empty() && result.claimed.empty() && result.woken.empty());
  EXPECT_TRUE(about(result.now, now()));
}

}  // namespace
}  // namespace eilbote::test::exchange_claim_test
