// accept() of many at once: all or nothing when the database refuses a row, and every row its own when it
// does not.
#include "support/outbox_fixture.h"

namespace eilbote::test::accept_batch_test {
namespace {

EILBOTE_ON_BOTH_STORES(AcceptBatch);

TEST_P(AcceptBatch, NothingIsAFineBatch) {
  EXPECT_TRUE(must(outbox().accept({}, AcceptRun::first)).empty());
}

TEST_P(AcceptBatch, FiveHundredMailsInOneCall) {
  std::vector<NewJob> batch;
  for (int i = 0; i < 500; ++i)
    batch.push_back(new_mail()
                        .from_client("client-" + std::to_string(i % 7))
                        .keyed("key-" + std::to_string(i))
                        .to("r" + std::to_string(i) + "@example.org"));
  const std::vector<AcceptOutcome> outcomes = must(outbox().accept(batch, AcceptRun::first));
  ASSERT_EQ(outcomes.size(), 500U);
  for (std::size_t i = 0; i < 500; ++i) {
    ASSERT_EQ(outcomes[i].kind, AcceptKind::accepted);
    ASSERT_EQ(outcomes[i].id, batch[i].id);
    ASSERT_EQ(outcomes[i].lane, outcomes[i % 7].lane) << "same client, same lane";
  }
  EXPECT_EQ(count("outbox"), 500);
  const JobRecord last = record(batch[499].id);
  EXPECT_EQ(last.job.client, batch[499].client);
  EXPECT_EQ(last.recipients.at(0).address, "r499@example.org");
  EXPECT_EQ(last.message_key, "key-499");
}

TEST_P(AcceptBatch, ADuplicateIdRefusesTheWholeBatch) {
  const JobId taken = accepted(new_mail());
  const std::vector<NewJob> batch{new_mail().keyed("key-a").tagged("t").in_group("g"),
                                  MailBuilder(taken).from_client("billing"), new_mail()};
  const auto refused = outbox().accept(batch, AcceptRun::first);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data);
  EXPECT_EQ(count("outbox"), 1);
  EXPECT_EQ(count("messages"), 1);
  EXPECT_EQ(count("mail_status"), 1);
  EXPECT_EQ(count("facets WHERE id <> " + std::to_string(taken.value())), 0);
  EXPECT_EQ(count("idempotency_keys"), 0) << "the key of a refused batch is free";
  EXPECT_EQ(accept(new_mail().keyed("key-a", "another request")).kind, AcceptKind::accepted);
}

TEST_P(AcceptBatch, TheStoreWorksOnAfterARefusal) {
  const NewJob mail = new_mail();
  accepted(mail);
  for (int i = 0; i < 20; ++i)
    ASSERT_FALSE(outbox().accept(std::span(&mail, 1), AcceptRun::first));
  EXPECT_EQ(state(accepted(new_mail())), "QUEUED");
}

TEST_P(AcceptBatch, ARefusedBatchLeavesItsLanesUsable) {
  // The batch names a client and a pool nobody has seen; they may or may not survive, but must work
  // afterwards.
  const JobId taken = accepted(new_mail());
  const std::vector<NewJob> batch{new_mail().from_client("new").in_pool("fresh"), MailBuilder(taken)};
  ASSERT_FALSE(outbox().accept(batch, AcceptRun::first));
  const AcceptOutcome outcome = accept(new_mail().from_client("new").in_pool("fresh"));
  EXPECT_EQ(outcome.kind, AcceptKind::accepted);
  EXPECT_EQ(outcome.lane, lane_of("new", "fresh"));
  EXPECT_EQ(job(outcome.id).client.value(), "new");
  EXPECT_EQ(worker().claim(std::vector{ClaimLane{outcome.lane, 10, {}}}).size(), 1U);
}

TEST_P(AcceptBatch, FacetsAreWrittenOncePerValue) {
  const JobId id = accepted(new_mail()
                                .to("Ann@Example.org")
                                .cc("ann@example.ORG")
                                .to("bob@example.org")
                                .tagged("spring")
                                .tagged("spring")
                                .of_campaign("c-1"));
  EXPECT_EQ(count("facets WHERE id = " + std::to_string(id.value())), 4) << "ann, bob, spring, c-1";
  const std::string hash = std::to_string(hash64({"shop", "recipient", "ann@example.org"}));
  EXPECT_EQ(count("facets WHERE hash = " + hash), 1) << "an address is found in lower case";
}

TEST_P(AcceptBatch, AGroupInOneBatchGetsPlacesInItsOrder) {
  const std::vector<NewJob> batch{new_mail().in_group("g"), new_mail().in_group("g"),
                                  new_mail().in_group("g", 5)};
  must(outbox().accept(batch, AcceptRun::first));
  EXPECT_TRUE(has_turn(batch[2].id)) << "the lowest sequence goes first";
  EXPECT_EQ(status(batch[2].id), "queued");
  EXPECT_EQ(status(batch[0].id), "blocked");
  EXPECT_LT(std::stoll(value("SELECT place FROM outbox WHERE id = " + std::to_string(batch[0].id.value()))),
            std::stoll(value("SELECT place FROM outbox WHERE id = " + std::to_string(batch[1].id.value()))));
}

TEST_P(AcceptBatch, GroupsOfTwoClientsAreTwoGroups) {
  const JobId mine = accepted(new_mail().in_group("g"));
  const JobId theirs = accepted(new_mail().from_client("billing").in_group("g"));
  EXPECT_TRUE(has_turn(mine));
  EXPECT_TRUE(has_turn(theirs));
  EXPECT_EQ(job(mine).group_mode, GroupMode::NEXT_ON_ERROR);
}

}  // namespace
}  // namespace eilbote::test::accept_batch_test
