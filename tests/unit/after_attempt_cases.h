// What the tests of the decision after an attempt have in common: a case is a job, what the channel said, and every field
// that is then written to the row.
#pragma once

#include <gtest/gtest.h>

#include "domain/after_attempt.h"

namespace eilbote::after_attempt_cases {

using namespace std::chrono_literals;
using S = JobStatus;
using E = JobEvent;
using V = Verdict;
using R = RecipientStatus;
using D = DeadReason;
using Statuses = std::vector<R>;
using Changes = std::vector<RecipientResult>;

inline constexpr auto kNoDelay = std::nullopt;

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

inline Decision decide(const Given& given, const Said& said) {
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

inline void run(const std::vector<Case>& cases) {
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

}  // namespace eilbote::after_attempt_cases
