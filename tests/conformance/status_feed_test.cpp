// The status feed: changes of mails with a callback are kept until they are told, those of a mail in their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/callback_desk.h"
#include "support/outbox_fixture.h"

namespace eilbote::test::status_feed_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StatusFeedTest : public StoreFixture {
 protected:
  JobId accepted_with_callback() {
    NewJob mail = new_mail().with_meta(
        R"({"callback":{"url":"https://hooks.example.org/mail","serviceAccountId":"0HZXEQ5Y8JY22"}})");
    mail.callback = true;
    return accepted(mail);
  }
  std::vector<std::string> untold() {
    std::vector<std::string> moves;
    for (const UntoldChange& change : must(feed().untold(100)))
      moves.push_back(change.event.from + " -> " + change.event.to);
    return moves;
  }
  std::vector<Webhook> jobs() {
    ListQuery query;
    query.channel = ChannelKind::webhook;
    std::vector<Webhook> webhooks;
    for (const JobRecord& record : must(outbox().list(query)).jobs)
      webhooks.push_back(*record.webhook);
    return webhooks;
  }

  FakeClock desk_clock_{SystemClock{}.now()};
  TsidFactory desk_ids_{Epoch{2}};
  CallbackDesk desk() {
    return {outbox(), feed(), desk_ids_, desk_clock_, hours{1}, [](std::span<const LaneId>) {}};
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, StatusFeedTest, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(StatusFeedTest, HoldsChangesOfMailsWithACallbackOnly) {
  Worker one = worker();
  accepted(new_mail());
  one.settle(settle_sent(one.claim_only()));
  EXPECT_THAT(untold(), IsEmpty());
  const JobId id = accepted_with_callback();
  EXPECT_THAT(untold(), IsEmpty()) << "to be accepted is no change";
  one.settle(settle_retry(one.claim_only(), seconds{0}));
  one.settle(settle_sent(one.claim_only()));
  EXPECT_THAT(untold(), ElementsAre("QUEUED -> RETRY_PENDING", "RETRY_PENDING -> SENT"));
  const auto changes = must(feed().untold(1));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].job, id);
  must(feed().told(changes));
  EXPECT_THAT(untold(), ElementsAre("RETRY_PENDING -> SENT"));
}

TEST_P(StatusFeedTest, HoldsWhatPeopleAndUpkeepDo) {
  const JobId cancelled = accepted_with_callback();
  act(cancelled, Act::cancel, "shop");
  EXPECT_THAT(untold(), ElementsAre("QUEUED -> CANCELLED"));
}

TEST_P(StatusFeedTest, EachChangeBecomesOneJobWhoeverIsInterrupted) {
  Worker one = worker();
  const JobId id = accepted_with_callback();
  one.settle(settle_sent(one.claim_only()));
  const auto changes = must(feed().untold(10));
  must(desk().tell());
  EXPECT_THAT(untold(), IsEmpty());
  ASSERT_EQ(jobs().size(), 1U);
  EXPECT_EQ(jobs()[0].message_group, "message:" + to_text(id));
  EXPECT_EQ(jobs()[0].service_account_id, "0HZXEQ5Y8JY22");
  // Killed before it could say that it was told; or a second instance had read it too.
  sql("UPDATE mail_status SET callback = " + std::string(on_postgres() ? "true" : "1") +
      " WHERE to_state = 'SENT' AND job_id = " + std::to_string(id.value()));
  EXPECT_EQ(untold().size(), 1U);
  must(desk().tell());
  EXPECT_EQ(jobs().size(), 1U);
  EXPECT_THAT(untold(), IsEmpty());
}

}  // namespace
}  // namespace eilbote::test::status_feed_test
