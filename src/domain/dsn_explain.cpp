// What a bounce says, as JSON for people and for scripts: `eilbote dsn --explain`.
#include <boost/json.hpp>

#include "domain/dsn.h"
#include "domain/tsid.h"

namespace eilbote {
namespace bounce {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::object explain_recipient(const RecipientReport& recipient) {
  json::object out{{"address", recipient.address}};
  if (!recipient.original_address.empty()) out["originalAddress"] = recipient.original_address;
  out["action"] = kReportActionNames.text(recipient.action);
  out["status"] = text_or_null(recipient.status);
  out["diagnostic"] = text_or_null(recipient.diagnostic);
  return out;
}

// `jobId` where it names a mail of ours.
json::object explain_reference(const ReportReference& reference) {
  json::object out;
  if (!reference.message_id.empty()) out["messageId"] = reference.message_id;
  if (reference.job) out["jobId"] = to_text(*reference.job);
  return out;
}

}  // namespace
}  // namespace bounce

std::string explain(const Dsn& dsn) {
  boost::json::array recipients, references;
  for (const RecipientReport& one : dsn.recipients)
    recipients.push_back(bounce::explain_recipient(one));
  for (const ReportReference& one : dsn.references)
    references.push_back(bounce::explain_reference(one));
  return boost::json::serialize(
      boost::json::object{{"kind", kDsnKindNames.text(dsn.kind)},
                          {"messageClass", bounce::text_or_null(dsn.message_class)},
                          {"originalMessageId", bounce::text_or_null(dsn.original_message_id)},
                          {"inReplyTo", bounce::text_or_null(dsn.in_reply_to)},
                          {"messageId", bounce::text_or_null(dsn.message_id)},
                          {"recipients", std::move(recipients)},
                          {"references", std::move(references)}});
}

}  // namespace eilbote
