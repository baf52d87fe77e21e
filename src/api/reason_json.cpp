#include "api/reason_json.h"

#include "domain/smtp_reasons.h"

namespace eilbote {
namespace {

namespace json = boost::json;

void put(json::object& into, const std::optional<DeliveryReason>& reason) {
  if (!reason) return;
  into["reason"] = json::object{{"code", reason->code},
                                {"class", kVerdictNames.text(reason->verdict)},
                                {"message", reason->message},
                                {"hint", reason->hint}};
}

// Not of an SMTP reply: of the way, of Graph, or of Eilbote itself.
std::optional<DeliveryReason> reason_of_attempt(const Attempt& attempt) {
  return reason_of_code(attempt.code, attempt.verdict.value_or(Verdict::transient));
}

// What the mail's `lastError` was made of.
std::optional<DeliveryReason> reason_of_failure(const JobRecord& record) {
  if (record.job.report == Report::bounced) return reason_of_bounce(record.job.last_error);
  if (!record.last_failure) return std::nullopt;
  const Attempt& attempt = *record.last_failure;
  if (attempt.smtp_code == 0) return reason_of_attempt(attempt);
  const auto reason = reason_of_reply(record.job.last_error);
  return reason ? reason : reason_of_attempt(attempt);
}

}  // namespace

void put_reason(json::object& last_error, const JobRecord& record) {
  auto reason = reason_of_failure(record);
  if (const auto* code = last_error.if_contains("code"); !reason && code != nullptr && code->is_string())
    reason = reason_of_code(std::string_view(code->get_string()), Verdict::permanent);
  put(last_error, reason);
}

void put_reason(json::object& shown, const Recipient& recipient, const JobRecord& record) {
  switch (recipient.status) {
    case RecipientStatus::taken:
    case RecipientStatus::delivered:
      return;
    case RecipientStatus::suppressed:
      return put(shown, reason_of_code(code::suppressed, Verdict::permanent));
    case RecipientStatus::bounced: {
      const auto reason = reason_of_bounce(recipient.reply);
      return put(shown, reason ? reason : reason_of_code(code::bounced, Verdict::permanent));
    }
    case RecipientStatus::waiting:
    case RecipientStatus::refused:
      break;
  }
  // A reply of its own, or what the whole mail met; a mail that was not tried yet has neither.
  auto reason = reason_of_reply(recipient.reply);
  if (!reason && recipient.status == RecipientStatus::refused && record.last_failure)
    reason = reason_of_attempt(*record.last_failure);
  put(shown, reason);
}

}  // namespace eilbote
