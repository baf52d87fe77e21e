#include "channel/former_hand_overs.h"

#include <fmt/format.h>

#include "domain/delivery_codes.h"
#include "domain/smtp_judge.h"

namespace eilbote {

FormerHandOvers::FormerHandOvers(const HandOverSlots::LeftBehind& left_behind)
    : is_known_(left_behind.is_known) {
  // A mail that took the second route has a slot of each; the one that went further tells.
  for (const HandOver& one : left_behind.hand_overs) {
    const auto [known, is_new] = hand_overs_.try_emplace({one.job, one.token}, one);
    if (!is_new && known->second.stage < one.stage) known->second = one;
  }
}

DeliveryResult lost_with_its_worker() {
  DeliveryResult result;
  result.verdict = Verdict::uncertain;
  result.attempt_status = AttemptStatus::CONNECTION_ERROR;
  result.code = code::worker_lost;
  result.text = "the process that had the mail ended; whether the relay took it is not known";
  return result;
}

std::optional<DeliveryResult> FormerHandOvers::what_became_of(
    const Lease& lease, const std::vector<Recipient>& recipients) const {
  if (!is_known_) return lost_with_its_worker();
  const auto found = hand_overs_.find(lease);
  if (found == hand_overs_.end() || found->second.stage == HandOverStage::begun) return std::nullopt;
  const HandOver& one = found->second;
  if (recipients.size() > kHandOverRecipients) return lost_with_its_worker();

  // The reply's code was kept, its words were not.
  const SmtpJudgement judgement = judge(SmtpStage::dot, SmtpReply{one.reply_code, "", {}}, {});
  const bool is_answered = one.stage == HandOverStage::replied;
  const bool is_refused =
      is_answered && judgement.action != SmtpAction::go_on && judgement.verdict == Verdict::permanent;
  const std::string words =
      fmt::format("{} (the rest of the answer was lost with the process)", one.reply_code);
  DeliveryResult result = is_answered ? DeliveryResult{} : lost_with_its_worker();
  if (is_answered) {
    const bool is_taken = one.taken.any();
    result.verdict = is_taken ? Verdict::delivered : judgement.verdict;
    result.attempt_status = is_taken ? AttemptStatus::SUCCESS : AttemptStatus::SERVER_ERROR;
    result.code = smtp_code(one.reply_code);
    result.smtp_code = one.reply_code;
    result.text = words;
  }
  for (std::size_t i = 0; i < recipients.size(); ++i) {
    if (recipients[i].status != RecipientStatus::waiting) continue;
    const int index = static_cast<int>(i);
    if (one.taken[i])
      result.recipients.push_back({index, RecipientStatus::taken, "taken before the process ended"});
    else if (is_refused && one.accepted[i])
      result.recipients.push_back({index, RecipientStatus::refused, words});
  }
  return result;
}

}  // namespace eilbote
