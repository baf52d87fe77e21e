// What accept() stores, and that it comes back unchanged: the row, the content, the first event, the lane.
#include <boost/json.hpp>

#include "support/outbox_fixture.h"

namespace eilbote::test::accept_content_test {
namespace {

EILBOTE_ON_BOTH_STORES(AcceptContent);

TEST_P(AcceptContent, AMailIsQueuedAndDueAtOnce) {
  const JobId id = accepted(new_mail().attempts_max(7));
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::queued);
  EXPECT_EQ(row.client.value(), "shop");
  EXPECT_EQ(row.pool, "mail");
  EXPECT_EQ(row.channel, ChannelKind::mail);
  EXPECT_EQ(row.retry_count, 0);
  EXPECT_EQ(row.attempts_max, 7);
  EXPECT_EQ(row.attempts, 0);
  EXPECT_EQ(row.group_mode, GroupMode::IMMEDIATE);
  EXPECT_FALSE(row.dead_reason || row.report || row.finished_at || row.last_attempt_at || row.expires_at);
  EXPECT_TRUE(about(row.next_attempt_at, now()));
  EXPECT_TRUE(about(row.created_at, now()));
  EXPECT_TRUE(about(row.updated_at, now()));
  EXPECT_EQ(state(id), "QUEUED");
}

TEST_P(AcceptContent, ScheduledMailWaitsForItsTimeAndAPastOneIsDueNow) {
  const TimePoint later = now() + hours{3} + Duration{17};
  const JobId future = accepted(new_mail().scheduled_for(later));
  const JobId past = accepted(new_mail().scheduled_for(now() - hours{3}));
  EXPECT_EQ(job(future).next_attempt_at, later) << "to the microsecond";
  EXPECT_TRUE(about(job(past).next_attempt_at, now()));
}

TEST_P(AcceptContent, ExpiryIsKeptToTheMicrosecond) {
  const TimePoint end = now() + days{5} + Duration{1};
  EXPECT_EQ(job(accepted(new_mail().expiring_at(end))).expires_at, end);
}

TEST_P(AcceptContent, TheContentComesBackByteForByte) {
  std::string bytes = "Subject: \xc3\xbc\r\n\r\n";
  for (int c = 0; c < 256; ++c)
    bytes += static_cast<char>(c);
  const JobId id = accepted(new_mail().with_mime(bytes).traced("trace-1").on_uncertain(OnUncertain::hold));
  const MailContent mail = must(outbox().load_contents(std::span(&id, 1), {})).mails.at(0);
  EXPECT_EQ(mail.id, id);
  EXPECT_EQ(mail.mime, bytes);
  EXPECT_EQ(mail.sender, "shop@example.org");
  EXPECT_EQ(mail.trace_id, "trace-1");
  EXPECT_EQ(mail.on_uncertain, OnUncertain::hold);
  EXPECT_FALSE(mail.retry);
  EXPECT_EQ(mail.message_key, to_text(id)) << "without an Idempotency-Key the id is the key";
}

TEST_P(AcceptContent, AMegabyteOfMimeIsStored) {
  const std::string bytes(3 << 20, '\xff');
  const JobId id = accepted(new_mail().with_mime(bytes));
  EXPECT_EQ(must(outbox().load_contents(std::span(&id, 1), {})).mails.at(0).mime, bytes);
}

TEST_P(AcceptContent, RecipientsKeepEnvelopeOrderAndKind) {
  const JobId id = accepted(new_mail().to("b@x.org").to("a@x.org").cc("\xc3\xbc@x.org").bcc("Q@X.ORG"));
  const std::vector<Recipient> expected{{RecipientKind::to, "b@x.org"},
                                        {RecipientKind::to, "a@x.org"},
                                        {RecipientKind::cc, "\xc3\xbc@x.org"},
                                        {RecipientKind::bcc, "Q@X.ORG"}};
  EXPECT_EQ(must(outbox().load_contents(std::span(&id, 1), {})).mails.at(0).recipients, expected);
  EXPECT_EQ(record(id).recipients, expected);
}

TEST_P(AcceptContent, EveryRetryPolicyComesBack) {
  RetryPolicy exponential{RetryStrategy::exponential, 9, seconds{7}, seconds{700}, 0.0};
  RetryPolicy schedule{RetryStrategy::schedule, 3};
  schedule.schedule = {seconds{60}, seconds{300}, seconds{86400}};
  RetryPolicy fixed{RetryStrategy::fixed, 100};
  fixed.delay = seconds{11};
  RetryPolicy linear = exponential;
  linear.strategy = RetryStrategy::linear;
  for (const RetryPolicy& policy :
       {exponential, linear, schedule, fixed, RetryPolicy{RetryStrategy::immediate, 1}}) {
    const JobId id = accepted(new_mail().with_retry(policy));
    EXPECT_EQ(must(outbox().load_contents(std::span(&id, 1), {})).mails.at(0).retry, policy)
        << kRetryStrategyNames.text(policy.strategy);
  }
}

TEST_P(AcceptContent, MailsAreLoadedInTheOrderAskedFor) {
  std::vector<JobId> ids = accepted_many(5);
  std::swap(ids[0], ids[3]);
  std::swap(ids[1], ids[4]);
  std::vector<JobId> loaded;
  for (const MailContent& mail : must(outbox().load_contents(ids, {})).mails)
    loaded.push_back(mail.id);
  EXPECT_EQ(loaded, ids);
}

TEST_P(AcceptContent, MetaIsTheSameJson) {
  const std::string meta =
      R"({"subject":"Gr\u00fc\u00dfe \"x\"","metadata":{"k":"v"},"tags":["a","b"],"campaignId":"c","group":"g"})";
  const JobId id = accepted(new_mail().with_meta(meta));
  EXPECT_EQ(boost::json::parse(record(id).meta), boost::json::parse(meta));
}

TEST_P(AcceptContent, TheFirstEventSaysAcceptedByTheClient) {
  const JobId id = accepted(new_mail().from_client("billing").traced("trace-7"));
  const JobHistory history = must(outbox().history(id));
  EXPECT_TRUE(history.attempts.empty());
  ASSERT_EQ(history.events.size(), 1U);
  StatusEvent first = history.events[0];
  EXPECT_TRUE(about(first.at, now()));
  first.at = {};
  EXPECT_EQ(first, (StatusEvent{{}, "", "QUEUED", "accepted", "billing", "trace-7"}));
}

TEST_P(AcceptContent, TheSpanAMailCameFromIsKeptBesideItsTrace) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const JobId known = accepted(new_mail().traced(trace, "00f067aa0ba902b7-01"));
  const JobId unknown = accepted(new_mail().traced(trace));
  const JobId ids[] = {known, unknown};
  const auto mails = must(outbox().load_contents(ids, {})).mails;
  ASSERT_EQ(mails.size(), 2U);
  EXPECT_EQ(mails[0].trace_id, trace);
  EXPECT_EQ(mails[0].trace_span, "00f067aa0ba902b7-01");
  EXPECT_EQ(mails[1].trace_id, trace);
  EXPECT_EQ(mails[1].trace_span, "");
  EXPECT_EQ(record(known).trace_id, trace);
  EXPECT_EQ(record(known).trace_span, "00f067aa0ba902b7-01");
  EXPECT_EQ(must(outbox().history(known)).events.at(0).trace_id, trace);
}

TEST_P(AcceptContent, ARecordCarriesKeyAndTrace) {
  const JobId id = accepted(new_mail().keyed("order-1001").traced("trace-3"));
  const JobRecord found = record(id);
  EXPECT_EQ(found.message_key, "order-1001");
  EXPECT_EQ(found.trace_id, "trace-3");
  EXPECT_TRUE(found.provider_message_id.empty());
  EXPECT_FALSE(found.last_failure);
}

TEST_P(AcceptContent, AnotherClientDoesNotSeeIt) {
  const JobId id = accepted(new_mail().from_client("shop"));
  accepted(new_mail().from_client("billing"));
  EXPECT_TRUE(must(outbox().find(id, ClientName{"shop"})));
  EXPECT_FALSE(must(outbox().find(id, ClientName{"billing"})));
  EXPECT_FALSE(must(outbox().find(id, ClientName{"never heard of"})));
  EXPECT_TRUE(must(outbox().find(id, std::nullopt)));
  EXPECT_FALSE(must(outbox().find(JobId{42}, std::nullopt)));
}

TEST_P(AcceptContent, OneLanePerPoolClientAndRoute) {
  const LaneId first = accept(new_mail()).lane;
  EXPECT_EQ(accept(new_mail()).lane, first);
  const LaneId other_client = accept(new_mail().from_client("billing")).lane;
  const LaneId other_pool = accept(new_mail().in_pool("bulk")).lane;
  EXPECT_NE(other_client, first);
  EXPECT_NE(other_pool, first);
  EXPECT_NE(other_pool, other_client);
  EXPECT_EQ(first, lane_of("shop", "mail"));
}

TEST_P(AcceptContent, ActiveLanesNameTheirEarliestRow) {
  accepted(new_mail().scheduled_for(now() + hours{5}));
  accepted(new_mail().scheduled_for(now() + hours{2}));
  accepted(new_mail().from_client("billing").in_pool("bulk"));
  const ActiveLanes active = must(outbox().active_lanes());
  ASSERT_EQ(active.lanes.size(), 2U);
  EXPECT_TRUE(about(active.now, now()));
  for (const ActiveLane& lane : active.lanes) {
    const bool shop = lane.client.value() == "shop";
    EXPECT_EQ(lane.pool, shop ? "mail" : "bulk");
    EXPECT_EQ(lane.channel, ChannelKind::mail);
    EXPECT_EQ(lane.route, "");
    EXPECT_TRUE(about(lane.next_due, shop ? now() + hours{2} : now()));
    EXPECT_EQ(lane.lane, lane_of(lane.client.value(), lane.pool));
  }
}

TEST_P(AcceptContent, ALaneWithNothingQueuedIsNotActive) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  ASSERT_EQ(ids_of(one.claim()), std::vector{id});
  EXPECT_TRUE(must(outbox().active_lanes()).lanes.empty());
}

TEST_P(AcceptContent, EverythingIsStillThereAfterReopening) {
  const JobId id = accepted(new_mail().keyed("order-1001"));
  reopen();
  EXPECT_EQ(state(id), "QUEUED");
  EXPECT_EQ(accept(new_mail().keyed("order-1001")).kind, AcceptKind::replayed);
  EXPECT_TRUE(outbox().check());
}

}  // namespace
}  // namespace eilbote::test::accept_content_test
