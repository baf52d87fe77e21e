// list(): each state and filter, alone and together, for one client and for all.
#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::list_test {
namespace {

class List : public StoreFixture {
 protected:
  std::vector<JobId> listed(const ListQuery& query) { return ids_of(must(outbox().list(query)).jobs); }
  ListQuery of_shop() { return ListQuery{.client = ClientName{"shop"}}; }

  // One mail in each public state, for a client.
  std::map<MailState, JobId> one_of_each(const std::string& client = "shop") {
    std::map<MailState, JobId> ids;
    Worker one = worker();
    const auto claimed = [&](JobId id) { return one.claim_one(id).value(); };
    for (const auto& [state, text] : kMailStateNames.entries) {
      const JobId id = accepted(new_mail().from_client(client).tagged(std::string(text)));
      ids[state] = id;
      if (state == MailState::RETRY_PENDING) one.settle(settle_retry(claimed(id)));
      if (state == MailState::SENT || state == MailState::DELIVERED || state == MailState::BOUNCED)
        one.settle(settle_sent(claimed(id)));
      if (state == MailState::DELIVERED || state == MailState::BOUNCED)
        sql(std::string("UPDATE outbox SET report = '") +
            (state == MailState::BOUNCED ? "bounced" : "delivered") +
            "' WHERE id = " + std::to_string(id.value()));
      if (state == MailState::FAILED) one.settle(settle_failed(claimed(id), DeadReason::PermanentFailure));
      if (state == MailState::CANCELLED) act(id, Act::cancel);
    }
    return ids;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, List, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(List, NewestFirst) {
  std::vector<JobId> ids = accepted_many(5);
  std::reverse(ids.begin(), ids.end());
  EXPECT_EQ(listed(of_shop()), ids);
  EXPECT_EQ(listed(ListQuery{}), ids);
}

TEST_P(List, EachState) {
  const std::map<MailState, JobId> mine = one_of_each("shop");
  one_of_each("billing");
  for (const auto& [state, id] : mine) {
    ListQuery query = of_shop();
    query.state = state;
    EXPECT_EQ(listed(query), std::vector{id}) << kMailStateNames.text(state);
    query.client.reset();
    EXPECT_EQ(listed(query).size(), 2U) << "all clients, " << kMailStateNames.text(state);
  }
  EXPECT_EQ(listed(of_shop()).size(), mine.size());
  EXPECT_EQ(listed(ListQuery{}).size(), 2 * mine.size());
}

TEST_P(List, WaitingInEveryPrivateStateIsQueuedOrRetryPending) {
  accepted(new_mail().in_group("g"));
  const JobId blocked = accepted(new_mail().in_group("g"));
  const JobId leased = accepted(new_mail());
  Worker one = worker();
  one.claim_one(leased);
  const JobId deferred = accepted(new_mail());
  one.settle(settle_deferred(one.claim_one(deferred).value()));
  const JobId partial = accepted(new_mail().to("a@x.org").to("b@x.org"));
  Settlement half = settle_partial(one.claim_one(partial).value());
  half.decision.retry_count = 0;
  one.settle(half);
  ListQuery query = of_shop();
  query.state = MailState::QUEUED;
  EXPECT_EQ(listed(query).size(), 3U);
  EXPECT_EQ(listed(query)[0], leased);
  EXPECT_EQ(listed(query)[1], blocked);
  query.state = MailState::RETRY_PENDING;
  EXPECT_EQ(listed(query), (std::vector{partial, deferred}));
}

TEST_P(List, EachDeadReason) {
  std::map<DeadReason, JobId> ids;
  Worker one = worker();
  for (const auto& [reason, text] : kDeadReasonNames.entries) {
    ids[reason] = accepted(new_mail());
    one.settle(settle_failed(one.claim_one(ids[reason]).value(), reason));
  }
  for (const auto& [reason, id] : ids) {
    ListQuery query = of_shop();
    query.dead_reason = reason;
    EXPECT_EQ(listed(query), std::vector{id}) << kDeadReasonNames.text(reason);
    query.state = MailState::FAILED;
    EXPECT_EQ(listed(query), std::vector{id});
    query.state = MailState::QUEUED;
    EXPECT_TRUE(listed(query).empty());
  }
}

TEST_P(List, ByRecipientWhateverTheCase) {
  const JobId to = accepted(new_mail().to("Ann@Example.org"));
  const JobId bcc = accepted(new_mail().to("bob@example.org").bcc("ANN@example.org"));
  accepted(new_mail().to("joann@example.org"));
  accepted(new_mail().from_client("billing").to("ann@example.org"));
  ListQuery query = of_shop();
  query.recipient = "ann@EXAMPLE.org";
  EXPECT_EQ(listed(query), (std::vector{bcc, to}));
  query.client.reset();
  EXPECT_EQ(listed(query).size(), 3U) << "all clients";
}

TEST_P(List, ByTagAndByCampaign) {
  const JobId spring = accepted(new_mail().tagged("spring").tagged("sale").of_campaign("c-1"));
  const JobId sale = accepted(new_mail().tagged("sale").of_campaign("c-2"));
  accepted(new_mail().tagged("Sale").of_campaign("C-1"));
  accepted(new_mail().from_client("billing").tagged("sale").of_campaign("c-1"));
  ListQuery query = of_shop();
  query.tag = "sale";
  EXPECT_EQ(listed(query), (std::vector{sale, spring}));
  query.tag = "spring";
  EXPECT_EQ(listed(query), std::vector{spring});
  query = of_shop();
  query.campaign_id = "c-1";
  EXPECT_EQ(listed(query), std::vector{spring});
  query.campaign_id = "none";
  EXPECT_TRUE(listed(query).empty());
}

TEST_P(List, ByMetadata) {
  const JobId first = accepted(new_mail().about("order", "4711").about("customer", "77"));
  const JobId second = accepted(new_mail().about("order", "4711").about("quote", "a \"b\" \\ c"));
  accepted(new_mail().about("order", "4712"));
  accepted(new_mail().about("ORDER", "4711"));
  accepted(new_mail().about("customer", "4711"));
  accepted(new_mail().tagged("order=4711"));
  const JobId another = accepted(new_mail().from_client("billing").about("order", "4711"));
  ListQuery query = of_shop();
  query.metadata = {{"order", "4711"}};
  EXPECT_EQ(listed(query), (std::vector{second, first}));
  query.client.reset();
  EXPECT_EQ(listed(query), (std::vector{another, second, first})) << "all clients";
  query = of_shop();
  query.metadata = {{"order", "4711"}, {"customer", "77"}};
  EXPECT_EQ(listed(query), std::vector{first});
  query.metadata = {{"customer", "77"}, {"order", "4712"}};
  EXPECT_TRUE(listed(query).empty());
  query.metadata = {{"quote", "a \"b\" \\ c"}};
  EXPECT_EQ(listed(query), std::vector{second});
  query.metadata = {{"order", "4711"}};
  query.recipient = "ann@example.org";
  query.pool = "mail";
  query.state = MailState::QUEUED;
  EXPECT_EQ(listed(query), (std::vector{second, first})) << "with others";
  query.recipient = "bob@example.org";
  EXPECT_TRUE(listed(query).empty());
}

// Jobs of the other channel have metadata of the same kind.
TEST_P(List, ByMetadataShowsOneChannel) {
  accepted(WebhookBuilder(new_id()).with([](Webhook& w) { w.metadata = {{"order", "4711"}}; }));
  const JobId mail = accepted(new_mail().about("order", "4711"));
  ListQuery query = of_shop();
  query.metadata = {{"order", "4711"}};
  EXPECT_EQ(listed(query), std::vector{mail});
}

TEST_P(List, WithoutMetadataNothingMoreIsWritten) {
  const JobId plain = accepted(new_mail());
  const JobId about = accepted(new_mail().about("order", "4711"));
  EXPECT_EQ(count("facets WHERE id = " + std::to_string(plain.value())), 1) << "its recipient";
  EXPECT_EQ(count("facets WHERE id = " + std::to_string(about.value())), 2);
}

TEST_P(List, MetadataGoesWithTheMail) {
  const JobId id = accepted(new_mail().about("order", "4711"));
  Worker one = worker();
  one.settle(settle_sent(one.claim_one(id).value()));
  travel(hours{24 * 31});
  SweepParams params;
  params.sweep = Sweep::retain;
  EXPECT_EQ(must(care().sweep(params)).changed, 1);
  EXPECT_EQ(count("facets WHERE id = " + std::to_string(id.value())), 0);
}

TEST_P(List, ByPool) {
  const JobId bulk = accepted(new_mail().in_pool("bulk"));
  accepted(new_mail());
  ListQuery query = of_shop();
  query.pool = "bulk";
  EXPECT_EQ(listed(query), std::vector{bulk});
  query.pool = "none";
  EXPECT_TRUE(listed(query).empty());
}

TEST_P(List, EveryFilterSetMustMatch) {
  Worker one = worker();
  std::vector<JobId> expected;
  for (int i = 0; i < 24; ++i) {
    MailBuilder mail = new_mail().to(i % 2 == 0 ? "ann@x.org" : "bob@x.org");
    mail.tagged(i % 3 == 0 ? "t3" : "other").of_campaign(i % 4 == 0 ? "c4" : "none");
    const JobId id = accepted(mail);
    if (i % 8 == 0) one.settle(settle_failed(one.claim_one(id).value()));
    if (i % 24 == 0) expected.push_back(id);
  }
  ListQuery query = of_shop();
  query.recipient = "ann@x.org";
  query.tag = "t3";
  query.campaign_id = "c4";
  query.state = MailState::FAILED;
  EXPECT_EQ(listed(query), expected);
  query.state = MailState::QUEUED;
  EXPECT_EQ(listed(query).size(), 1U) << "number 12";
  query.dead_reason = DeadReason::PermanentFailure;
  EXPECT_TRUE(listed(query).empty());
}

TEST_P(List, ByTimeOfCreation) {
  TsidFactory ids(Epoch{2});
  std::vector<JobId> made;
  const TimePoint start = std::chrono::floor<milliseconds>(now()) - hours{5};
  for (int i = 0; i < 5; ++i)
    made.push_back(accepted(MailBuilder(ids.next(start + hours{i}))));
  for (std::size_t i = 0; i < made.size(); ++i)
    sql("UPDATE outbox SET created_at = " + sql_time(start + hours{i}) +
        " WHERE id = " + std::to_string(made[i].value()));
  ListQuery query = of_shop();
  query.created_from = start + hours{1};
  query.created_to = start + hours{3};
  const std::vector<JobId> found = listed(query);
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(found.back(), made[1]) << "from is included";
  EXPECT_EQ(std::count(found.begin(), found.end(), made[2]), 1);
  EXPECT_EQ(std::count(found.begin(), found.end(), made[4]) + std::count(found.begin(), found.end(), made[0]),
            0);
  query.state = MailState::FAILED;
  EXPECT_TRUE(listed(query).empty());
  query = of_shop();
  query.created_from = start + hours{3} + milliseconds{1};
  EXPECT_EQ(listed(query), std::vector{made[4]});
}

TEST_P(List, AnotherClientsJobsAreUnseen) {
  one_of_each("shop");
  accepted(new_mail().from_client("billing"));
  ListQuery query{.client = ClientName{"billing"}};
  EXPECT_EQ(listed(query).size(), 1U);
  query.state = MailState::FAILED;
  EXPECT_TRUE(listed(query).empty());
  EXPECT_TRUE(listed(ListQuery{.client = ClientName{"never heard of"}}).empty());
}

TEST_P(List, DueOnlyIsByDueTime) {
  const JobId second = accepted(new_mail().scheduled_for(now() + minutes{2}));
  const JobId first = accepted(new_mail().from_client("billing").scheduled_for(now() + minutes{1}));
  accepted(new_mail().scheduled_for(now() + hours{2}));
  accepted(new_mail().in_group("g").scheduled_for(now() + minutes{1}));
  travel(minutes{5});
  ListQuery query{.due_only = true};
  EXPECT_EQ(listed(query), (std::vector{first, second})) << "due, queued, oldest first";
  query.limit = 1;
  EXPECT_EQ(listed(query), std::vector{first});
  query.client = ClientName{"shop"};
  EXPECT_EQ(listed(query), std::vector{second});
}

TEST_P(List, ARecordInAListIsTheSameAsFound) {
  const JobId id = accepted(new_mail().keyed("order-1001").to("a@x.org").to("b@x.org").tagged("t"));
  Worker one = worker();
  one.settle(settle_partial(one.claim_only()));
  const JobRecord shown = must(outbox().list(of_shop())).jobs.at(0);
  const JobRecord found = record(id);
  EXPECT_EQ(shown.job.retry_count, found.job.retry_count);
  EXPECT_EQ(shown.job.next_attempt_at, found.job.next_attempt_at);
  EXPECT_EQ(shown.job.client, found.job.client);
  EXPECT_EQ(shown.job.pool, found.job.pool);
  EXPECT_EQ(shown.recipients, found.recipients);
  EXPECT_EQ(shown.meta, found.meta);
  EXPECT_EQ(shown.trace_id, found.trace_id);
  EXPECT_EQ(shown.message_key, found.message_key);
  ASSERT_TRUE(shown.last_failure);
  EXPECT_EQ(shown.last_failure->smtp_code, 451);
}

}  // namespace
}  // namespace eilbote::test::list_test
