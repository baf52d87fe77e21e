// Text the database cannot keep: refused as rejected_data with nothing changed, on both stores alike; and
// what it keeps is cut by characters, not bytes.
#include "support/outbox_fixture.h"

namespace eilbote::test::text_safety_test {
namespace {

EILBOTE_ON_BOTH_STORES(TextSafety);

struct Poison {
  const char* name;
  std::string text;
};
const std::vector<Poison>& poisons() {
  static const std::vector<Poison> all{
      {"NUL", std::string("a\0b", 3)},  {"a lone continuation byte", "a\x80z"},
      {"a broken sequence", "a\xc3"},   {"an overlong slash", "a\xc0\xaf"},
      {"a surrogate", "a\xed\xa0\x80"}, {"past U+10FFFF", "a\xf5\x80\x80\x80"}};
  return all;
}

TEST_P(TextSafety, APoisonOutcomeIsRefusedAndChangesNothing) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  for (const Poison& poison : poisons())
    for (const char* field :
         {"last_error", "error_message", "reply", "provider_message_id", "code", "reason"}) {
      ExchangeRequest request;
      request.settlements = {settle_retry(claimed)};
      Settlement& s = request.settlements[0];
      s.decision.recipients = {{0, RecipientStatus::waiting, "451"}};
      const std::string where = field;
      if (where == "last_error") s.decision.last_error = poison.text;
      if (where == "error_message") s.attempt->error_message = poison.text;
      if (where == "reply") s.decision.recipients[0].reply = poison.text;
      if (where == "provider_message_id") s.provider_message_id = poison.text;
      if (where == "code") s.attempt->code = poison.text;
      if (where == "reason") s.event->reason = poison.text;
      const auto refused = outbox().exchange(request);
      ASSERT_FALSE(refused) << poison.name << " in " << field;
      EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data) << poison.name << " in " << field;
      ASSERT_EQ(status(id), "dispatching") << poison.name << " in " << field;
    }
  EXPECT_EQ(count("attempts") + count("recipients"), 0);
  EXPECT_EQ(moves(id).size(), 1U);
  EXPECT_EQ(one.settle(settle_retry(claimed)), SettleOutcome::settled) << "a clean text goes through";
}

TEST_P(TextSafety, OnePoisonOutcomeRefusesItsWholeBatch) {
  accepted_many(3);
  Worker one = worker();
  ExchangeRequest request;
  for (const ClaimedJob& claimed : one.claim())
    request.settlements.push_back(settle_retry(claimed));
  request.settlements.at(1).decision.last_error = "a\xc3";
  const auto refused = outbox().exchange(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data);
  EXPECT_EQ(count("outbox WHERE status = 'dispatching'"), 3);
  EXPECT_EQ(count("attempts"), 0);
  request.settlements.at(1).decision.last_error = "a clean text";
  for (const SettleOutcome outcome : must(outbox().exchange(request)).settled)
    EXPECT_EQ(outcome, SettleOutcome::settled);
}

TEST_P(TextSafety, APoisonGroupedOutcomeIsRefusedToo) {
  const JobId id = accepted(new_mail().in_group("g"));
  Worker one = worker();
  ExchangeRequest request;
  request.settlements = {settle_block(one.claim_only())};
  request.settlements[0].decision.last_error = std::string("a\0b", 3);
  const auto refused = outbox().exchange(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data);
  EXPECT_EQ(status(id), "dispatching");
  EXPECT_TRUE(has_turn(id));
}

TEST_P(TextSafety, APoisonMailIsRefusedAlone) {
  for (const Poison& poison : poisons()) {
    const NewJob traced = new_mail().traced(poison.text);
    const auto refused = outbox().accept(std::span(&traced, 1), AcceptRun::first);
    ASSERT_FALSE(refused) << poison.name;
    EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data) << poison.name;
  }
  const NewJob keyed = new_mail().keyed(std::string("key\0key", 7));
  const NewJob no_json = new_mail().with_meta("not JSON");
  for (const NewJob* mail : {&keyed, &no_json}) {
    const auto refused = outbox().accept(std::span(mail, 1), AcceptRun::first);
    ASSERT_FALSE(refused) << mail->mail.meta;
    EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data);
  }
  EXPECT_EQ(count("outbox") + count("messages") + count("idempotency_keys"), 0);
  EXPECT_EQ(state(accepted(new_mail())), "QUEUED");
}

TEST_P(TextSafety, TheErrorIsCutToAThousandCharacters) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  std::string umlauts, expected;
  for (int i = 0; i < 1500; ++i)
    umlauts += "\xc3\xbc";
  for (int i = 0; i < 1000; ++i)
    expected += "\xc3\xbc";
  Settlement settlement = settle_retry(one.claim_only(), seconds{0});
  settlement.decision.last_error = umlauts;
  one.settle(settlement);
  EXPECT_EQ(job(id).last_error, expected) << "characters, not bytes";

  settlement = settle_retry(one.claim_only());
  settlement.decision.last_error = std::string(1000, 'x');
  one.settle(settlement);
  EXPECT_EQ(job(id).last_error, std::string(1000, 'x'));
}

TEST_P(TextSafety, TextWithQuotesAndControlCharactersIsKept) {
  const JobId id = accepted(new_mail().from_client("o'neil \"& sons\"").to("'; DROP TABLE outbox; --@x.org"));
  Worker one = worker();
  Settlement settlement = settle_retry(one.claim_only());
  settlement.decision.last_error = "tab\t newline\n quote' backslash\\ {brace} NULL \xf0\x9f\x93\xa8";
  one.settle(settlement);
  EXPECT_EQ(job(id).last_error, settlement.decision.last_error);
  EXPECT_EQ(job(id).client.value(), "o'neil \"& sons\"");
  EXPECT_EQ(record(id).recipients.at(0).address, "'; DROP TABLE outbox; --@x.org");
}

}  // namespace
}  // namespace eilbote::test::text_safety_test
