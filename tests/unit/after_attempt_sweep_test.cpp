// What must hold after every attempt, whatever came before: a sweep over all combinations of small values.
#include <gtest/gtest.h>

#include <functional>

#include "domain/after_attempt.h"
#include "domain/public_state.h"

namespace eilbote::after_attempt_sweep_test {
namespace {

using S = JobStatus;
using V = Verdict;
using R = RecipientStatus;

struct Situation {
  Job job;
  std::vector<Recipient> recipients;
  DeliveryResult result;
  AttemptRules rules;
};

// All statuses of up to two recipients before the attempt, and all results the channel may give for the
// waiting ones.
void each_recipients(Situation& s, const std::function<void(const Situation&)>& check) {
  const R before[] = {R::waiting, R::taken, R::refused};
  const R after[] = {R::waiting, R::taken, R::refused};
  for (const R first : before)
    for (const R second : before)
      for (const R first_after : after)
        for (const R second_after : after) {
          s.recipients = {{RecipientKind::to, "a@x.org", first, ""},
                          {RecipientKind::to, "b@x.org", second, ""}};
          s.result.recipients.clear();
          if (first == R::waiting) s.result.recipients.push_back({0, first_after, "r0"});
          if (second == R::waiting) s.result.recipients.push_back({1, second_after, "r1"});
          if (first != R::waiting && second != R::waiting) continue;  // nothing left to do: never claimed
          s.job.partial = first == R::taken || second == R::taken;
          check(s);
        }
  s.recipients.clear();
  s.result.recipients.clear();
  s.job.partial = false;
  check(s);
}

void each_situation(const std::function<void(const Situation&)>& check) {
  for (const auto& [verdict, text] : kVerdictNames.entries)
    for (const int budget : {1, 2, 5})
      for (int retry_count = 0; retry_count < budget; ++retry_count)
        for (const int deferrals : {0, 1, 99, 100})
          for (const auto& [mode, mode_text] : kGroupModeNames.entries)
            for (const auto& [choice, choice_text] : kOnUncertainNames.entries) {
              Situation s;
              s.job.status = S::dispatching;
              s.job.retry_count = retry_count;
              s.job.attempts_max = budget;
              s.job.attempts = retry_count + deferrals;
              s.job.deferrals = deferrals;
              s.job.group_mode = mode;
              s.result.verdict = verdict;
              s.result.text = "said";
              s.rules.on_uncertain = choice;
              each_recipients(s, check);
            }
}

Job settled(const Situation& s, const Decision& d) {
  Job job = s.job;
  job.status = d.status;
  job.retry_count = d.retry_count;
  job.attempts = d.attempts;
  job.deferrals = d.deferrals;
  job.partial = d.partial;
  job.dead_reason = d.dead_reason;
  return job;
}

std::vector<R> recipients_after(const Situation& s, const Decision& d) {
  std::vector<R> statuses;
  for (const Recipient& r : s.recipients)
    statuses.push_back(r.status);
  for (const RecipientResult& change : d.recipients)
    statuses[static_cast<std::size_t>(change.index)] = change.status;
  return statuses;
}

void expect_invariants(const Situation& s, const Decision& d) {
  const bool released = s.result.verdict == V::released;
  const bool held = d.dead_reason == DeadReason::Uncertain;
  EXPECT_EQ(next_status(s.job.status, d.event), d.status);
  // The budget: never more failures than allowed, and whoever used them up does not wait.
  EXPECT_LE(d.retry_count, s.job.attempts_max);
  EXPECT_TRUE(is_final(d.status) || d.retry_count < s.job.attempts_max);
  EXPECT_TRUE(d.retry_count == s.job.retry_count || d.retry_count == s.job.retry_count + 1);
  EXPECT_EQ(d.attempts, s.job.attempts + (released ? 0 : 1));
  EXPECT_LE(d.deferrals, kDeferralsInARowMax);
  EXPECT_FALSE(d.deferral && d.retry_count != s.job.retry_count) << "a deferral burns nothing";
  // Waiting jobs know when, finished ones do not wait; the dead have a reason and only they.
  EXPECT_EQ(d.delay.has_value(), !is_final(d.status) && !released);
  EXPECT_EQ(d.dead_reason.has_value(), d.status == S::failed);
  EXPECT_EQ(d.attempt_status.has_value(), !released);
  // Recipients: none waits behind a finished job (unless a person is asked), none is taken behind a dead one.
  const auto after = recipients_after(s, d);
  const auto count = [&](R status) { return std::count(after.begin(), after.end(), status); };
  if (is_final(d.status) && !held) {
    EXPECT_EQ(count(R::waiting), 0);
  }
  if (d.status == S::failed && !held) {
    EXPECT_EQ(count(R::taken), 0);
  }
  if (d.status == S::sent && !s.recipients.empty()) {
    EXPECT_GT(count(R::taken), 0);
  }
  if (!is_final(d.status) && !released) {
    EXPECT_EQ(d.partial, count(R::taken) > 0);
  }
  // What the client sees is a legal move, or none.
  const MailState from = mail_state(s.job), to = mail_state(settled(s, d));
  EXPECT_TRUE(from == to || mail_move_is_legal(from, to))
      << kMailStateNames.text(from) << " to " << kMailStateNames.text(to);
}

TEST(AfterAttemptSweep, holds_in_every_situation) {
  int situations = 0;
  each_situation([&](const Situation& s) {
    ++situations;
    // A channel says `delivered` only when it has a result for everybody it tried, so all of them are fair.
    FixedRandom random(static_cast<std::uint64_t>(situations) * 0x9E3779B97F4A7C15ULL);
    const Decision d = after_attempt(s.job, s.recipients, s.result, s.rules, random);
    SCOPED_TRACE(testing::Message() << kVerdictNames.text(s.result.verdict) << ", failures "
                                    << s.job.retry_count << "/" << s.job.attempts_max << ", deferrals "
                                    << s.job.deferrals << ", " << kGroupModeNames.text(s.job.group_mode)
                                    << ", situation " << situations);
    expect_invariants(s, d);
  });
  EXPECT_GT(situations, 50'000);
}

}  // namespace
}  // namespace eilbote::after_attempt_sweep_test
