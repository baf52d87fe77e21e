// The decision after an attempt in which some recipients were taken and others not: counted, waited for, and in the end sent.
#include "unit/after_attempt_cases.h"

namespace eilbote::after_attempt_partial_test {
namespace {

using namespace after_attempt_cases;

const Changes kHalf{{0, R::taken, "250"}, {1, R::waiting, "451 later"}};
const Statuses kTwo{R::waiting, R::waiting};

const std::vector<Case> kPartial{
    {"some taken, some later: counts, waits, partial",
     {.recipients = kTwo},
     {V::delivered, kHalf},
     {E::settle_retry, S::queued, 1, 1, 0, true, 60s, {}, ErrorType::TRANSIENT, false, kHalf}},
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
     {.retry_count = 4, .attempts = 4, .recipients = kTwo},
     {V::delivered, kHalf},
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
};

TEST(AfterAttempt, partial_hand_over) {
  run(kPartial);
}

}  // namespace
}  // namespace eilbote::after_attempt_partial_test
