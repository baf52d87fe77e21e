// The decision after an attempt, as one table: every verdict with every budget, every situation of the
// recipients, uncertainty. Every field that is written to the row is compared. Partial hand-overs, deferrals and groups
// have files of their own.
#include "unit/after_attempt_cases.h"

namespace eilbote::after_attempt_test {
namespace {

using namespace after_attempt_cases;

TEST(AfterAttempt, delivered) {
  const Changes taken{{0, R::taken, "250 ok"}};
  run({
      {"at once",
       {},
       {V::delivered, taken},
       {E::settle_sent, S::sent, 0, 1, 0, false, kNoDelay, {}, {}, false, taken}},
      {"after failures the count stays",
       {.retry_count = 4, .attempts = 7, .deferrals = 3},
       {V::delivered, taken},
       {E::settle_sent, S::sent, 4, 8, 0, false, kNoDelay, {}, {}, false, taken}},
      {"a job without recipients (webhook)",
       {.recipients = {}},
       {V::delivered},
       {E::settle_sent, S::sent, 0, 1, 0, false, kNoDelay, {}, {}, false, {}}},
      {"one taken, one refused: sent",
       {.recipients = {R::waiting, R::waiting}},
       {V::delivered, {{0, R::taken, ""}, {1, R::refused, "550"}}},
       {E::settle_sent,
        S::sent,
        0,
        1,
        0,
        false,
        kNoDelay,
        {},
        {},
        false,
        {{0, R::taken, ""}, {1, R::refused, "550"}}}},
      {"the rest of a partial hand-over",
       {.retry_count = 1, .attempts = 1, .partial = true, .recipients = {R::taken, R::waiting}},
       {V::delivered, {{1, R::taken, ""}}},
       {E::settle_sent, S::sent, 1, 2, 0, false, kNoDelay, {}, {}, false, {{1, R::taken, ""}}}},
      {"the rest refused: still sent",
       {.retry_count = 1, .attempts = 1, .partial = true, .recipients = {R::taken, R::waiting}},
       {V::delivered, {{1, R::refused, "550"}}},
       {E::settle_sent, S::sent, 1, 2, 0, false, kNoDelay, {}, {}, false, {{1, R::refused, "550"}}}},
      {"every recipient refused: dead",
       {.recipients = {R::waiting, R::suppressed}},
       {V::delivered, {{0, R::refused, "550"}}},
       {E::settle_failed,
        S::failed,
        1,
        1,
        0,
        false,
        kNoDelay,
        D::PermanentFailure,
        ErrorType::PERMANENT,
        false,
        {{0, R::refused, "550"}}}},
  });
}

TEST(AfterAttempt, failures_count) {
  std::vector<Case> cases;
  for (const V verdict : {V::transient, V::route_fault}) {
    cases.push_back({"first", {}, {verdict}, {E::settle_retry, S::queued, 1, 1, 0, false, 60s}});
    cases.push_back(
        {"second", {.retry_count = 1}, {verdict}, {E::settle_retry, S::queued, 2, 1, 0, false, 120s}});
    cases.push_back(
        {"third", {.retry_count = 2}, {verdict}, {E::settle_retry, S::queued, 3, 1, 0, false, 240s}});
    cases.push_back(
        {"fourth", {.retry_count = 3}, {verdict}, {E::settle_retry, S::queued, 4, 1, 0, false, 480s}});
    cases.push_back({"fifth and last",
                     {.retry_count = 4},
                     {verdict},
                     {E::settle_failed,
                      S::failed,
                      5,
                      1,
                      0,
                      false,
                      kNoDelay,
                      D::MaxAttemptsExceeded,
                      ErrorType::TRANSIENT,
                      false,
                      {{0, R::refused, "said"}}}});
    cases.push_back({"a budget of one",
                     {.attempts_max = 1, .recipients = {}},
                     {verdict},
                     {E::settle_failed, S::failed, 1, 1, 0, false, kNoDelay, D::MaxAttemptsExceeded}});
    cases.push_back({"a later Retry-After wins",
                     {},
                     {verdict, {}, 10min},
                     {E::settle_retry, S::queued, 1, 1, 0, false, 10min}});
    cases.push_back({"an earlier one does not",
                     {},
                     {verdict, {}, 5s},
                     {E::settle_retry, S::queued, 1, 1, 0, false, 60s}});
    cases.push_back({"it ends a row of deferrals",
                     {.attempts = 9, .deferrals = 9},
                     {verdict},
                     {E::settle_retry, S::queued, 1, 10, 0, false, 60s}});
  }
  run(cases);
}

TEST(AfterAttempt, permanent) {
  run({
      {"dead at once",
       {},
       {V::permanent},
       {E::settle_failed,
        S::failed,
        1,
        1,
        0,
        false,
        kNoDelay,
        D::PermanentFailure,
        ErrorType::PERMANENT,
        false,
        {{0, R::refused, "said"}}}},
      {"who was refused before keeps the reply",
       {.recipients = {R::refused, R::waiting, R::waiting}},
       {V::permanent, {{2, R::refused, "own reply"}}},
       {E::settle_failed,
        S::failed,
        1,
        1,
        0,
        false,
        kNoDelay,
        D::PermanentFailure,
        ErrorType::PERMANENT,
        false,
        {{2, R::refused, "own reply"}, {1, R::refused, "said"}}}},
      {"a budget left does not help",
       {.retry_count = 1, .attempts_max = 100},
       {V::permanent},
       {E::settle_failed,
        S::failed,
        2,
        1,
        0,
        false,
        kNoDelay,
        D::PermanentFailure,
        ErrorType::PERMANENT,
        false,
        {{0, R::refused, "said"}}}},
  });
}

TEST(AfterAttempt, uncertain) {
  run({
      {"retry waits at least ten minutes",
       {},
       {V::uncertain},
       {E::settle_retry, S::queued, 1, 1, 0, false, 10min, {}, ErrorType::UNKNOWN}},
      {"or as long as the policy says",
       {.retry_count = 5, .attempts_max = 20},
       {V::uncertain},
       {E::settle_retry, S::queued, 6, 1, 0, false, 1920s, {}, ErrorType::UNKNOWN}},
      {"retry counts",
       {.retry_count = 4},
       {V::uncertain},
       {E::settle_failed,
        S::failed,
        5,
        1,
        0,
        false,
        kNoDelay,
        D::MaxAttemptsExceeded,
        ErrorType::UNKNOWN,
        false,
        {{0, R::refused, "said"}}}},
      {"hold: dead, for a person, the recipients keep waiting",
       {},
       {V::uncertain, {}, {}, OnUncertain::hold},
       {E::settle_failed, S::failed, 1, 1, 0, false, kNoDelay, D::Uncertain, ErrorType::UNKNOWN}},
  });
}

TEST(AfterAttempt, released_changes_nothing_and_leaves_no_record) {
  for (const GroupMode mode : {GroupMode::IMMEDIATE, GroupMode::NEXT_ON_ERROR, GroupMode::BLOCK_ON_ERROR}) {
    const Decision got = decide(
        {.retry_count = 2, .attempts = 5, .deferrals = 3, .partial = true, .mode = mode}, {V::released});
    EXPECT_EQ(got.event, E::release);
    EXPECT_EQ(got.status, S::queued);
    EXPECT_EQ(got.retry_count, 2);
    EXPECT_EQ(got.attempts, 5);
    EXPECT_EQ(got.deferrals, 3);
    EXPECT_TRUE(got.partial);
    EXPECT_FALSE(got.delay.has_value());
    EXPECT_FALSE(got.attempt_status.has_value());
    EXPECT_EQ(got.last_error, "before");
    EXPECT_TRUE(got.recipients.empty());
  }
}

TEST(AfterAttempt, last_error_is_cleared_by_success_and_cut_and_cleaned_otherwise) {
  EXPECT_EQ(decide({}, {V::delivered, {{0, R::taken, ""}}}).last_error, "");
  EXPECT_EQ(decide({}, {V::transient}).last_error, "said");
  EXPECT_EQ(decide({}, {V::permanent}).last_error, "said");
  Job job;
  job.status = S::dispatching;
  DeliveryResult result;
  result.verdict = V::transient;
  for (int i = 0; i < 1500; ++i)
    result.text += "ü";
  result.text[0] = '\0';
  FixedRandom random(0);
  const std::string got = after_attempt(job, {}, result, {}, random).last_error;
  EXPECT_EQ(got.find('\0'), std::string::npos);
  EXPECT_EQ(got.substr(0, 6), " \uFFFDü");
  EXPECT_LE(got.size(), 2001U);
}

}  // namespace
}  // namespace eilbote::after_attempt_test
