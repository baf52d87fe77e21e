// The decision after an attempt that burns nothing: deferrals up to their limit, faults of the configuration; and what each
// kind of end means for the turn of a group.
#include "unit/after_attempt_cases.h"

namespace eilbote::after_attempt_deferral_test {
namespace {

using namespace after_attempt_cases;

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

}  // namespace
}  // namespace eilbote::after_attempt_deferral_test
