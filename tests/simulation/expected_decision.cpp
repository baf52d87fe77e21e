#include "simulation/expected_decision.h"

#include <fmt/format.h>

#include <algorithm>

namespace eilbote::sim {
namespace {

// What must come of it.
struct Expected {
  bool burns = false;              // an attempt
  bool records = true;             // an attempt on record
  bool ends = false;               // whatever is left of the budget
  bool is_done = false;            // sent
  std::optional<DeadReason> dead;  // when it ends unsent
  Duration waits_at_least{0};
};

bool any_taken(const Row& before, const DeliveryResult& result) {
  const auto is_taken = [](RecipientStatus status) { return status == RecipientStatus::taken; };
  return std::ranges::any_of(before.recipients, [&](const Recipient& one) { return is_taken(one.status); }) ||
         std::ranges::any_of(result.recipients,
                             [&](const RecipientResult& one) { return is_taken(one.status); });
}

bool any_waiting(const Row& before, const DeliveryResult& result) {
  for (std::size_t i = 0; i < before.recipients.size(); ++i) {
    RecipientStatus status = before.recipients[i].status;
    for (const RecipientResult& change : result.recipients)
      if (change.index == static_cast<int>(i)) status = change.status;
    if (status == RecipientStatus::waiting) return true;
  }
  return false;
}

Expected of_hand_over(const Row& before, const DeliveryResult& result) {
  Expected expected;
  if (before.recipients.empty()) {
    expected.is_done = expected.ends = true;
  } else if (any_waiting(before, result)) {
    expected.burns = true;
    expected.dead = DeadReason::MaxAttemptsExceeded;
  } else {
    expected.ends = true;
    expected.is_done = any_taken(before, result);
    expected.burns = !expected.is_done;
    expected.dead = DeadReason::PermanentFailure;
  }
  return expected;
}

Expected expected_of(const Row& before, const Settlement& settlement, const Answer& told) {
  const DeliveryResult& result = told.result;
  Expected expected;
  expected.dead = DeadReason::MaxAttemptsExceeded;
  switch (result.verdict) {
    case Verdict::released:
      expected.records = false;
      break;
    case Verdict::delivered:
      return of_hand_over(before, result);
    case Verdict::deferred:
      expected.burns = before.job.deferrals >= 100;
      expected.waits_at_least = std::chrono::seconds{1};
      break;
    case Verdict::configuration:
      expected.waits_at_least = std::chrono::seconds{1};
      break;
    case Verdict::transient:
      expected.burns = !(told.probe_allowed && settlement.decision.deferral);
      break;
    case Verdict::route_fault:
      expected.burns = true;
      break;
    case Verdict::permanent:
      expected.burns = expected.ends = true;
      expected.dead = DeadReason::PermanentFailure;
      break;
    case Verdict::uncertain:
      expected.burns = true;
      expected.ends = before.on_uncertain == OnUncertain::hold;
      if (expected.ends) expected.dead = DeadReason::Uncertain;
      expected.waits_at_least = std::chrono::minutes{10};
      break;
  }
  if (result.retry_after) expected.waits_at_least = std::max(expected.waits_at_least, *result.retry_after);
  return expected;
}

std::string_view text(JobStatus status) {
  return kJobStatusNames.text(status);
}

}  // namespace

std::optional<std::string> wrong_decision(const Row& before, const Settlement& settlement,
                                          const Answer* told) {
  const Decision& decision = settlement.decision;
  const Answer nothing;
  const Expected expected = expected_of(before, settlement, told != nullptr ? *told : nothing);
  const DeliveryResult& result = told != nullptr ? told->result : nothing.result;
  const std::string after = fmt::format("after '{}' ", kVerdictNames.text(result.verdict));
  if (expected.records != settlement.attempt.has_value())
    return after + (expected.records ? "no attempt is on record" : "an attempt is on record");
  if (expected.records && settlement.attempt->number != before.job.attempts + 1)
    return after + fmt::format("its attempt {} has the number {}", before.job.attempts + 1,
                               settlement.attempt->number);
  const int count = before.job.retry_count + (expected.burns ? 1 : 0);
  if (decision.retry_count != count)
    return after + fmt::format("{} attempts count, and not {}", decision.retry_count, count);
  const bool ends = expected.ends || (expected.burns && count >= before.job.attempts_max);
  if (!ends) {
    const bool gives_up_turn = expected.records && before.job.group_mode == GroupMode::NEXT_ON_ERROR;
    const JobStatus want = gives_up_turn ? JobStatus::blocked : JobStatus::queued;
    if (decision.status != want)
      return after + fmt::format("it is {}, and not {}", text(decision.status), text(want));
    if (decision.delay.value_or(Duration{0}) < expected.waits_at_least)
      return after + "it comes again too early";
    return std::nullopt;
  }
  const bool is_held = decision.dead_reason == DeadReason::Uncertain;
  const JobStatus want =
      expected.is_done || (any_taken(before, result) && !is_held) ? JobStatus::sent : JobStatus::failed;
  if (decision.status != want)
    return after + fmt::format("it is {}, and not {}", text(decision.status), text(want));
  if (want == JobStatus::failed && decision.dead_reason != expected.dead)
    return after + "it is dead for a wrong reason";
  return std::nullopt;
}

}  // namespace eilbote::sim
