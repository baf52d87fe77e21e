// Dead jobs and who was told: every way to die is told once, and once more when the job was sent again and died anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::dead_letters_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Letters = std::vector<DeadLetter>;

class DeadLetters : public StoreFixture {
 protected:
  Letters untold(int limit = 100) { return must(publishing().untold_dead(limit)); }
  void tell(const Letters& letters) { must(publishing().told_dead(letters)); }
  static std::vector<JobId> ids_of(const Letters& letters) {
    std::vector<JobId> ids;
    for (const DeadLetter& letter : letters)
      ids.push_back(letter.id);
    return ids;
  }
  JobId dead(const NewJob& job) {
    const JobId id = accepted(job);
    die();
    return id;
  }
  void die() {
    Worker one = worker();
    one.settle(settle_failed(one.claim_only()));
  }
  void set(JobId id, const std::string& what) {
    sql("UPDATE outbox SET " + what + " WHERE id = " + std::to_string(id.value()));
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, DeadLetters, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(DeadLetters, SayWhatIsKnownAndAreToldOnce) {
  const JobId id = dead(new_mail().keyed("order-7"));
  const Letters letters = untold();
  ASSERT_THAT(letters, SizeIs(1));
  const DeadLetter& letter = letters.front();
  EXPECT_EQ(letter.id, id);
  EXPECT_EQ(letter.channel, ChannelKind::mail);
  EXPECT_EQ(letter.key, "order-7");
  EXPECT_EQ(letter.attempt, 1);
  EXPECT_EQ(letter.reason, DeadReason::PermanentFailure);
  EXPECT_EQ(letter.last_error, "550 5.1.1 no such user");
  EXPECT_EQ(letter.failed_at, job(id).finished_at);
  EXPECT_THAT(untold(), SizeIs(1)) << "reading them tells nobody";
  tell(letters);
  EXPECT_THAT(untold(), IsEmpty());
  tell(letters);
  EXPECT_EQ(status(id), "failed");
  travel(hours{1});
  EXPECT_THAT(untold(), IsEmpty());
}

TEST_P(DeadLetters, OfWebhooksToo) {
  NewJob keyed = WebhookBuilder(new_id());
  keyed.idempotency_key = "hook-7";
  dead(keyed);
  const JobId plain = dead(WebhookBuilder(new_id()));
  const Letters letters = untold();
  ASSERT_THAT(letters, SizeIs(2));
  EXPECT_EQ(letters[0].channel, ChannelKind::webhook);
  EXPECT_EQ(letters[0].key, "hook-7");
  EXPECT_EQ(letters[1].key, to_text(plain));
}

TEST_P(DeadLetters, HoweverAJobDied) {
  struct Case {
    const char* name;
    std::function<void(JobId)> end;
    DeadReason reason;
  };
  const Case cases[] = {
      {"settled", [&](JobId) { die(); }, DeadReason::PermanentFailure},
      {"expired",
       [&](JobId id) {
         set(id, "expires_at = " + sql_time(now() - minutes{1}));
         EXPECT_EQ(sweep(Sweep::expire).failed, 1);
       },
       DeadReason::Expired},
      {"exhausted",
       [&](JobId id) {
         set(id, "retry_count = max_attempts");
         EXPECT_EQ(sweep(Sweep::exhaust).failed, 1);
       },
       DeadReason::MaxAttemptsExceeded},
      {"lost",
       [&](JobId id) {
         set(id, "losses = 9");
         Worker one = worker();
         one.claim_only();
         travel(minutes{1});
         EXPECT_EQ(rescue().failed, 1);
       },
       DeadReason::Abandoned},
      {"given up by an operator", [&](JobId id) { EXPECT_EQ(act(id, Act::abandon).kind, ActKind::done); },
       DeadReason::Abandoned},
      {"reported",
       [&](JobId id) {
         Worker one = worker();
         one.settle(settle_sent(one.claim_only()));
         DeliveryReport report;
         report.key = "provider:1";
         report.references = {{id, "", ""}};
         report.recipients = {{"", "", ReportAction::given_up, "5.7.1", ""}};
         EXPECT_EQ(must(reports().take(report)).to, "FAILED");
       },
       DeadReason::PermanentFailure},
      {"by a foreign worker", [&](JobId id) { set(id, "status = 'failed'"); }, DeadReason::PermanentFailure},
      {"by a foreign worker that used up its attempts",
       [&](JobId id) { set(id, "status = 'failed', retry_count = max_attempts"); },
       DeadReason::MaxAttemptsExceeded},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const JobId id = accepted(new_mail());
    EXPECT_THAT(untold(), IsEmpty());
    one.end(id);
    EXPECT_EQ(status(id), "failed");
    const Letters letters = untold();
    ASSERT_THAT(ids_of(letters), ElementsAre(id));
    EXPECT_EQ(letters.front().reason, one.reason);
    tell(letters);
    EXPECT_THAT(untold(), IsEmpty());
  }
}

TEST_P(DeadLetters, NotOfThoseThatEndedOtherwise) {
  const JobId cancelled = accepted(new_mail());
  act(cancelled, Act::cancel, "shop");
  accepted(new_mail());
  Worker one = worker();
  one.settle(settle_sent(one.claim_only()));
  accepted(new_mail());
  EXPECT_THAT(untold(), IsEmpty());
}

TEST_P(DeadLetters, OneThatDiedAnewIsToldAgain) {
  const JobId id = dead(new_mail());
  const Letters first = untold();
  tell(first);
  ASSERT_EQ(act(id, Act::retry).kind, ActKind::done);
  EXPECT_THAT(untold(), IsEmpty()) << "it lives";
  die();
  const Letters second = untold();
  ASSERT_THAT(ids_of(second), ElementsAre(id));
  EXPECT_EQ(second.front().attempt, 2);
  tell(second);
  EXPECT_THAT(untold(), IsEmpty());
}

TEST_P(DeadLetters, AlsoWhenItWasToldTooLate) {
  const JobId id = dead(new_mail());
  const Letters first = untold();
  ASSERT_EQ(act(id, Act::retry).kind, ActKind::done);
  tell(first);
  EXPECT_EQ(status(id), "queued");
  travel(minutes{1});
  die();
  tell(first);
  EXPECT_THAT(untold(), SizeIs(1)) << "what was told is the earlier death";
}

TEST_P(DeadLetters, OldestFirstAndNoMoreThanAskedFor) {
  std::vector<JobId> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(dead(new_mail()));
    travel(minutes{1});
  }
  set(ids[3], "finished_at = " + sql_time(now() - hours{1}));
  const Letters first = untold(2);
  EXPECT_THAT(ids_of(first), ElementsAre(ids[3], ids[0]));
  tell(first);
  EXPECT_THAT(ids_of(untold(2)), ElementsAre(ids[1], ids[2]));
  tell({});
  EXPECT_THAT(untold(), SizeIs(2));
}

TEST_P(DeadLetters, AClockThatWasSetBackTellsNoneForEver) {
  const JobId id = dead(new_mail());
  set(id, "finished_at = " + sql_time(now() + hours{1}));
  tell(untold());
  EXPECT_THAT(untold(), IsEmpty());
}

}  // namespace
}  // namespace eilbote::test::dead_letters_test
