// Delivery reports on both stores: each kind, once by its key however many bring it, in any order; what they leave on the row,
// on the record, for callbacks and on the suppression list; and those that no mail is found for.
#include <gmock/gmock.h>

#include <algorithm>
#include <barrier>
#include <thread>

#include "conformance/reports_fixture.h"
#include "domain/json_members.h"

namespace eilbote::test::reports_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace reports_fixture;

INSTANTIATE_TEST_SUITE_P(Stores, Reports, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Reports, ABounceIsOnRecordEverywhere) {
  const JobId id = sent();
  const std::optional<TimePoint> finished = job(id).finished_at;
  const ReportOutcome outcome = take(id, said("B@X.org", A::failed, "5.1.1", "smtp; 550 no such user"));
  EXPECT_EQ(outcome.kind, ReportKind::applied);
  EXPECT_EQ(outcome.job, id);
  EXPECT_EQ(outcome.from, "SENT");
  EXPECT_EQ(outcome.to, "BOUNCED");
  EXPECT_THAT(outcome.suppressed, ElementsAre("b@x.org"));
  EXPECT_EQ(state(id), "BOUNCED");
  EXPECT_EQ(status(id), "sent");
  EXPECT_EQ(job(id).last_error, "5.1.1 smtp; 550 no such user");
  EXPECT_EQ(job(id).finished_at, finished) << "it was sent when it was sent";
  EXPECT_THAT(statuses(id), ElementsAre(R::taken, R::bounced, R::taken));
  EXPECT_EQ(record(id).recipients.at(1).reply, "5.1.1 smtp; 550 no such user");
  const StatusEvent event = must(outbox().history(id)).events.back();
  EXPECT_EQ(event.from + " -> " + event.to, "SENT -> BOUNCED");
  EXPECT_EQ(event.reason, "b@x.org: failed (5.1.1)");
  EXPECT_EQ(event.trace_id, "0af7651916cd43dd8448eb211c80319c");
  const auto list = must(suppressions().suppressions({}));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].client, ClientName{"shop"});
  EXPECT_EQ(list[0].reason, "bounced: 5.1.1 smtp; 550 no such user");
  EXPECT_EQ(list[0].job, id);
  EXPECT_TRUE(test::about(list[0].since, now()));
  const ListQuery bounced{.state = MailState::BOUNCED};
  EXPECT_EQ(must(outbox().list(bounced)).jobs.size(), 1U);
}

TEST_P(Reports, EachKindDoesItsPart) {
  struct Case {
    RecipientReport report;
    const char* state;
    R first;  // what becomes of a@x.org
  };
  const Case cases[] = {
      {said("a@x.org", A::delivered), "SENT", R::delivered},
      {said("", A::delivered), "DELIVERED", R::delivered},
      {said("a@x.org", A::failed, "5.1.1"), "BOUNCED", R::bounced},
      {said("a@x.org", A::failed, "4.2.2"), "BOUNCED", R::bounced},
      {said("a@x.org", A::delayed, "4.4.1"), "SENT", R::taken},
      {said("a@x.org", A::relayed), "SENT", R::taken},
      {said("a@x.org", A::expanded), "SENT", R::taken},
      {said("z@x.org", A::failed), "SENT", R::taken},
      {said("", A::given_up, "5.7.1"), "FAILED", R::refused},
      {said("", A::deferred, "4.3.2"), "RETRY_PENDING", R::waiting},
      {said("a@x.org", A::deferred, "4.3.2"), "RETRY_PENDING", R::waiting},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.report.address + " " + std::string(kReportActionNames.text(one.report.action)));
    const JobId id = sent();
    const ReportOutcome outcome = take(id, one.report);
    EXPECT_EQ(outcome.kind, ReportKind::applied);
    EXPECT_EQ(outcome.from, "SENT");
    EXPECT_EQ(outcome.to, one.state);
    EXPECT_EQ(state(id), one.state);
    EXPECT_EQ(statuses(id).at(0), one.first);
    EXPECT_EQ(must(outbox().history(id)).events.size(), 3U) << "accepted, sent, and this";
    EXPECT_EQ(moves(id).back(), std::string("SENT -> ") + one.state);
    sql("DELETE FROM outbox WHERE id = " +
        std::to_string(id.value()));  // or the next one could not be claimed alone
  }
}

TEST_P(Reports, AReportIsTakenOnceByItsKey) {
  const JobId id = sent();
  const DeliveryReport report = about(id, {said("a@x.org", A::delayed)});
  EXPECT_EQ(take(report).kind, ReportKind::applied);
  const ReportOutcome again = take(report);
  EXPECT_EQ(again.kind, ReportKind::seen_before);
  EXPECT_EQ(again.job, id);
  EXPECT_EQ(moves(id).size(), 3U) << "one note";
  EXPECT_EQ(must(reports().reports({})).size(), 1U);
}

TEST_P(Reports, TwoWhoBringTheSameReportDoItOnce) {
  constexpr int kRounds = 10, kThreads = 4;
  for (int round = 0; round < kRounds; ++round) {
    const JobId id = sent(new_mail().to("a@x.org"));
    const DeliveryReport report = about(id, {said("a@x.org", A::deferred)});
    std::vector<ReportKind> kinds(kThreads);
    std::barrier together(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        together.arrive_and_wait();
        kinds[static_cast<std::size_t>(i)] = take(report).kind;
      });
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(std::ranges::count(kinds, ReportKind::applied), 1);
    EXPECT_EQ(std::ranges::count(kinds, ReportKind::seen_before), kThreads - 1);
    EXPECT_EQ(job(id).retry_count, 1);
    act(id, Act::cancel);
  }
}

TEST_P(Reports, ReportsOnOneMailAtOnceEndAsOneAfterTheOther) {
  for (int round = 0; round < 10; ++round) {
    const JobId id = sent();
    std::vector<DeliveryReport> all;
    for (const char* address : {"a@x.org", "b@x.org", "c@x.org"})
      all.push_back(about(id, {said(address, A::delivered)}));
    std::barrier together(3);
    std::vector<std::thread> threads;
    for (const DeliveryReport& report : all)
      threads.emplace_back([&] {
        together.arrive_and_wait();
        take(report);
      });
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(state(id), "DELIVERED");
    EXPECT_EQ(std::ranges::count(moves(id), "SENT -> DELIVERED"), 1);
  }
}

TEST_P(Reports, TheOrderDoesNotMatter) {
  struct Case {
    std::vector<RecipientReport> reports;
    const char* state;
    std::vector<R> statuses;
  };
  const Case cases[] = {
      {{said("a@x.org", A::delivered), said("b@x.org", A::failed, "5.1.1"), said("c@x.org", A::delivered)},
       "BOUNCED",
       {R::delivered, R::bounced, R::delivered}},
      {{said("a@x.org", A::delivered), said("b@x.org", A::given_up), said("c@x.org", A::delivered)},
       "DELIVERED",
       {R::delivered, R::refused, R::delivered}},
  };
  for (const Case& one : cases) {
    std::vector<std::size_t> order{0, 1, 2};
    do {
      const JobId id = sent();
      for (const std::size_t i : order)
        take(id, one.reports[i]);
      EXPECT_EQ(state(id), one.state);
      EXPECT_EQ(statuses(id), one.statuses);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_P(Reports, TheMailIsFoundByTheFirstReferenceThatLeadsToOne) {
  const JobId id = accepted(new_mail().to("a@x.org"));
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  must(drafts().note(
      std::vector{DraftNote{{id, "box@x.org", "draft-1", "<given@provider>", {}}, claimed.token}}));
  Settlement settlement = all_taken(claimed, 1);
  settlement.attempt->route = "smtp";
  settlement.provider_message_id = "4XyZ12";
  one.settle(settlement);
  const JobId other = sent(new_mail().to("z@x.org"));

  const std::string own = "<" + to_text(id) + "@mail.example.org>";
  const JobId nobody{42};
  const std::vector<std::vector<ReportReference>> ways{
      {{id, "", ""}},
      {{std::nullopt, own, ""}},
      {{std::nullopt, "<given@provider>", ""}},
      {{std::nullopt, "", "4XyZ12"}},
      {{std::nullopt, "", "draft-1"}},
      {{nobody, "", ""}, {std::nullopt, "<unknown@x>", "unknown"}, {id, "", ""}},
      {{nobody, own, ""}},
      {{id, "", ""}, {other, "", ""}},
  };
  for (std::size_t i = 0; i < ways.size(); ++i) {
    DeliveryReport report = about(nobody, {said("a@x.org", A::delayed)});
    report.references = ways[i];
    const ReportOutcome outcome = take(report);
    EXPECT_EQ(outcome.kind, ReportKind::applied) << "way " << i;
    EXPECT_EQ(outcome.job, id) << "way " << i;
  }
}

TEST_P(Reports, WhatLeadsToNoMailIsKeptAndListed) {
  const JobId id = sent();
  const std::vector<std::vector<ReportReference>> ways{
      {},
      {{JobId{42}, "", ""}},
      {{std::nullopt, "<0000000000001@x.org>", ""}},
      {{std::nullopt, "<no-id@x.org>", "captured"}},  // the capture route's ids are not looked for
      {{std::nullopt, std::string("<\0\xff@x>", 6), std::string("a\0b", 3)}},
  };
  for (const auto& references : ways) {
    DeliveryReport report = about(id, {said("b@x.org", A::failed, "5.1.1", "no\xff such\r\nuser")});
    report.source = ReportSource::provider;
    report.references = references;
    const ReportOutcome outcome = take(report);
    EXPECT_EQ(outcome.kind, ReportKind::unmatched);
    EXPECT_FALSE(outcome.job);
    EXPECT_THAT(outcome.suppressed, IsEmpty());
  }
  EXPECT_EQ(state(id), "SENT");
  take(id, said("a@x.org", A::delayed));

  const auto unmatched = must(reports().reports({.matched = false}));
  ASSERT_EQ(unmatched.size(), ways.size());
  EXPECT_EQ(unmatched[0].source, ReportSource::provider);
  EXPECT_TRUE(test::about(unmatched[0].at, now()));
  EXPECT_GT(unmatched[0].number, unmatched[1].number) << "the newest first";
  const auto body = parse_json(unmatched[1].body);
  EXPECT_EQ(text_at(body, {"key"}), "dsn:4");
  EXPECT_THAT(unmatched[1].body, HasSubstr("\"providerMessageId\":\"captured\""));
  EXPECT_THAT(unmatched[1].body, HasSubstr("\"action\":\"failed\""));
  const auto matched = must(reports().reports({.matched = true}));
  ASSERT_EQ(matched.size(), 1U);
  EXPECT_EQ(matched[0].job, id);
  EXPECT_EQ(must(reports().reports({.job = id})).size(), 1U);
  EXPECT_THAT(must(reports().reports({.matched = false, .job = id})), IsEmpty());
  EXPECT_THAT(must(reports().reports({.job = JobId{42}})), IsEmpty());

  std::vector<std::int64_t> numbers;
  ReportQuery page{.limit = 2};
  for (auto some = must(reports().reports(page)); !some.empty(); some = must(reports().reports(page))) {
    for (const ReportRecord& one : some)
      numbers.push_back(one.number);
    page.before = numbers.back();
  }
  EXPECT_EQ(numbers.size(), ways.size() + 1);
  EXPECT_TRUE(std::ranges::is_sorted(numbers, std::ranges::greater{}));
}

TEST_P(Reports, AWebhookJobIsNoMail) {
  const JobId id = sent();
  sql("UPDATE outbox SET channel = 'webhook' WHERE id = " + std::to_string(id.value()));
  EXPECT_EQ(take(id, said("a@x.org", A::failed)).kind, ReportKind::unmatched);
}

TEST_P(Reports, CallbacksAreToldOfChangesAndNotOfNotes) {
  NewJob mail = new_mail().to("a@x.org").to("b@x.org");
  mail.callback = true;
  const JobId id = sent(mail);
  must(feed().told(must(feed().untold(10))));
  take(id, said("a@x.org", A::delayed));
  take(id, said("a@x.org", A::delivered));
  EXPECT_THAT(must(feed().untold(10)), IsEmpty());
  take(id, said("b@x.org", A::delivered));
  const auto untold = must(feed().untold(10));
  ASSERT_EQ(untold.size(), 1U);
  EXPECT_EQ(untold[0].event.to, "DELIVERED");
}

TEST_P(Reports, AnUncertainMailIsSentAndGivesUpItsTurn) {
  const JobId id = accepted(new_mail().to("a@x.org").to("b@x.org").blocking_group("g"));
  const JobId next = accepted(new_mail().blocking_group("g"));
  Worker one = worker();
  one.settle(settle_failed(one.claim_only(), DeadReason::Uncertain));
  ASSERT_TRUE(has_turn(id));
  const ReportOutcome outcome = take(id, said("a@x.org", A::delivered));
  EXPECT_EQ(outcome.from, "FAILED");
  EXPECT_EQ(outcome.to, "SENT");
  EXPECT_EQ(status(id), "sent");
  EXPECT_FALSE(job(id).dead_reason);
  EXPECT_EQ(job(id).last_error, "");
  EXPECT_TRUE(test::about(job(id).finished_at, now()));
  EXPECT_THAT(statuses(id), ElementsAre(R::delivered, R::taken));
  EXPECT_FALSE(has_turn(id));
  EXPECT_TRUE(has_turn(next)) << "the group goes on";
  EXPECT_EQ(outcome.lane, lane_of());
  EXPECT_EQ(moves(id).at(2), "FAILED -> SENT");
}

TEST_P(Reports, ADeferredMailGoesOutAgain) {
  RetryPolicy policy;
  policy.strategy = RetryStrategy::fixed;
  policy.delay = seconds{600};
  const JobId id = sent(new_mail().to("a@x.org").to("b@x.org").with_retry(policy));
  const ReportOutcome outcome = take(id, said("b@x.org", A::deferred, "4.3.2", "busy"));
  EXPECT_EQ(outcome.to, "RETRY_PENDING");
  EXPECT_EQ(outcome.lane, lane_of());
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::queued);
  EXPECT_EQ(row.retry_count, 1);
  EXPECT_TRUE(row.partial) << "a@x.org has it";
  EXPECT_FALSE(row.finished_at);
  EXPECT_EQ(row.last_error, "4.3.2 busy");
  EXPECT_TRUE(test::about(row.next_attempt_at, now() + seconds{600}));
  Worker one = worker();
  EXPECT_THAT(one.claim(), IsEmpty());
  travel(seconds{601 + 20});
  const ClaimedJob claimed = one.claim_only();
  const MailContent content = must(outbox().load_contents(std::vector{id}, {})).mails.at(0);
  EXPECT_EQ(content.recipients.at(0).status, R::taken);
  EXPECT_EQ(content.recipients.at(1).status, R::waiting) << "it is sent to again";
  Settlement again = settle_sent(claimed);
  again.decision.recipients = {{1, R::taken, "250 ok"}};
  one.settle(again);
  EXPECT_EQ(state(id), "SENT");
}

TEST_P(Reports, ADeferredMailJoinsItsGroupsLine) {
  const JobId id = sent(new_mail().to("a@x.org").in_group("g", 1));
  const JobId other = accepted(new_mail().in_group("g", 2));
  ASSERT_TRUE(has_turn(other));
  take(id, said("", A::deferred));
  EXPECT_EQ(status(id), "blocked");
  EXPECT_EQ(state(id), "RETRY_PENDING");
  EXPECT_FALSE(has_turn(id));
  Worker one = worker();
  one.settle(settle_sent(one.claim_only()));
  EXPECT_FALSE(has_turn(id)) << "it is not due";
  travel(hours{2});
  sweep(Sweep::promote);
  EXPECT_TRUE(has_turn(id));
  EXPECT_EQ(one.claim_only().job.id, id);
}

TEST_P(Reports, WithoutAttemptsLeftADeferredMailIsDead) {
  const JobId id = sent(new_mail().to("a@x.org").attempts_max(1));
  EXPECT_EQ(take(id, said("a@x.org", A::deferred)).to, "FAILED");
  EXPECT_EQ(job(id).dead_reason, DeadReason::MaxAttemptsExceeded);
  EXPECT_TRUE(test::about(job(id).finished_at, now()));
  EXPECT_EQ(act(id, Act::retry).kind, ActKind::done) << "people may still send it again";
}

TEST_P(Reports, WhatContradictsAFinalStateIsANote) {
  const JobId delivered = sent(new_mail().to("a@x.org"));
  take(delivered, said("a@x.org", A::delivered));
  take(delivered, said("a@x.org", A::failed, "5.1.1"));
  EXPECT_EQ(state(delivered), "DELIVERED");
  EXPECT_EQ(moves(delivered).back(), "DELIVERED -> DELIVERED");
  const JobId cancelled = accepted(new_mail().to("a@x.org"));
  act(cancelled, Act::cancel);
  take(cancelled, said("a@x.org", A::failed, "5.1.1"));
  EXPECT_EQ(state(cancelled), "CANCELLED");
  EXPECT_EQ(moves(cancelled).back(), "CANCELLED -> CANCELLED");
  const JobId waiting = accepted(new_mail().to("a@x.org"));
  take(waiting, said("a@x.org", A::delivered));
  EXPECT_EQ(state(waiting), "QUEUED");
  EXPECT_THAT(statuses(waiting), ElementsAre(R::waiting));
  EXPECT_THAT(suppressed(), IsEmpty());
}

// The relay took one recipient and bounced it while the other was still greylisted.
TEST_P(Reports, AnEarlyReportCountsOnceTheMailIsSent) {
  NewJob mail = new_mail().to("a@x.org").to("b@x.org");
  mail.callback = true;
  const JobId id = accepted(mail);
  Worker one = worker();
  one.settle(settle_partial(one.claim_only(), seconds{0}));
  const ClaimedJob leased = one.claim_only();
  EXPECT_EQ(take(id, said("a@x.org", A::failed, "5.1.1")).to, "RETRY_PENDING");
  EXPECT_EQ(status(id), "dispatching") << "a lease is not touched";
  EXPECT_THAT(suppressed(), ElementsAre("a@x.org"));
  Settlement done = settle_sent(leased);
  done.decision.recipients = {{1, R::taken, "250 ok"}};
  ASSERT_EQ(one.settle(done), SettleOutcome::settled);
  EXPECT_EQ(state(id), "BOUNCED");
  EXPECT_THAT(statuses(id), ElementsAre(R::bounced, R::taken));
  const std::vector<std::string> all = moves(id);
  EXPECT_EQ(all.at(all.size() - 2), "RETRY_PENDING -> SENT");
  EXPECT_EQ(all.back(), "SENT -> BOUNCED");
  EXPECT_EQ(must(feed().untold(10)).back().event.to, "BOUNCED");
}

TEST_P(Reports, AnEarlyReportCountsWhenTheRestExpires) {
  const JobId id = accepted(new_mail().to("a@x.org").to("b@x.org").expiring_at(now() + hours{1}));
  Worker one = worker();
  one.settle(settle_partial(one.claim_only(), hours{3}));
  take(id, said("a@x.org", A::delivered));
  travel(hours{2});
  ASSERT_EQ(sweep(Sweep::expire).changed, 1);
  EXPECT_EQ(state(id), "DELIVERED") << "the other one was refused and does not count";
  EXPECT_EQ(moves(id).back(), "SENT -> DELIVERED");
}

// Its rows give no reason: a full mailbox fails, too.
TEST_P(Reports, AFailureInTheMessageTraceSuppressesNobody) {
  const JobId id = sent(new_mail().to("a@x.org"));
  DeliveryReport report = about(id, {said("a@x.org", A::failed, "", "message trace: failed")});
  report.source = ReportSource::message_trace;
  const ReportOutcome outcome = take(report);
  EXPECT_EQ(outcome.to, "BOUNCED");
  EXPECT_THAT(outcome.suppressed, IsEmpty());
  EXPECT_THAT(suppressed(), IsEmpty());
}

TEST_P(Reports, RetentionTakesAMailsReportsAndOldOnesWithoutAMail) {
  const JobId id = sent();
  take(id, said("b@x.org", A::failed, "5.1.1"));
  DeliveryReport stray = about(id, {said("b@x.org", A::failed)});
  stray.references.clear();
  take(stray);
  EXPECT_EQ(sweep(Sweep::reports).changed, 0);
  travel(days{31});
  EXPECT_EQ(sweep(Sweep::retain).changed, 1);
  EXPECT_EQ(count("delivery_reports"), 1);
  EXPECT_EQ(sweep(Sweep::reports).changed, 1);
  EXPECT_EQ(count("delivery_reports"), 0);
  EXPECT_THAT(suppressed(), ElementsAre("b@x.org")) << "who bounced is still not written to";
}

}  // namespace
}  // namespace eilbote::test::reports_test
