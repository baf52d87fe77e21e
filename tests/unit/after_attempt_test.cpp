// The decision after an attempt, as one table: every verdict with every budget, every situation of the
// recipients, deferrals at their limit, uncertainty, groups. Every field that is written to the row is
// compared.
#include "domain/after_attempt.h"

#include <gtest/gtest.h>

namespace eilbote::after_attempt_test {
namespace {

using namespace std::chrono_literals;
using S = JobStatus;
using E = JobEvent;
using V = Verdict;
using R = RecipientStatus;
using D = DeadReason;
using Statuses = std::vector<R>;
using Changes = std::vector<RecipientResult>;

constexpr auto kNoDelay = std::nullopt;

struct Given {
  int retry_count = 0;
  int attempts_max = 5;
  int attempts = 0;
  int deferrals = 0;
  bool partial = false;
  GroupMode mode = GroupMode::IMMEDIATE;
  Statuses recipients = {R::waiting};
};

struct Said {
  V verdict;
  Changes changes = {};
  std::optional<Duration> retry_after = std::nullopt;
  OnUncertain on_uncertain = OnUncertain::retry;
};

struct Want {
  E event;
  S status;
  int retry_count = 0;
  int attempts = 1;
  int deferrals = 0;
  bool partial = false;
  std::optional<Duration> delay = std::nullopt;
  std::optional<D> dead = std::nullopt;
  std::optional<ErrorType> error = ErrorType::TRANSIENT;
  bool deferral = false;
  Changes recipients = {};
};

struct Case {
  const char* name;
  Given given;
  Said said;
  Want want;
};

Decision decide(const Given& given, const Said& said) {
  Job job;
  job.id = JobId{1};
  job.status = S::dispatching;
  job.retry_count = given.retry_count;
  job.attempts_max = given.attempts_max;
  job.attempts = given.attempts;
  job.deferrals = given.deferrals;
  job.partial = given.partial;
  job.group_mode = given.mode;
  job.last_error = "before";
  std::vector<Recipient> recipients;
  for (const R status : given.recipients)
    recipients.push_back({RecipientKind::to, "a@example.org", status, ""});
  DeliveryResult result;
  result.verdict = said.verdict;
  result.attempt_status = said.verdict == V::delivered ? AttemptStatus::SUCCESS : AttemptStatus::SERVER_ERROR;
  result.text = "said";
  result.retry_after = said.retry_after;
  result.recipients = said.changes;
  AttemptRules rules;
  rules.policy.jitter = 0;
  rules.policy.attempts_max = given.attempts_max;
  rules.on_uncertain = said.on_uncertain;
  FixedRandom random(0);
  return after_attempt(job, recipients, result, rules, random);
}

void run(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Decision got = decide(c.given, c.said);
    EXPECT_EQ(kJobEventNames.text(got.event), kJobEventNames.text(c.want.event));
    EXPECT_EQ(kJobStatusNames.text(got.status), kJobStatusNames.text(c.want.status));
    EXPECT_EQ(got.retry_count, c.want.retry_count);
    EXPECT_EQ(got.attempts, c.want.attempts);
    EXPECT_EQ(got.deferrals, c.want.deferrals);
    EXPECT_EQ(got.partial, c.want.partial);
    EXPECT_EQ(got.delay, c.want.delay);
    EXPECT_EQ(got.dead_reason, c.want.dead);
    EXPECT_EQ(got.error_type, c.want.error);
    EXPECT_EQ(got.deferral, c.want.deferral);
    EXPECT_EQ(got.recipients, c.want.recipients);
    EXPECT_FALSE(got.reason.empty());
  }
}

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

TEST(AfterAttempt, partial_hand_over) {
  const Changes half{{0, R::taken, "250"}, {1, R::waiting, "451 later"}};
  const Statuses two{R::waiting, R::waiting};
  run({
      {"some taken, some later: counts, waits, partial",
       {.recipients = two},
       {V::delivered, half},
       {E::settle_retry, S::queued, 1, 1, 0, true, 60s, {}, ErrorType::TRANSIENT, false, half}},
      {"again, another failure",
       {.retry_count = 1, .attempts = 1, .partial = true, .recipients = {R::taken, R::waiting}},
       {V::transient},
       {E::settle_retry, S::queued, 2, 2, 0, true, 120s}},
      {"deferred while partial",
       {.retry_count = 1, .attempts = 1, .partial = true, .recipients = {R::taken, R::waiting}},
       {V::deferred, {}, 45s},
       {E::settle_retry, S::queued, 1, 2, 1, true, 45s, {}, ErrorType::TRANSIENT, true}},
      {"used up: sent, the waiting one refused with the last word",
       {.retry_count = 4, .attempts = 4, .partial = true, .recipients = {R::taken, R::waiting}},
       {V::transient},
       {E::settle_sent,
        S::sent,
        5,
        5,
        0,
        false,
        kNoDelay,
        {},
        ErrorType::TRANSIENT,
        false,
        {{1, R::refused, "said"}}}},
      {"used up in the same attempt as the first taken",
       {.retry_count = 4, .attempts = 4, .recipients = two},
       {V::delivered, half},
       {E::settle_sent,
        S::sent,
        5,
        5,
        0,
        false,
        kNoDelay,
        {},
        ErrorType::TRANSIENT,
        false,
        {{0, R::taken, "250"}, {1, R::refused, "451 later"}}}},
      {"refused for good: sent as well",
       {.retry_count = 1, .attempts = 1, .partial = true, .recipients = {R::taken, R::waiting}},
       {V::permanent},
       {E::settle_sent,
        S::sent,
        2,
        2,
        0,
        false,
        kNoDelay,
        {},
        ErrorType::PERMANENT,
        false,
        {{1, R::refused, "said"}}}},
      {"delivered and bounced ones were taken too",
       {.retry_count = 4, .partial = true, .recipients = {R::bounced, R::delivered, R::waiting}},
       {V::transient},
       {E::settle_sent,
        S::sent,
        5,
        1,
        0,
        false,
        kNoDelay,
        {},
        ErrorType::TRANSIENT,
        false,
        {{2, R::refused, "said"}}}},
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

TEST(AfterAttempt, deferrals) {
  run({
      {"burns nothing",
       {.retry_count = 2, .attempts = 2},
       {V::deferred, {}, 90s},
       {E::settle_retry, S::queued, 2, 3, 1, false, 90s, {}, ErrorType::TRANSIENT, true}},
      {"30 s when nobody says",
       {},
       {V::deferred},
       {E::settle_retry, S::queued, 0, 1, 1, false, 30s, {}, ErrorType::TRANSIENT, true}},
      {"at least a second",
       {},
       {V::deferred, {}, 0s},
       {E::settle_retry, S::queued, 0, 1, 1, false, 1s, {}, ErrorType::TRANSIENT, true}},
      {"at most 12 hours",
       {},
       {V::deferred, {}, 48h},
       {E::settle_retry, S::queued, 0, 1, 1, false, 43'200s, {}, ErrorType::TRANSIENT, true}},
      {"even with the last attempt left",
       {.retry_count = 4, .attempts = 4},
       {V::deferred},
       {E::settle_retry, S::queued, 4, 5, 1, false, 30s, {}, ErrorType::TRANSIENT, true}},
      {"the 100th in a row",
       {.attempts = 99, .deferrals = 99},
       {V::deferred},
       {E::settle_retry, S::queued, 0, 100, 100, false, 30s, {}, ErrorType::TRANSIENT, true}},
      {"the 101st counts, and the row starts anew",
       {.attempts = 100, .deferrals = 100},
       {V::deferred},
       {E::settle_retry, S::queued, 1, 101, 0, false, 60s}},
      {"the 101st with the last attempt left",
       {.retry_count = 4, .attempts = 104, .deferrals = 100},
       {V::deferred},
       {E::settle_failed,
        S::failed,
        5,
        105,
        0,
        false,
        kNoDelay,
        D::MaxAttemptsExceeded,
        ErrorType::TRANSIENT,
        false,
        {{0, R::refused, "said"}}}},
  });
}

TEST(AfterAttempt, configuration_faults_burn_nothing) {
  run({
      {"waits five minutes",
       {},
       {V::configuration},
       {E::settle_retry, S::queued, 0, 1, 1, false, 5min, {}, ErrorType::TRANSIENT, true}},
      {"or as long as it says",
       {},
       {V::configuration, {}, 1s},
       {E::settle_retry, S::queued, 0, 1, 1, false, 1s, {}, ErrorType::TRANSIENT, true}},
      {"with the last attempt left",
       {.retry_count = 4, .attempts = 500},
       {V::configuration},
       {E::settle_retry, S::queued, 4, 501, 1, false, 5min, {}, ErrorType::TRANSIENT, true}},
  });
}

TEST(AfterAttempt, no_number_of_configuration_faults_kills_a_mail) {
  const Decision got = decide({.retry_count = 4, .deferrals = kDeferralsInARowMax}, {V::configuration});
  EXPECT_EQ(got.status, S::queued);
  EXPECT_EQ(got.retry_count, 4);
  EXPECT_EQ(got.deferrals, kDeferralsInARowMax);
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

TEST(AfterAttempt, groups_give_up_their_turn_or_keep_it) {
  const auto cases = [](GroupMode mode, E event, S status) {
    run({
        {"failure", {.mode = mode}, {V::transient}, {event, status, 1, 1, 0, false, 60s}},
        {"route", {.mode = mode}, {V::route_fault}, {event, status, 1, 1, 0, false, 60s}},
        {"deferral",
         {.mode = mode},
         {V::deferred},
         {event, status, 0, 1, 1, false, 30s, {}, ErrorType::TRANSIENT, true}},
        {"uncertain",
         {.mode = mode},
         {V::uncertain},
         {event, status, 1, 1, 0, false, 10min, {}, ErrorType::UNKNOWN}},
        {"configuration",
         {.mode = mode},
         {V::configuration},
         {event, status, 0, 1, 1, false, 5min, {}, ErrorType::TRANSIENT, true}},
        {"sent",
         {.mode = mode, .recipients = {}},
         {V::delivered},
         {E::settle_sent, S::sent, 0, 1, 0, false, kNoDelay, {}, {}}},
        {"dead",
         {.mode = mode, .recipients = {}},
         {V::permanent},
         {E::settle_failed, S::failed, 1, 1, 0, false, kNoDelay, D::PermanentFailure, ErrorType::PERMANENT}},
    });
  };
  cases(GroupMode::IMMEDIATE, E::settle_retry, S::queued);
  cases(GroupMode::BLOCK_ON_ERROR, E::settle_retry, S::queued);
  cases(GroupMode::NEXT_ON_ERROR, E::settle_block, S::blocked);
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
