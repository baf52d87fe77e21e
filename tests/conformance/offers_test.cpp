// Offers in exchange(): what a broker's message names is started once, when its number is that of the next attempt, and
// whatever else the row is doing at that moment.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "domain/states.h"
#include "support/eventually.h"
#include "support/outbox_fixture.h"

namespace eilbote::test::offers_test {
namespace {

// Under which another instance leases.
const std::string kOthers = std::to_string(make_lease_token(Epoch{999}, 1).value());

class Offers : public StoreFixture {
 protected:
  static std::string where(JobId id) { return " WHERE id = " + std::to_string(id.value()); }
  void set(JobId id, const std::string& assignments) { sql("UPDATE outbox SET " + assignments + where(id)); }
  // As if somebody had moved it there; what leases it is another instance's.
  void put(JobId id, JobStatus status) {
    std::string also;
    if (status == JobStatus::publishing || status == JobStatus::dispatching)
      also = ", lease_token = " + kOthers;
    if (status == JobStatus::blocked)
      also = ", group_id = 7, group_mode = 'NEXT_ON_ERROR', holds_group = false, place = 1";
    set(id, "status = '" + std::string(kJobStatusNames.text(status)) + "'" + also);
  }
  JobId published(const NewJob& job) {
    const JobId id = accepted(job);
    put(id, JobStatus::published);
    return id;
  }
  SqlRow row(JobId id) { return rows("SELECT * FROM outbox" + where(id)).at(0); }
};
INSTANTIATE_TEST_SUITE_P(Stores, Offers, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Offers, AreStartedByStatusAndNumber) {
  struct Case {
    JobStatus status;
    bool numbered;         // the message has the next attempt's number
    bool foreign_due;      // it has none, and the job is due
    bool foreign_not_due;  // it has none, and the job's time has not come
  };
  const std::vector<Case> cases{
      {JobStatus::queued, false, true, false},       {JobStatus::blocked, false, false, false},
      {JobStatus::publishing, true, false, false},   {JobStatus::published, true, true, true},
      {JobStatus::dispatching, false, false, false}, {JobStatus::in_flight, false, false, false},
      {JobStatus::sent, false, false, false},        {JobStatus::failed, false, false, false},
      {JobStatus::cancelled, false, false, false},
  };
  ASSERT_EQ(cases.size(), std::size(kJobStatusNames.entries)) << "every status has a line";
  Worker one = worker();
  const auto expect = [&](const Case& c, const char* what, std::optional<int> attempt, bool due,
                          bool started) {
    SCOPED_TRACE(std::string(kJobStatusNames.text(c.status)) + ", " + what);
    const JobId id = accepted(new_mail());
    set(id, "attempts = 2, next_attempt_at = " + sql_time(now() + (due ? -minutes{1} : minutes{10})));
    put(id, c.status);
    const SqlRow before = row(id);
    const std::vector<ClaimedJob> claimed = one.offer({{id, attempt}});
    EXPECT_EQ(claimed.size(), started ? 1U : 0U);
    if (started)
      EXPECT_EQ(job(id).status, JobStatus::dispatching);
    else
      EXPECT_EQ(row(id), before) << "a message that may not start it changes nothing";
  };
  for (const Case& c : cases) {
    expect(c, "the next attempt", 3, true, c.numbered);
    expect(c, "the next attempt, before its time", 3, false, c.numbered);
    for (const int other : {0, 1, 2, 4, 1'000'000})
      expect(c, "another attempt", other, true, false);
    expect(c, "no number", std::nullopt, true, c.foreign_due);
    expect(c, "no number, not due", std::nullopt, false, c.foreign_not_due);
  }
}

TEST_P(Offers, AnswerAsAClaimDoes) {
  const JobId id = published(new_mail().attempts_max(3).expiring_at(now() + days{1}));
  Worker one = worker();
  const std::vector<ClaimedJob> all = one.offer({{id, 1}});
  ASSERT_EQ(all.size(), 1U);
  const ClaimedJob& claimed = all[0];
  EXPECT_EQ(claimed.job.id, id);
  EXPECT_EQ(claimed.job.status, JobStatus::dispatching);
  EXPECT_EQ(claimed.job.client.value(), "shop");
  EXPECT_EQ(claimed.job.pool, "mail");
  EXPECT_EQ(claimed.job.attempts_max, 3);
  EXPECT_EQ(claimed.lane, lane_of());
  EXPECT_FALSE(claimed.grouped);
  EXPECT_EQ(claimed.token, make_lease_token(one.epoch(), 1));
  EXPECT_TRUE(about(claimed.job.last_attempt_at, now()));
  EXPECT_EQ(claimed.job.expires_at, job(id).expires_at);
  EXPECT_EQ(value("SELECT lease_token FROM outbox"), std::to_string(claimed.token.value()));
  EXPECT_EQ(moves(id).size(), 1U) << "a start is no event";
  EXPECT_EQ(one.settle(settle_sent(claimed)), SettleOutcome::settled);
}

TEST_P(Offers, TakeThePublishersLease) {
  const JobId id = accepted(new_mail());
  put(id, JobStatus::publishing);  // the message was faster than the mark
  Worker one = worker();
  const std::vector<ClaimedJob> claimed = one.offer({{id, 1}});
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(value("SELECT lease_token FROM outbox"), std::to_string(claimed[0].token.value()));
}

TEST_P(Offers, FasterThanTheMarkAreNotTakenBackByIt) {
  const JobId id = accepted(new_mail());
  Worker scheduler = worker("one");
  PublishRequest claim;
  claim.lanes = {ClaimLane{lane_of(), 10, {}}};
  claim.token = scheduler.next_token();
  const PublishResult round = must(publishing().publish_round(claim));
  ASSERT_EQ(round.claimed.size(), 1U);
  const std::vector<ClaimedJob> started = scheduler.offer({{id, round.claimed[0].attempt}});
  ASSERT_EQ(started.size(), 1U);
  PublishRequest mark;
  mark.marks = {{id, round.claimed[0].token, true, Duration{0}}};
  mark.token = scheduler.next_token();
  must(publishing().publish_round(mark));
  EXPECT_EQ(status(id), "dispatching");
  EXPECT_EQ(scheduler.settle(settle_sent(started[0])), SettleOutcome::settled);
}

TEST_P(Offers, PerLaneByDueTimeThenId) {
  const TimePoint base = now();
  const JobId late = published(new_mail().scheduled_for(base + minutes{3}));
  const JobId early = published(new_mail().scheduled_for(base + minutes{1}));
  const JobId other = published(new_mail().from_client("billing"));
  const JobId between = published(new_mail().scheduled_for(base + minutes{2}));
  const std::vector<ClaimedJob> claimed =
      worker().offer({{between, 1}, {other, 1}, {late, 1}, {early, 1}, {JobId{4711}, 1}});
  std::vector<JobId> shop;
  for (const ClaimedJob& one : claimed)
    if (one.lane == lane_of()) shop.push_back(one.job.id);
  EXPECT_EQ(shop, (std::vector{early, between, late}));
  ASSERT_EQ(claimed.size(), 4U) << "an id that is not there is no error";
}

TEST_P(Offers, OnlyWithAttemptsLeft) {
  const JobId id = published(new_mail().attempts_max(2));
  set(id, "retry_count = 2");
  Worker one = worker();
  EXPECT_TRUE(one.offer({{id, 1}}).empty());
  EXPECT_TRUE(one.offer({{id, std::nullopt}}).empty());
  set(id, "retry_count = 1");
  EXPECT_EQ(one.offer({{id, 1}}).size(), 1U);
}

TEST_P(Offers, NeverOfWhatIsBeingCancelled) {
  const JobId id = published(new_mail());
  set(id, "cancelling = true");
  Worker one = worker();
  EXPECT_TRUE(one.offer({{id, 1}}).empty());
  EXPECT_TRUE(one.offer({{id, std::nullopt}}).empty());
}

TEST_P(Offers, OfACancelledJobAreStale) {
  const JobId id = published(new_mail());
  act(id, Act::cancel);
  EXPECT_TRUE(worker().offer({{id, 1}}).empty());
  EXPECT_EQ(status(id), "cancelled");
}

TEST_P(Offers, ADuplicateFindsNothingToStart) {
  const JobId id = published(new_mail());
  Worker one = worker();
  const std::vector<ClaimedJob> first = one.offer({{id, 1}});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(one.offer({{id, 1}}).empty()) << "under way";
  EXPECT_TRUE(one.offer({{id, std::nullopt}}).empty());
  one.settle(settle_retry(first[0], seconds{0}));
  EXPECT_TRUE(one.offer({{id, 1}}).empty()) << "in line again";
  put(id, JobStatus::published);
  EXPECT_TRUE(one.offer({{id, 1}}).empty()) << "published for the second attempt";
  const std::vector<ClaimedJob> second = one.offer({{id, 2}});
  ASSERT_EQ(second.size(), 1U);
  one.settle(settle_sent(second[0]));
  for (const int attempt : {1, 2, 3})
    EXPECT_TRUE(one.offer({{id, attempt}}).empty()) << "done";
}

TEST_P(Offers, WhatWasHandedBackHasTheSameNumberAgain) {
  const JobId id = published(new_mail());
  Worker one = worker();
  one.settle(settle_released(one.offer({{id, 1}}).at(0)));
  EXPECT_EQ(status(id), "queued");
  put(id, JobStatus::published);
  EXPECT_EQ(one.offer({{id, 1}}).size(), 1U) << "no attempt is on record";
}

TEST_P(Offers, TwoWorkersWithTheSameMessagesStartEachOnce) {
  constexpr int kJobs = 60;
  const std::vector<JobId> ids = accepted_many(kJobs);
  sql("UPDATE outbox SET status = 'published'");
  std::vector<OfferedJob> up, down;
  for (const JobId id : ids) {
    up.push_back({id, 1});
    down.insert(down.begin(), {id, 1});
  }
  Worker one = worker();
  auto other = std::async(std::launch::async, [&] { return ids_of(one.offer(up)); });
  std::vector<JobId> started = ids_of(one.offer(down));
  for (const JobId id : other.get())
    started.push_back(id);
  std::ranges::sort(started);
  EXPECT_EQ(started, ids);
}

TEST_P(Offers, TogetherWithSettlementsAndLanes) {
  const JobId done = accepted(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  const JobId waiting = accepted(new_mail()), named = published(new_mail()), stale = published(new_mail());
  ExchangeRequest request;
  request.settlements = {settle_sent(claimed)};
  request.lanes = {ClaimLane{claimed.lane, 10, {}}};
  request.offers = {{stale, 7}, {named, 1}};
  request.token = one.next_token();
  const ExchangeResult result = must(outbox().exchange(request));
  EXPECT_EQ(result.settled, std::vector{SettleOutcome::settled});
  EXPECT_EQ(ids_of(result.claimed), (std::vector{waiting, named}));
  for (const ClaimedJob& each : result.claimed)
    EXPECT_EQ(each.token, request.token);
  EXPECT_EQ(status(done), "sent");
  EXPECT_EQ(status(stale), "published");
}

TEST_P(Offers, AnOfferAndItsLaneClaimAJobOnce) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  ExchangeRequest request;
  request.lanes = {ClaimLane{lane_of(), 10, {}}};
  request.offers = {{id, std::nullopt}};
  request.token = one.next_token();
  EXPECT_EQ(ids_of(must(outbox().exchange(request)).claimed), std::vector{id});
}

TEST_P(Offers, ARefusedSettlementStartsNothing) {
  accepted(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  const JobId named = published(new_mail());
  ExchangeRequest request;
  request.settlements = {settle_retry(claimed)};
  request.settlements[0].decision.last_error = std::string("bad \0 text", 10);
  request.offers = {{named, 1}};
  request.token = one.next_token();
  ASSERT_FALSE(outbox().exchange(request));
  EXPECT_EQ(status(named), "published");
}

TEST_P(Offers, AGroupedJobKeepsItsTurnAndPassesItOn) {
  const JobId first = accepted(new_mail().in_group("g")), next = accepted(new_mail().in_group("g"));
  put(first, JobStatus::published);
  Worker one = worker();
  const std::vector<ClaimedJob> claimed = one.offer({{first, 1}});
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_TRUE(claimed[0].grouped);
  EXPECT_TRUE(has_turn(first));
  EXPECT_EQ(one.settle(settle_sent(claimed[0])), SettleOutcome::settled);
  EXPECT_TRUE(has_turn(next));
}

// A row that somebody holds at this moment is waited for; what was decided about it then counts.
class OffersOfHeldRows : public Offers {
 protected:
  // The offer's answer, when `held` had changed the row in a transaction that was open as the offer came.
  std::vector<JobId> offered_while(JobId id, const std::string& held) {
    const auto other = open_raw_postgres(options().url);
    other->run("BEGIN; UPDATE outbox SET " + held + where(id));
    Worker one = worker();
    auto answer = std::async(std::launch::async, [&] { return ids_of(one.offer({{id, 1}})); });
    EXPECT_TRUE(eventually([&] {
      return count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0;
    })) << "the offer waits for the row";
    other->run("COMMIT");
    return answer.get();
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, OffersOfHeldRows, ::testing::Values("postgres"), store_name);

TEST_P(OffersOfHeldRows, AMarkInTheMakingLosesNoMessage) {
  const JobId id = accepted(new_mail());
  put(id, JobStatus::publishing);
  EXPECT_EQ(offered_while(id, "status = 'published', lease_token = NULL, last_queued_at = now()"),
            std::vector{id});
  EXPECT_EQ(status(id), "dispatching");
}

TEST_P(OffersOfHeldRows, WhatWasTakenBackIsNotStarted) {
  const JobId id = accepted(new_mail());
  put(id, JobStatus::publishing);
  EXPECT_TRUE(offered_while(id, "status = 'queued', lease_token = NULL").empty());
  EXPECT_EQ(status(id), "queued");
}

TEST_P(OffersOfHeldRows, NorWhatWasCancelled) {
  const JobId id = published(new_mail());
  EXPECT_TRUE(offered_while(id, "status = 'cancelled', finished_at = now()").empty());
  EXPECT_EQ(status(id), "cancelled");
}

TEST_P(OffersOfHeldRows, NorWhatAnotherWorkerStarted) {
  const JobId id = published(new_mail());
  EXPECT_TRUE(offered_while(id, "status = 'dispatching', lease_token = " + kOthers).empty());
  EXPECT_EQ(value("SELECT lease_token FROM outbox"), kOthers);
}

TEST_P(OffersOfHeldRows, AStaleMessageWaitsForNobody) {
  const JobId id = accepted(new_mail());
  put(id, JobStatus::dispatching);
  const auto other = open_raw_postgres(options().url);
  other->run("BEGIN; UPDATE outbox SET updated_at = now()" + where(id));
  EXPECT_TRUE(worker().offer({{id, 1}}).empty());
  other->run("ROLLBACK");
}

}  // namespace
}  // namespace eilbote::test::offers_test
