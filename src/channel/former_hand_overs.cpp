#include "channel/former_hand_overs.h"

#include <fmt/format.h>

#include "domain/smtp_judge.h"

namespace eilbote {

FormerHandOvers::FormerHandOvers(const HandOverSlots::LeftBehind& left_behind)
    : is_known_(left_behind.is_known) {
  for (const HandOver& one : left_behind.hand_overs)
    hand_overs_[{one.job, one.token}] = one;
}

DeliveryResult lost_with_its_worker() {
  DeliveryResult result;
  result.verdict = Verdict::uncertain;
  result.attempt_status = AttemptStatus::CONNECTION_ERROR;
  result.code = "WORKER_LOST";
  result.text = "the process that had the mail ended; whether the relay took it is not known";
  return result;
}

std::optional<DeliveryResult> FormerHandOvers::what_became_of(
    const Lease& lease, const std::vector<Recipient>& recipients) const {
  if (!is_known_) return lost_with_its_worker();
  const auto found = hand_overs_.find(lease);
  if (found == hand_overs_.end() || found->second.stage == HandOverStage::begun) return std::nullopt;
  const HandOver& one = found->second;
  if (one.stage == HandOverStage::dot) return lost_with_its_worker();

  // The reply's code was kept, its words were not.
  const SmtpReply reply{one.reply_code, "", {}};
  const SmtpJudgement judgement = judge(SmtpStage::dot, reply, {});
  const bool taken = judgement.action == SmtpAction::go_on;
  DeliveryResult result;
  result.verdict = taken ? Verdict::delivered : judgement.verdict;
  result.attempt_status = taken ? AttemptStatus::SUCCESS : AttemptStatus::SERVER_ERROR;
  result.code = fmt::format("SMTP_{:03}", one.reply_code);
  result.smtp_code = one.reply_code;
  result.text = fmt::format("{} (the rest of the answer was lost with the process)", one.reply_code);
  if (!taken) return result;
  for (std::size_t i = 0; i < recipients.size(); ++i) {
    const bool accepted = i >= kHandOverRecipients || one.accepted[i];
    if (recipients[i].status == RecipientStatus::waiting && accepted)
      result.recipients.push_back({static_cast<int>(i), RecipientStatus::taken, result.text});
  }
  return result;
}

}  // namespace eilbote
