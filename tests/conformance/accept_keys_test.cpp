// Idempotency keys in accept(): decided inside the transaction that inserts, per client, for a day.
#include "support/outbox_fixture.h"

namespace eilbote::test::accept_keys_test {
namespace {

EILBOTE_ON_BOTH_STORES(AcceptKeys);

TEST_P(AcceptKeys, TheSameRequestIsReplayedWithTheFirstId) {
  const JobId first = accepted(new_mail().keyed("order-1001"));
  const AcceptOutcome twin = accept(new_mail().keyed("order-1001"));
  EXPECT_EQ(twin.kind, AcceptKind::replayed);
  EXPECT_EQ(twin.id, first);
  EXPECT_EQ(count("outbox"), 1);
  EXPECT_EQ(count("messages"), 1);
  EXPECT_EQ(count("mail_status"), 1);
}

TEST_P(AcceptKeys, AnotherRequestUnderTheKeyIsAConflict) {
  accepted(new_mail().keyed("order-1001", "one request"));
  EXPECT_EQ(accept(new_mail().keyed("order-1001", "another request")).kind, AcceptKind::conflict);
  EXPECT_EQ(count("outbox"), 1);
}

TEST_P(AcceptKeys, KeysBelongToTheirClient) {
  accepted(new_mail().keyed("order-1001"));
  EXPECT_EQ(accept(new_mail().from_client("billing").keyed("order-1001", "x")).kind, AcceptKind::accepted);
  EXPECT_EQ(count("outbox"), 2);
}

TEST_P(AcceptKeys, JobsWithoutAKeyAreNeverTwins) {
  accepted(new_mail());
  accepted(new_mail());
  EXPECT_EQ(count("idempotency_keys"), 0);
}

TEST_P(AcceptKeys, AKeyIsKeptForADay) {
  const JobId first = accepted(new_mail().keyed("order-1001"));
  travel(hours{23});
  EXPECT_EQ(accept(new_mail().keyed("order-1001")).id, first);
  EXPECT_EQ(accept(new_mail().keyed("order-1001", "another")).kind, AcceptKind::conflict);
}

TEST_P(AcceptKeys, AnExpiredKeyIsTakenOverByAnyRequest) {
  accepted(new_mail().keyed("order-1001", "one request"));
  travel(hours{25});
  const JobId second = accepted(new_mail().keyed("order-1001", "another request"));
  const AcceptOutcome twin = accept(new_mail().keyed("order-1001", "another request"));
  EXPECT_EQ(twin.kind, AcceptKind::replayed);
  EXPECT_EQ(twin.id, second) << "the key now belongs to the second job";
  EXPECT_EQ(accept(new_mail().keyed("order-1001", "one request")).kind, AcceptKind::conflict);
  EXPECT_EQ(count("idempotency_keys"), 1);
  travel(hours{23});
  EXPECT_EQ(accept(new_mail().keyed("order-1001", "another request")).kind, AcceptKind::replayed)
      << "for a day anew";
}

TEST_P(AcceptKeys, LosersInABatchDoNotTouchTheOthers) {
  const JobId first = accepted(new_mail().keyed("key-b", "b"));
  const std::vector<NewJob> batch{new_mail().keyed("key-c", "c"), new_mail().keyed("key-b", "b"), new_mail(),
                                  new_mail().keyed("key-a", "a"),
                                  new_mail().from_client("billing").keyed("key-b", "b")};
  const std::vector<AcceptOutcome> outcomes = must(outbox().accept(batch, AcceptRun::first));
  ASSERT_EQ(outcomes.size(), batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(outcomes[i].kind, i == 1 ? AcceptKind::replayed : AcceptKind::accepted) << "item " << i;
    EXPECT_EQ(outcomes[i].id, i == 1 ? first : batch[i].id) << "item " << i;
  }
  EXPECT_EQ(count("outbox"), 5);
  EXPECT_EQ(count("messages"), 5);
  EXPECT_EQ(count("mail_status"), 5);
  EXPECT_FALSE(must(outbox().find(batch[1].id, std::nullopt))) << "a loser leaves nothing behind";
  EXPECT_EQ(count("facets WHERE id = " + std::to_string(batch[1].id.value())), 0);
}

TEST_P(AcceptKeys, AGroupedLoserTakesNoPlaceInTheLine) {
  const JobId first = accepted(new_mail().keyed("order-1001").in_group("orders"));
  EXPECT_EQ(accept(new_mail().keyed("order-1001").in_group("orders")).kind, AcceptKind::replayed);
  EXPECT_TRUE(has_turn(first));
  EXPECT_EQ(count("outbox"), 1);
}

TEST_P(AcceptKeys, ABatchOfOnlyLosersIsFine) {
  const std::vector<NewJob> batch{new_mail().keyed("key-a"), new_mail().keyed("key-b")};
  must(outbox().accept(batch, AcceptRun::first));
  const std::vector<NewJob> again{new_mail().keyed("key-b"), new_mail().keyed("key-a")};
  const std::vector<AcceptOutcome> outcomes = must(outbox().accept(again, AcceptRun::first));
  EXPECT_EQ(outcomes.at(0).id, batch[1].id);
  EXPECT_EQ(outcomes.at(1).id, batch[0].id);
  EXPECT_EQ(count("outbox"), 2);
}

TEST_P(AcceptKeys, AnAgainRunAfterACommitThatHappenedCountsAsAccepted) {
  const std::vector<NewJob> batch{new_mail().keyed("key-a").tagged("t"), new_mail().in_group("g"),
                                  new_mail()};
  must(outbox().accept(batch, AcceptRun::first));
  const std::vector<AcceptOutcome> outcomes = must(outbox().accept(batch, AcceptRun::again));
  ASSERT_EQ(outcomes.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(outcomes[i].kind, AcceptKind::accepted) << "item " << i;
    EXPECT_EQ(outcomes[i].id, batch[i].id);
    EXPECT_EQ(outcomes[i].lane, lane_of());
  }
  EXPECT_EQ(count("outbox"), 3);
  EXPECT_EQ(count("messages"), 3);
  EXPECT_EQ(count("mail_status"), 3) << "no second 'accepted' event";
  EXPECT_TRUE(has_turn(batch[1].id));
}

TEST_P(AcceptKeys, AnAgainRunDoesNotBringAMovedJobBack) {
  const NewJob mail = new_mail().keyed("key-a");
  accepted(mail);
  Worker one = worker();
  one.settle(settle_sent(one.claim_only()));
  EXPECT_EQ(accept(mail, AcceptRun::again).kind, AcceptKind::accepted);
  EXPECT_EQ(state(mail.id), "SENT");
  EXPECT_TRUE(one.claim().empty());
}

TEST_P(AcceptKeys, AnAgainRunAfterACommitThatDidNotHappenInserts) {
  const NewJob mail = new_mail().keyed("key-a");
  EXPECT_EQ(accept(mail, AcceptRun::again).kind, AcceptKind::accepted);
  EXPECT_EQ(state(mail.id), "QUEUED");
  EXPECT_EQ(accept(new_mail().keyed("key-a")).id, mail.id);
}

TEST_P(AcceptKeys, AnAgainRunThatLostItsKeyMeanwhileIsReplayed) {
  const JobId winner = accepted(new_mail().keyed("key-a"));
  const NewJob mine = new_mail().keyed("key-a");
  const AcceptOutcome outcome = accept(mine, AcceptRun::again);
  EXPECT_EQ(outcome.kind, AcceptKind::replayed);
  EXPECT_EQ(outcome.id, winner);
  EXPECT_FALSE(must(outbox().find(mine.id, std::nullopt)));
}

TEST_P(AcceptKeys, KeysWithOddCharactersAreKeptApart) {
  const JobId quoted = accepted(new_mail().keyed("it's \"a\" {key},\\x"));
  const JobId upper = accepted(new_mail().keyed("IT'S \"a\" {key},\\x"));
  EXPECT_EQ(accept(new_mail().keyed("it's \"a\" {key},\\x")).id, quoted);
  EXPECT_EQ(accept(new_mail().keyed("IT'S \"a\" {key},\\x")).id, upper);
  EXPECT_EQ(record(quoted).message_key, "it's \"a\" {key},\\x");
}

}  // namespace
}  // namespace eilbote::test::accept_keys_test
