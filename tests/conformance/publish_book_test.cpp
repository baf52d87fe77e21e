// The publish book: what a scheduler claims for the broker, what becomes of it, and which lanes it leaves alone for now.
#include "ports/publish_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::publish_book_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Claims = std::vector<PublishClaim>;

std::vector<JobId> ids_of(const Claims& claims) {
  std::vector<JobId> ids;
  for (const PublishClaim& claim : claims)
    ids.push_back(claim.id);
  return ids;
}

PublishMark published(const PublishClaim& claim) {
  return {claim.id, claim.token, true, {}};
}
PublishMark not_published(const PublishClaim& claim, Duration delay = {}) {
  return {claim.id, claim.token, false, delay};
}

class PublishBookTest : public StoreFixture {
 protected:
  Worker& scheduler() {
    if (!scheduler_) scheduler_ = std::make_unique<Worker>(outbox(), care(), "scheduler", days{1000});
    return *scheduler_;
  }
  PublishResult round(std::vector<PublishMark> marks, std::vector<ClaimLane> lanes) {
    return must(publishing().publish_round({std::move(marks), std::move(lanes), scheduler().next_token()}));
  }
  void mark(const PublishMark& one) { round({one}, {}); }
  // Up to n of each lane that has work.
  Claims claim(int n = 100) {
    std::vector<ClaimLane> lanes;
    for (const ActiveLane& lane : must(outbox().active_lanes()).lanes)
      lanes.push_back({lane.lane, n, {}});
    return round({}, std::move(lanes)).claimed;
  }
  PublishClaim claim_only() {
    const Claims claims = claim();
    if (claims.size() != 1) throw std::runtime_error("claimed " + std::to_string(claims.size()));
    return claims.front();
  }
  // A message about the job comes to a worker.
  static std::vector<ClaimedJob> offer(Outbox& outbox, Worker& worker, const PublishClaim& claim) {
    ExchangeRequest request;
    request.offers = {{claim.id, claim.attempt}};
    request.token = worker.next_token();
    return must(outbox.exchange(request)).claimed;
  }
  std::vector<ClaimedJob> offer(Worker& worker, const PublishClaim& claim) {
    return offer(outbox(), worker, claim);
  }
  std::string column(JobId id, const std::string& expression) {
    return value("SELECT coalesce(CAST(" + expression +
                 " AS text), 'none') FROM outbox WHERE id = " + std::to_string(id.value()));
  }

 private:
  std::unique_ptr<Worker> scheduler_;
};
INSTANTIATE_TEST_SUITE_P(Stores, PublishBookTest, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(PublishBookTest, ADueJobIsLeasedAndNoAttemptBegins) {
  const JobId id = accepted(new_mail().keyed("order-7"));
  const PublishResult result = round({}, {{lane_of(), 10, {}}});
  EXPECT_TRUE(about(result.now, now()));
  ASSERT_THAT(result.claimed, SizeIs(1));
  const PublishClaim& claim = result.claimed.front();
  EXPECT_EQ(claim.id, id);
  EXPECT_EQ(claim.lane, lane_of());
  EXPECT_EQ(claim.channel, ChannelKind::mail);
  EXPECT_EQ(claim.key, "order-7");
  EXPECT_EQ(claim.group, "");
  EXPECT_EQ(claim.attempt, 1);
  EXPECT_EQ(claim.retry_count, 0);
  EXPECT_FALSE(claim.published_before);
  EXPECT_EQ(claim.next_attempt_at, job(id).next_attempt_at);

  EXPECT_EQ(status(id), "publishing");
  EXPECT_EQ(column(id, "lease_token"), std::to_string(claim.token.value()));
  EXPECT_FALSE(job(id).last_attempt_at);
  EXPECT_EQ(state(id), "QUEUED");
  EXPECT_THAT(round({}, {{lane_of(), 10, {}}}).claimed, IsEmpty()) << "once";
  EXPECT_THAT(worker().claim({ClaimLane{lane_of(), 10, {}}}), IsEmpty()) << "nor by a ledger";
}

TEST_P(PublishBookTest, TheKeyIsTheIdempotencyKeyElseTheId) {
  NewJob keyed = WebhookBuilder(new_id());
  keyed.idempotency_key = "hook-7";
  accepted(keyed);
  EXPECT_EQ(claim_only().key, "hook-7");
  const JobId hook = accepted(WebhookBuilder(new_id()));
  const PublishClaim plain = claim_only();
  EXPECT_EQ(plain.key, to_text(hook));
  EXPECT_EQ(plain.channel, ChannelKind::webhook);
  const JobId mail = accepted(new_mail());
  EXPECT_EQ(claim_only().key, to_text(mail));
}

TEST_P(PublishBookTest, PerLaneByDueTimeAndNoMoreThanAskedFor) {
  const std::vector<JobId> shop = accepted_many(5), bank = accepted_many(3, "bank");
  accepted(new_mail().scheduled_for(now() + hours{1}));
  sql("UPDATE outbox SET next_attempt_at = " + sql_time(now() - minutes{5}) +
      " WHERE id = " + std::to_string(shop[4].value()));
  const LaneId one = lane_of("shop"), other = lane_of("bank");
  EXPECT_THAT(ids_of(round({}, {{one, 3, {}}, {other, 0, {}}}).claimed),
              ElementsAre(shop[4], shop[0], shop[1]));
  EXPECT_THAT(ids_of(round({}, {{other, 2, {}}}).claimed), ElementsAre(bank[0], bank[1]));
  const Claims rest = round({}, {{other, 100, {}}, {one, 100, {}}}).claimed;
  EXPECT_THAT(ids_of(rest),
              one < other ? ElementsAre(shop[2], shop[3], bank[2]) : ElementsAre(bank[2], shop[2], shop[3]));
}

TEST_P(PublishBookTest, NothingBelowTheLowWaterAndNothingWithoutAttemptsLeft) {
  const JobId old = accepted(new_mail()), spent = accepted(new_mail()), due = accepted(new_mail());
  sql("UPDATE outbox SET next_attempt_at = " + sql_time(now() - hours{1}) +
      " WHERE id = " + std::to_string(old.value()));
  sql("UPDATE outbox SET retry_count = max_attempts WHERE id = " + std::to_string(spent.value()));
  EXPECT_THAT(ids_of(round({}, {{lane_of(), 10, now() - minutes{10}}}).claimed), ElementsAre(due));
  EXPECT_THAT(ids_of(round({}, {{lane_of(), 10, {}}}).claimed), ElementsAre(old));
}

TEST_P(PublishBookTest, WhatTheBrokerHasIsPublishedWithoutALease) {
  const JobId id = accepted(new_mail());
  mark(published(claim_only()));
  EXPECT_EQ(status(id), "published");
  EXPECT_EQ(column(id, "lease_token"), "none");
  EXPECT_EQ(count("outbox WHERE last_queued_at >= " + sql_time(now() - kClockSlack)), 1);
  EXPECT_FALSE(job(id).last_attempt_at);
  EXPECT_THAT(round({}, {{lane_of(), 10, {}}}).claimed, IsEmpty());
  EXPECT_EQ(moves(id).size(), 1U) << "nothing that people see";
}

TEST_P(PublishBookTest, AFailedPublishLeavesTheDueTimeAsItWas) {
  const JobId id = accepted(new_mail());
  const std::string due = column(id, "next_attempt_at");
  mark(not_published(claim_only()));
  EXPECT_EQ(status(id), "queued");
  EXPECT_EQ(column(id, "lease_token"), "none");
  EXPECT_EQ(column(id, "next_attempt_at"), due);
  EXPECT_EQ(column(id, "last_queued_at"), "none");
  EXPECT_EQ(job(id).losses, 0);
  EXPECT_EQ(claim_only().attempt, 1) << "nothing was burnt";
}

TEST_P(PublishBookTest, OrPutsItOff) {
  const JobId id = accepted(new_mail());
  mark(not_published(claim_only(), minutes{10}));
  EXPECT_EQ(status(id), "queued");
  EXPECT_TRUE(about(job(id).next_attempt_at, now() + minutes{10}));
  EXPECT_THAT(claim(), IsEmpty());
  travel(minutes{11});
  EXPECT_EQ(claim_only().id, id);
}

TEST_P(PublishBookTest, ARoundMarksFirstAndThenClaims) {
  const JobId id = accepted(new_mail());
  const PublishClaim before = claim_only();
  const Claims again = round({not_published(before)}, {{lane_of(), 10, {}}}).claimed;
  ASSERT_THAT(ids_of(again), ElementsAre(id));
  EXPECT_NE(again.front().token, before.token);
  mark(published(before));
  EXPECT_EQ(status(id), "publishing") << "a mark of an earlier lease changes nothing";
  mark(published(again.front()));
  EXPECT_EQ(status(id), "published");
  mark(not_published(again.front()));
  EXPECT_EQ(status(id), "published") << "nor does a second one";
}

TEST_P(PublishBookTest, ManyMarksInOneRound) {
  accepted_many(6);
  const Claims claims = claim();
  ASSERT_THAT(claims, SizeIs(6));
  round({published(claims[5]), not_published(claims[1], hours{1}), published(claims[0]),
         not_published(claims[3])},
        {});
  const std::vector<std::string> want{"published", "queued",     "publishing",
                                      "queued",    "publishing", "published"};
  for (std::size_t i = 0; i < claims.size(); ++i)
    EXPECT_EQ(status(claims[i].id), want[i]) << i;
  EXPECT_TRUE(about(job(claims[1].id).next_attempt_at, now() + hours{1}));
  EXPECT_TRUE(about(job(claims[3].id).next_attempt_at, now()));
}

TEST_P(PublishBookTest, AWorkerMayBeFasterThanTheMark) {
  const JobId id = accepted(new_mail());
  const PublishClaim claim = claim_only();
  Worker one = worker();
  const std::vector<ClaimedJob> started = offer(one, claim);
  ASSERT_THAT(test::ids_of(started), ElementsAre(id));
  for (const PublishMark& late : {published(claim), not_published(claim, hours{1})}) {
    mark(late);
    EXPECT_EQ(status(id), "dispatching");
    EXPECT_EQ(column(id, "last_queued_at"), "none");
  }
  EXPECT_EQ(one.settle(settle_sent(started.front())), SettleOutcome::settled);
  mark(published(claim));
  EXPECT_EQ(status(id), "sent");
}

TEST_P(PublishBookTest, TheNextAttemptIsPublishedAnew) {
  const JobId id = accepted(new_mail());
  PublishClaim claim = claim_only();
  mark(published(claim));
  sql("UPDATE outbox SET status = 'queued'");
  claim = claim_only();
  EXPECT_TRUE(claim.published_before) << "it came back from the broker, nobody had started it";
  EXPECT_EQ(claim.attempt, 1);
  mark(published(claim));
  Worker one = worker();
  const std::vector<ClaimedJob> started = offer(one, claim);
  ASSERT_THAT(started, SizeIs(1));
  one.settle(settle_retry(started.front()));
  travel(minutes{2});
  const PublishClaim retry = claim_only();
  EXPECT_EQ(retry.id, id);
  EXPECT_EQ(retry.attempt, 2);
  EXPECT_EQ(retry.retry_count, 1);
  EXPECT_FALSE(retry.published_before);
  EXPECT_TRUE(job(id).last_attempt_at) << "as the attempt left it";
}

TEST_P(PublishBookTest, ClaimsThatNobodyHoldsAreFreed) {
  accepted_many(3);
  const Claims claims = claim();
  ASSERT_THAT(claims, SizeIs(3));
  const std::string due = column(claims[0].id, "next_attempt_at");
  const JobId delivering = accepted(new_mail());
  ASSERT_THAT(scheduler().claim(), SizeIs(1)) << "the same instance delivers, too";
  const std::vector<JobId> held{claims[1].id};
  EXPECT_EQ(must(publishing().release_unheld(scheduler().epoch(), held)), 2);
  EXPECT_EQ(status(claims[0].id), "queued");
  EXPECT_EQ(status(claims[1].id), "publishing");
  EXPECT_EQ(status(claims[2].id), "queued");
  EXPECT_EQ(status(delivering), "dispatching");
  EXPECT_EQ(column(claims[0].id, "next_attempt_at"), due);
  EXPECT_EQ(job(claims[0].id).losses, 0);
  EXPECT_EQ(must(publishing().release_unheld(scheduler().epoch(), held)), 0);
  Worker other = worker("other");
  EXPECT_EQ(must(publishing().release_unheld(other.epoch(), {})), 0) << "those of another instance";
  mark(published(claims[0]));
  EXPECT_EQ(status(claims[0].id), "queued") << "its lease is over";
}

TEST_P(PublishBookTest, AGroupsTurnStaysWithWhatIsPublished) {
  const JobId a = accepted(new_mail().in_group("g")), b = accepted(new_mail().in_group("g"));
  const JobId c = accepted(new_mail().in_group("h"));
  const Claims claims = claim();
  ASSERT_THAT(ids_of(claims), ElementsAre(a, c)) << "one of each group";
  EXPECT_NE(claims[0].group, "");
  EXPECT_NE(claims[0].group, claims[1].group);
  EXPECT_TRUE(has_turn(a));
  mark(not_published(claims[0]));
  EXPECT_TRUE(has_turn(a)) << "queued again, in its place";
  const PublishClaim again = claim_only();
  mark(published(again));
  EXPECT_TRUE(has_turn(a));
  EXPECT_EQ(status(b), "blocked");
  Worker one = worker();
  one.settle(settle_sent(offer(one, again).at(0)));
  const PublishClaim next = claim_only();
  EXPECT_EQ(next.id, b);
  EXPECT_EQ(next.group, again.group);
}

TEST_P(PublishBookTest, WhatIsBeingPublishedCanBeCancelled) {
  const JobId mail = accepted(new_mail());
  const PublishClaim claimed = claim_only();
  const ActOutcome outcome = act(mail, Act::cancel, "shop");
  EXPECT_EQ(outcome.kind, ActKind::done);
  EXPECT_EQ(outcome.job.status, JobStatus::cancelled);
  EXPECT_EQ(column(mail, "lease_token"), "none");
  EXPECT_EQ(moves(mail).back(), "QUEUED -> CANCELLED");
  for (const PublishMark& late : {published(claimed), not_published(claimed)}) {
    mark(late);
    EXPECT_EQ(status(mail), "cancelled");
  }
  Worker one = worker();
  EXPECT_THAT(offer(one, claimed), IsEmpty()) << "its message starts nothing";
  EXPECT_EQ(status(mail), "cancelled");
}

TEST_P(PublishBookTest, AndItsGroupGoesOn) {
  const JobId a = accepted(WebhookBuilder(new_id()).in_group("g")),
              b = accepted(WebhookBuilder(new_id()).in_group("g"));
  ASSERT_EQ(claim_only().id, a);
  ASSERT_EQ(act(a, Act::cancel, "shop").kind, ActKind::done);
  EXPECT_EQ(status(a), "cancelled");
  EXPECT_EQ(moves(a).back(), "PENDING -> CANCELLED");
  ASSERT_EQ(claim_only().id, b);
  ASSERT_EQ(act(b, Act::abandon).kind, ActKind::done);
  EXPECT_EQ(job(b).dead_reason, DeadReason::Abandoned);
}

std::map<LaneId, Duration> by_lane(const std::vector<PausedLane>& all) {
  std::map<LaneId, Duration> lanes;
  for (const PausedLane& one : all)
    lanes[one.lane] = one.left;
  return lanes;
}

TEST_P(PublishBookTest, PausesRunOutAndTheLongestCounts) {
  const LaneId a{1}, b{2};
  const auto pause = [&](std::vector<LaneId> lanes, Duration length) {
    must(publishing().pause_lanes(lanes, length));
  };
  const auto left = [&] { return by_lane(must(publishing().paused_lanes())); };
  EXPECT_THAT(left(), IsEmpty());
  pause({}, hours{1});
  EXPECT_THAT(left(), IsEmpty());
  pause({b, a, b}, minutes{5});
  ASSERT_THAT(left(), SizeIs(2));
  EXPECT_LE(left()[a], minutes{5});
  EXPECT_GT(left()[a], minutes{5} - kClockSlack);
  pause({a}, minutes{1});
  EXPECT_GT(left()[a], minutes{5} - kClockSlack) << "the longer one stays";
  pause({a}, minutes{20});
  EXPECT_GT(left()[a], minutes{20} - kClockSlack);
  travel(minutes{10});
  ASSERT_THAT(left(), SizeIs(1)) << "the other one is over";
  EXPECT_LE(left()[a], minutes{10});
  pause({b}, minutes{2});
  EXPECT_THAT(left(), SizeIs(2)) << "it can be paused again, and shorter";
  travel(minutes{15});
  EXPECT_THAT(left(), IsEmpty());
}

}  // namespace
}  // namespace eilbote::test::publish_book_test
