#include "channel/graph_results.h"

#include <fmt/format.h>

#include "domain/delivery_codes.h"

namespace eilbote::graph {
namespace {

constexpr Duration kDraftBookWait = std::chrono::seconds{5};

}  // namespace

DeliveryResult taken(const std::vector<Recipient>& recipients, std::string id) {
  DeliveryResult result;
  result.verdict = Verdict::delivered;
  result.provider_message_id = std::move(id);
  const std::string reply = "accepted by Microsoft Graph";
  for (std::size_t i = 0; i < recipients.size(); ++i)
    if (recipients[i].status == RecipientStatus::waiting)
      result.recipients.push_back({static_cast<int>(i), RecipientStatus::taken, reply});
  return result;
}

DeliveryResult not_its_turn(Duration wait, const MailboxRate::Pause* pause) {
  DeliveryResult result;
  result.verdict = Verdict::deferred;
  result.attempt_status = AttemptStatus::CLIENT_ERROR;
  result.retry_after = wait;
  result.code = pause != nullptr ? pause->code : code::graph_mailbox_rate;
  result.text = pause != nullptr ? "the mailbox is left alone for a while: " + pause->text
                                 : "the mailbox has sent as many mails as it may in a minute";
  return result;
}

DeliveryResult answer_lost(AttemptStatus how, const std::string& what, Duration wait) {
  DeliveryResult result;
  result.verdict = Verdict::transient;
  result.attempt_status = how;
  result.code = code::graph_answer_lost;
  result.text = fmt::format("handed to Graph, and not known whether it is on its way{}{}",
                            what.empty() ? "" : ": ", what);
  result.retry_after = wait;
  return result;
}

DeliveryResult nowhere_to_be_found() {
  DeliveryResult result;
  result.verdict = Verdict::uncertain;
  result.attempt_status = AttemptStatus::SERVER_ERROR;
  result.code = code::graph_draft_gone;
  result.text = "handed to Graph without an answer, and neither in Drafts nor in Sent Items";
  return result;
}

DeliveryResult refused(const char* code, std::string text) {
  DeliveryResult result;
  result.verdict = Verdict::permanent;
  result.attempt_status = AttemptStatus::CLIENT_ERROR;
  result.code = code;
  result.text = std::move(text);
  return result;
}

DeliveryResult no_draft_book(const std::string& error) {
  DeliveryResult result;
  result.verdict = Verdict::deferred;
  result.attempt_status = AttemptStatus::CONNECTION_ERROR;
  result.code = code::graph_draft_book;
  result.text = "which draft is the mail's cannot be read or written: " + error;
  result.retry_after = kDraftBookWait;
  return result;
}

}  // namespace eilbote::graph
