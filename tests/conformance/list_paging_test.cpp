// Keyset paging in list(): pages never skip or double a row, whatever happens in between, and look at a
// bounded number of rows.
#include <set>

#include "support/outbox_fixture.h"

namespace eilbote::test::list_paging_test {
namespace {

class ListPaging : public StoreFixture {
 protected:
  // Follows the cursor to the end; `between` runs after each page.
  std::vector<JobId> all_pages(
      ListQuery query, const std::function<void()>& between = [] {}) {
    std::vector<JobId> seen;
    for (int page = 0; page < 10'000; ++page) {
      const Page got = must(outbox().list(query));
      EXPECT_LE(got.jobs.size(), static_cast<std::size_t>(query.limit));
      for (const JobRecord& record : got.jobs)
        seen.push_back(record.job.id);
      if (!got.next) return seen;
      EXPECT_TRUE(!query.before || *got.next < *query.before) << "the cursor moves on";
      query.before = got.next;
      between();
    }
    ADD_FAILURE() << "the cursor never ends";
    return seen;
  }
  static std::vector<JobId> newest_first(std::vector<JobId> ids) {
    std::sort(ids.rbegin(), ids.rend());
    return ids;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, ListPaging, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(ListPaging, EveryLimitGivesTheSameWhole) {
  const std::vector<JobId> ids = newest_first(accepted_many(23));
  for (const int limit : {1, 2, 5, 22, 23, 24, 200})
    EXPECT_EQ(all_pages(ListQuery{.client = ClientName{"shop"}, .limit = limit}), ids) << "limit " << limit;
}

TEST_P(ListPaging, AFullLastPageHasNoCursor) {
  accepted_many(4);
  const Page page = must(outbox().list(ListQuery{.client = ClientName{"shop"}, .limit = 4}));
  EXPECT_EQ(page.jobs.size(), 4U);
  EXPECT_FALSE(page.next);
  for (const int look_max : {4, 5}) {
    const Page bounded =
        must(outbox().list(ListQuery{.client = ClientName{"shop"}, .limit = 4, .look_max = look_max}));
    EXPECT_EQ(bounded.jobs.size(), 4U);
    EXPECT_FALSE(bounded.next) << "at most " << look_max << " rows are looked at, and there are no others";
  }
}

TEST_P(ListPaging, AFullPageHasNoCursorWhenNothingElseFits) {
  accepted_many(3);  // older, and not sent
  Worker one = worker();
  for (int i = 0; i < 4; ++i)
    one.settle(settle_sent(one.claim_one(accepted(new_mail().from_client("shop"))).value()));
  ListQuery query{.client = ClientName{"shop"}, .state = MailState::SENT, .limit = 4};
  const Page all = must(outbox().list(query));
  EXPECT_EQ(all.jobs.size(), 4U);
  EXPECT_FALSE(all.next);
  query.limit = 3;
  const Page most = must(outbox().list(query));
  EXPECT_EQ(most.jobs.size(), 3U);
  EXPECT_TRUE(most.next) << "a fourth one fits";
}

TEST_P(ListPaging, AFullPageOfOneChunkHasNoCursorWhenNothingFollows) {
  accepted_many(200);
  const Page page = must(outbox().list(ListQuery{.client = ClientName{"shop"}, .limit = 200}));
  EXPECT_EQ(page.jobs.size(), 200U);
  EXPECT_FALSE(page.next);
}

TEST_P(ListPaging, NothingIsSkippedOrDoubledWhileMailsArrive) {
  const std::vector<JobId> ids = newest_first(accepted_many(60));
  const std::vector<JobId> seen =
      all_pages(ListQuery{.client = ClientName{"shop"}, .limit = 7}, [&] { accepted_many(3); });
  EXPECT_EQ(seen, ids) << "what arrives later is newer than the cursor";
}

TEST_P(ListPaging, RowsThatLeaveTheFilterInBetweenHurtNobody) {
  std::vector<JobId> ids = newest_first(accepted_many(40));
  std::set<JobId> gone;
  Worker one = worker();
  ListQuery query{.client = ClientName{"shop"}, .state = MailState::QUEUED, .limit = 6};
  const std::vector<JobId> seen = all_pages(query, [&] {
    const ClaimedJob claimed = one.claim(1).at(0);  // the oldest: not listed yet
    one.settle(settle_sent(claimed));
    gone.insert(claimed.job.id);
  });
  EXPECT_EQ(std::set<JobId>(seen.begin(), seen.end()).size(), seen.size()) << "none twice";
  for (const JobId id : ids)
    EXPECT_TRUE(gone.contains(id) || std::count(seen.begin(), seen.end(), id) == 1) << to_text(id);
}

TEST_P(ListPaging, SeveralClientsAreMergedNewestFirst) {
  std::vector<JobId> ids;
  for (int i = 0; i < 50; ++i)
    ids.push_back(accepted(new_mail().from_client("client-" + std::to_string(i * i % 7))));
  EXPECT_EQ(all_pages(ListQuery{.limit = 6}), newest_first(ids));
}

TEST_P(ListPaging, SeveralClientsByStateAndByFacet) {
  std::vector<JobId> failed, tagged;
  Worker one = worker();
  for (int i = 0; i < 40; ++i) {
    MailBuilder mail = new_mail().from_client("client-" + std::to_string(i % 5));
    if (i % 2 == 0) mail.tagged("t");
    const JobId id = accepted(mail);
    if (i % 2 == 0) tagged.push_back(id);
    if (i % 3 != 0) continue;
    one.settle(settle_failed(one.claim_one(id).value()));
    failed.push_back(id);
  }
  EXPECT_EQ(all_pages(ListQuery{.state = MailState::FAILED, .limit = 4}), newest_first(failed));
  EXPECT_EQ(all_pages(ListQuery{.tag = "t", .limit = 4}), newest_first(tagged));
}

TEST_P(ListPaging, APageLooksAtABoundedNumberOfRows) {
  const JobId wanted = accepted(new_mail().from_client("shop"));
  Worker one = worker();
  one.settle(settle_sent(one.claim_only()));
  accepted_many(50);
  ListQuery query{.client = ClientName{"shop"}, .state = MailState::SENT, .limit = 10, .look_max = 20};
  const Page first = must(outbox().list(query));
  EXPECT_TRUE(first.jobs.empty()) << "twenty rows were looked at, none was sent";
  ASSERT_TRUE(first.next);
  EXPECT_EQ(all_pages(query), std::vector{wanted});
}

TEST_P(ListPaging, ManyMoreRowsThanOneChunk) {
  std::vector<JobId> ids = accepted_many(1100);
  std::vector<JobId> cancelled;
  for (std::size_t i = 0; i < ids.size(); i += 7)
    cancelled.push_back(ids[i]);
  must(outbox().act(cancelled,
                    ActRequest{.act = Act::cancel, .client = {}, .actor = "operator", .trace_id = ""}));
  EXPECT_EQ(all_pages(ListQuery{.client = ClientName{"shop"}, .limit = 200}), newest_first(ids));
  EXPECT_EQ(all_pages(ListQuery{.client = ClientName{"shop"}, .state = MailState::CANCELLED, .limit = 50}),
            newest_first(cancelled));
  ListQuery both{.client = ClientName{"shop"},
                 .state = MailState::CANCELLED,
                 .recipient = "ann@example.org",
                 .limit = 50};
  EXPECT_EQ(all_pages(both), newest_first(cancelled)) << "every mail goes to ann";
}

}  // namespace
}  // namespace eilbote::test::list_paging_test
