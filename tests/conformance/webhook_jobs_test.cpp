// Webhook jobs in the outbox: what goes in comes out, in content, lists and states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::webhook_jobs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

EILBOTE_ON_BOTH_STORES(WebhookJobs);

Webhook everything() {
  Webhook webhook;
  webhook.external_id = "ext-1";
  webhook.source = "shop-api";
  webhook.kind = DispatchKind::EVENT;
  webhook.code = "orders:created";
  webhook.subject = "order:12345";
  webhook.event_id = "evt-1";
  webhook.correlation_id = "req-1";
  webhook.subscription_id = "sub-1";
  webhook.metadata = {{"customer_id", "cust_789"}, {"quote", "a \"b\" \\ c"}};
  webhook.target_url = "https://a.example/hook?x=1";
  webhook.headers = {{"X-Custom", "value"}, {"X-Other", "ä"}};
  webhook.payload = "{\"order\": \"grün\"}";
  webhook.payload_content_type = "application/vnd.shop+json";
  webhook.data_only = false;
  webhook.service_account_id = "0HZXEQ5Y8JY22";
  webhook.schema_id = "0HZXEQ5Y8JY23";
  webhook.mode = GroupMode::NEXT_ON_ERROR;
  webhook.message_group = "order:12345";
  webhook.sequence = 7;
  webhook.timeout_seconds = 12;
  webhook.max_retries = 9;
  webhook.retry_strategy = RetryStrategy::fixed;
  webhook.idempotency_key = "key-1";
  return webhook;
}

ListQuery jobs() {
  ListQuery query;
  query.channel = ChannelKind::webhook;
  query.client = ClientName{"shop"};
  return query;
}

std::vector<JobId> ids_of(const Page& page) {
  return test::ids_of(page.jobs);
}

TEST_P(WebhookJobs, EveryFieldComesBack) {
  const JobId id = accepted(WebhookBuilder(new_id()).with([](Webhook& w) { w = everything(); }));
  const WebhookContent content = must(outbox().load_contents({}, std::span(&id, 1))).webhooks.at(0);
  EXPECT_EQ(content.webhook, everything());
  EXPECT_EQ(content.trace_id, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(content.trace_span, "00f067aa0ba902b7-01");
  const JobRecord found = record(id);
  EXPECT_EQ(found.trace_id, content.trace_id);
  EXPECT_EQ(found.trace_span, content.trace_span);
  ASSERT_TRUE(found.webhook);
  EXPECT_EQ(*found.webhook, everything());
  EXPECT_EQ(found.job.route, "a.example");
  EXPECT_EQ(found.job.pool, "webhook");
}

TEST_P(WebhookJobs, AreNotMails) {
  const JobId hook = accepted(WebhookBuilder(new_id()));
  const JobId mail = accepted(new_mail());
  ListQuery mails;
  mails.client = ClientName{"shop"};
  EXPECT_THAT(ids_of(must(outbox().list(mails))), ElementsAre(mail));
  EXPECT_THAT(ids_of(must(outbox().list(jobs()))), ElementsAre(hook));
  ActRequest cancel_mail;
  cancel_mail.actor = "ann";
  EXPECT_EQ(must(outbox().act(std::span(&hook, 1), cancel_mail)).at(0).kind, ActKind::not_found);
  EXPECT_EQ(status(hook), "queued");
}

TEST_P(WebhookJobs, AnActAnswersTheWholeJob) {
  const JobId id = accepted(WebhookBuilder(new_id()));
  ActRequest cancel;
  cancel.channel = ChannelKind::webhook;
  cancel.actor = "ann";
  for (const ActKind want : {ActKind::done, ActKind::refused}) {
    const ActOutcome outcome = must(outbox().act(std::span(&id, 1), cancel)).at(0);
    EXPECT_EQ(outcome.kind, want);
    EXPECT_EQ(outcome.job.status, JobStatus::cancelled);
    EXPECT_EQ(outcome.job.client, ClientName{"shop"});
    EXPECT_EQ(outcome.job.pool, "webhook");
    EXPECT_EQ(outcome.job.route, "a.example");
  }
}

TEST_P(WebhookJobs, AreFoundByEachOfTheirFields) {
  const JobId wanted = accepted(WebhookBuilder(new_id()).with([](Webhook& w) { w = everything(); }));
  accepted(WebhookBuilder(new_id()).with([](Webhook& w) {
    w.source = "other";
    w.code = "other";
  }));
  accepted(WebhookBuilder(new_id()).from_client("another").with([](Webhook& w) { w = everything(); }));
  const std::pair<const char*, std::function<void(ListQuery&)>> cases[] = {
      {"externalId", [](ListQuery& q) { q.webhook.external_id = "ext-1"; }},
      {"source", [](ListQuery& q) { q.webhook.source = "shop-api"; }},
      {"code", [](ListQuery& q) { q.webhook.code = "orders:created"; }},
      {"kind", [](ListQuery& q) { q.webhook.kind = DispatchKind::EVENT; }},
      {"mode", [](ListQuery& q) { q.webhook.mode = GroupMode::NEXT_ON_ERROR; }},
      {"subject", [](ListQuery& q) { q.webhook.subject = "order:12345"; }},
      {"eventId", [](ListQuery& q) { q.webhook.event_id = "evt-1"; }},
      {"correlationId", [](ListQuery& q) { q.webhook.correlation_id = "req-1"; }},
      {"subscriptionId", [](ListQuery& q) { q.webhook.subscription_id = "sub-1"; }},
      {"messageGroup", [](ListQuery& q) { q.webhook.group = "order:12345"; }},
      {"serviceAccountId", [](ListQuery& q) { q.webhook.service_account_id = "0HZXEQ5Y8JY22"; }},
      {"metadata",
       [](ListQuery& q) {
         q.metadata = {{"customer_id", "cust_789"}};
       }},
      {"two of metadata",
       [](ListQuery& q) {
         q.metadata = {{"quote", "a \"b\" \\ c"}, {"customer_id", "cust_789"}};
       }},
  };
  for (const auto& [name, set] : cases) {
    ListQuery query = jobs();
    set(query);
    EXPECT_THAT(ids_of(must(outbox().list(query))), ElementsAre(wanted)) << name;
  }
  ListQuery nothing = jobs();
  nothing.metadata = {{"customer_id", "cust_788"}};
  EXPECT_THAT(ids_of(must(outbox().list(nothing))), IsEmpty());
  nothing = jobs();
  nothing.webhook.subject = "order:12345";
  nothing.webhook.source = "other";
  EXPECT_THAT(ids_of(must(outbox().list(nothing))), IsEmpty());
}

TEST_P(WebhookJobs, AreListedByTheirState) {
  Worker one = worker();
  const JobId later = accepted(WebhookBuilder(new_id()).scheduled_for(now() + hours{2}));
  const JobId failed = accepted(WebhookBuilder(new_id()).to_host("b.example"));
  one.settle(settle_failed(one.claim_only()));
  const JobId waiting = accepted(WebhookBuilder(new_id()).to_host("c.example"));
  const auto listed = [&](WebhookState state) {
    ListQuery query = jobs();
    query.webhook.state = state;
    return ids_of(must(outbox().list(query)));
  };
  EXPECT_THAT(listed(WebhookState::PENDING), ElementsAre(later));
  EXPECT_THAT(listed(WebhookState::QUEUED), ElementsAre(waiting));
  EXPECT_THAT(listed(WebhookState::ERROR), ElementsAre(failed));
  EXPECT_THAT(listed(WebhookState::COMPLETED), IsEmpty());
  ListQuery due = jobs();
  due.webhook.due = true;
  EXPECT_THAT(ids_of(must(outbox().list(due))), ElementsAre(waiting));
  ListQuery dead = jobs();
  dead.webhook.dead = true;
  EXPECT_THAT(ids_of(must(outbox().list(dead))), ElementsAre(failed));
}

TEST_P(WebhookJobs, AnExpiredOneIsCancelledAndFreesItsGroup) {
  const JobId first = accepted(WebhookBuilder(new_id()).in_group("orders").expiring_at(now() + minutes{1}));
  const JobId second = accepted(WebhookBuilder(new_id()).in_group("orders"));
  EXPECT_EQ(status(second), "blocked");
  travel(minutes{2});
  EXPECT_EQ(sweep(Sweep::expire).changed, 1);
  EXPECT_EQ(public_state_text(job(first)), "CANCELLED");
  EXPECT_EQ(job(first).last_error, "EXPIRED");
  EXPECT_EQ(status(second), "queued");
  EXPECT_THAT(moves(first), ElementsAre(" -> QUEUED", "QUEUED -> CANCELLED"));
}

TEST_P(WebhookJobs, ReadTheSameInTheView) {
  Worker one = worker();
  const JobId failed = accepted(WebhookBuilder(new_id()).with([](Webhook& w) { w = everything(); }));
  one.settle(settle_failed(one.claim_only()));
  const JobId waiting = accepted(WebhookBuilder(new_id()));
  const JobId later = accepted(WebhookBuilder(new_id()).scheduled_for(now() + hours{5}));
  for (const JobId id : {failed, waiting, later})
    EXPECT_EQ(value(R"(SELECT "status" FROM dispatch_jobs WHERE "id" = ')" + to_text(id) + "'"),
              kWebhookStateNames.text(webhook_state(job(id), WebhookView{false, now()})));
  const std::string of_failed = R"(FROM dispatch_jobs WHERE "externalId" = 'ext-1')";
  EXPECT_EQ(value(R"(SELECT "eventId" )" + of_failed), "evt-1");
  EXPECT_EQ(value(R"(SELECT "clientId" )" + of_failed), "shop");
  EXPECT_EQ(value(R"(SELECT "payload" )" + of_failed), everything().payload);
}

TEST_P(WebhookJobs, TheFirstStateOfAScheduledOneIsPending) {
  const JobId id = accepted(WebhookBuilder(new_id()).scheduled_for(now() + hours{1}));
  EXPECT_THAT(moves(id), ElementsAre(" -> PENDING"));
}

TEST_P(WebhookJobs, GoWithEverythingTheyHadAfterRetention) {
  Worker one = worker();
  const JobId id = accepted(WebhookBuilder(new_id()).with([](Webhook& w) { w = everything(); }));
  one.settle(settle_sent(one.claim_only()));
  travel(days{31});
  EXPECT_EQ(sweep(Sweep::retain).changed, 1);
  for (const char* table : {"outbox", "webhooks", "attempts", "mail_status", "facets"})
    EXPECT_EQ(count(table), 0) << table;
  EXPECT_FALSE(must(outbox().find(id, std::nullopt)));
}

}  // namespace
}  // namespace eilbote::test::webhook_jobs_test
