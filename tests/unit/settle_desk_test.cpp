// The settle desk over a store that refuses rows: whatever word of the other side it cannot keep, the outcome is written down.
#include "engine/settle_desk.h"

#include <gtest/gtest.h>

#include "domain/delivery_codes.h"
#include "store/forwarding_outbox.h"
#include "support/answering_store.h"

namespace eilbote::test::settle_desk_test {
namespace {

constexpr const char* kPoison = "poison";

bool is_poisoned(const Settlement& one) {
  std::vector<std::string> texts{one.decision.last_error, one.provider_message_id};
  for (const RecipientResult& recipient : one.decision.recipients)
    texts.push_back(recipient.reply);
  if (one.attempt)
    texts.insert(texts.end(), {one.attempt->error_message, one.attempt->enhanced_code, one.attempt->code,
                               one.attempt->response_body, one.attempt->diagnostic});
  return std::ranges::find(texts, kPoison) != texts.end();
}

// Refuses a batch with a poisoned row in it, and keeps the others.
class PickyOutbox final : public ForwardingOutbox {
 public:
  explicit PickyOutbox(Outbox& real) : ForwardingOutbox(real) {}
  std::vector<Settlement> kept;
  std::function<std::optional<Error>(const ExchangeRequest&)> before = [](const ExchangeRequest&) {
    return std::nullopt;
  };
  Result<ExchangeResult> exchange(const ExchangeRequest& request) override {
    if (auto error = before(request)) return fail(*error);
    if (std::ranges::any_of(request.settlements, is_poisoned)) return fail(ErrorKind::rejected_data, "22021");
    kept.insert(kept.end(), request.settlements.begin(), request.settlements.end());
    ExchangeResult result;
    result.settled.assign(request.settlements.size(), SettleOutcome::settled);
    result.woken.assign(request.settlements.size(), LaneId{1});
    return result;
  }
};

Finished outcome(std::int64_t id) {
  Finished made;
  made.settlement.id = JobId{id};
  made.settlement.decision.status = JobStatus::failed;
  made.settlement.decision.last_error = "no";
  made.settlement.decision.recipients = {{0, RecipientStatus::refused, "no"}};
  made.settlement.attempt = Attempt{};
  made.settlement.attempt->code = "SMTP_550";
  return made;
}

class SettleDeskTest : public testing::Test {
 protected:
  Result<Exchanged> exchange(const std::vector<Finished>& finished) {
    std::vector<FinishedPtr> handed_in;
    for (const Finished& one : finished)
      handed_in.push_back(std::make_unique<const Finished>(one));
    return desk_.exchange({}, handed_in);
  }
  // What came of each of these, in their order.
  std::vector<SettleOutcome> settle(const std::vector<Finished>& finished) {
    const auto done = exchange(finished);
    return done ? done->settled : std::vector<SettleOutcome>{};
  }

  FakeClock clock_;
  StoreAnswer answer_{clock_};
  AnsweringOutbox real_{answer_};
  PickyOutbox outbox_{real_};
  SettleDesk desk_{outbox_};
};

TEST_F(SettleDeskTest, any_word_of_the_other_side_may_be_unstorable) {
  const std::pair<const char*, std::function<void(Settlement&)>> cases[] = {
      {"last error", [](Settlement& s) { s.decision.last_error = kPoison; }},
      {"reply", [](Settlement& s) { s.decision.recipients[0].reply = kPoison; }},
      {"provider's id", [](Settlement& s) { s.provider_message_id = kPoison; }},
      {"error message", [](Settlement& s) { s.attempt->error_message = kPoison; }},
      {"enhanced code", [](Settlement& s) { s.attempt->enhanced_code = kPoison; }},
      {"code", [](Settlement& s) { s.attempt->code = kPoison; }},
      {"response body", [](Settlement& s) { s.attempt->response_body = kPoison; }},
      {"diagnostic", [](Settlement& s) { s.attempt->diagnostic = kPoison; }},
  };
  for (const auto& [name, poison] : cases) {
    outbox_.kept.clear();
    Finished one = outcome(7);
    poison(one.settlement);
    EXPECT_EQ(settle({one}), std::vector{SettleOutcome::settled}) << name;
    ASSERT_EQ(outbox_.kept.size(), 1U) << name;
    EXPECT_EQ(outbox_.kept[0].decision.status, JobStatus::failed) << name;
    EXPECT_EQ(outbox_.kept[0].attempt->code, code::unstorable_answer) << name;
  }
}

TEST_F(SettleDeskTest, one_refused_row_changes_none_of_the_others) {
  std::vector<Finished> finished;
  for (int id = 1; id <= 9; ++id)
    finished.push_back(outcome(id));
  finished[4].settlement.decision.last_error = kPoison;
  const auto done = exchange(finished);
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->settled_only) << "whoever wanted to claim has to ask again";
  EXPECT_EQ(done->settled, std::vector(9, SettleOutcome::settled));
  EXPECT_EQ(done->woken.size(), 9U);
  ASSERT_EQ(outbox_.kept.size(), 9U);
  for (int id = 1; id <= 9; ++id) {
    const Settlement& kept = outbox_.kept[static_cast<std::size_t>(id - 1)];
    EXPECT_EQ(kept.id, JobId{id});
    EXPECT_EQ(kept.attempt->code, id == 5 ? code::unstorable_answer : "SMTP_550");
  }
}

TEST_F(SettleDeskTest, what_cannot_be_stored_at_all_stops_nobody_else) {
  outbox_.before = [](const ExchangeRequest& request) -> std::optional<Error> {
    for (const Settlement& one : request.settlements)
      if (one.id == JobId{2}) return Error{ErrorKind::rejected_data, "23514"};
    return std::nullopt;
  };
  EXPECT_EQ(settle({outcome(1), outcome(2), outcome(3)}),
            (std::vector{SettleOutcome::settled, SettleOutcome::stale, SettleOutcome::settled}));
}

TEST_F(SettleDeskTest, a_store_that_goes_away_meanwhile_is_asked_again_later) {
  // The second question is about halves, the last one is the blunt one.
  for (const int lost : {2, 3}) {
    int asked = 0;
    outbox_.before = [&](const ExchangeRequest&) -> std::optional<Error> {
      if (++asked == lost) return Error{ErrorKind::unavailable, "away"};
      return std::nullopt;
    };
    Finished poisoned = outcome(7);
    poisoned.settlement.decision.last_error = kPoison;
    const auto done = exchange({poisoned});
    ASSERT_FALSE(done) << lost;
    EXPECT_EQ(done.error().kind, ErrorKind::unavailable);
  }
  EXPECT_TRUE(outbox_.kept.empty());
}

}  // namespace
}  // namespace eilbote::test::settle_desk_test
