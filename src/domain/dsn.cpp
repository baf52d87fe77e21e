// Decides what a message in a mailbox is and what it says of a mail of ours. Called for what is posted to /webhooks/dsn, for
// what is found in a mailbox, and by `eilbote dsn --explain`. Nothing is guessed: words for people are no report.
#include "domain/dsn.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "domain/dsn_parts.h"
#include "domain/tsid.h"

namespace eilbote {
namespace bounce {
namespace {

// [MS-OXCMAIL] 2.2.3.7.1.1: the gravest action of a report names it.
struct ActionClass {
  ReportAction action;
  const char* message_class;
};
constexpr std::array<ActionClass, 5> kFromLightToGrave{{
    {ReportAction::delivered, "REPORT.IPM.Note.DR"},
    {ReportAction::expanded, "REPORT.IPM.Note.Expanded.DR"},
    {ReportAction::relayed, "REPORT.IPM.Note.Relayed.DR"},
    {ReportAction::delayed, "REPORT.IPM.Note.Delayed.DR"},
    {ReportAction::failed, "REPORT.IPM.Note.NDR"},
}};
constexpr const char* kReadClass = "REPORT.IPM.Note.IPNRN";
constexpr const char* kNotReadClass = "REPORT.IPM.Note.IPNNRN";
constexpr const char* kOutOfOfficeClass = "IPM.Note.Rules.OofTemplate.Microsoft";
constexpr std::string_view kOutOfOfficeClasses = "ipm.note.rules.oof";

std::string class_of(const std::vector<RecipientReport>& recipients) {
  std::string gravest;
  for (const auto& [action, name] : kFromLightToGrave)
    if (std::any_of(recipients.begin(), recipients.end(),
                    [action = action](const RecipientReport& one) { return one.action == action; }))
      gravest = name;
  return gravest;
}

// By RFC 3834 and by what older programs write. Exchange calls its out-of-office answers auto-generated, as if nobody had
// asked; that they answer a mail tells them from a newsletter.
bool is_auto_reply(const Fields& header) {
  const auto has = [&header](std::string_view name) { return !value_of(header, name).empty(); };
  const std::string submitted = ascii_lower(value_of(header, "auto-submitted"));
  const std::string_view how = trimmed(std::string_view(submitted).substr(0, submitted.find_first_of(";(")));
  const bool answers = has("in-reply-to") || has("references");
  if (how == "auto-replied" || has("x-autoreply") || has("x-autorespond") || has("x-auto-response"))
    return true;
  if (same_but_for_case(trimmed(value_of(header, "precedence")), "auto_reply")) return true;
  if (ascii_lower(value_of(header, "content-class")).starts_with(kOutOfOfficeClasses)) return true;
  return answers && ((!how.empty() && how != "no") || has("x-auto-response-suppress"));
}

void name_kind(const Parts& parts, Dsn& dsn) {
  if (!dsn.recipients.empty()) {
    dsn.kind = DsnKind::report;
    dsn.message_class = class_of(dsn.recipients);
  } else if (parts.disposition) {
    dsn.kind = DsnKind::read_receipt;
    dsn.message_class = says_displayed(read_groups(*parts.disposition, 10)) ? kReadClass : kNotReadClass;
  } else if (parts.is_report) {
    dsn.kind = DsnKind::report;  // one that no machine can read: a person may want to
  } else if (is_auto_reply(parts.header)) {
    dsn.kind = DsnKind::auto_reply;
    dsn.message_class = kOutOfOfficeClass;
  }
}

// Exchange says it in the fields of a report, a read receipt in its own.
std::string said_original_id(const Parts& parts, const DeliveryStatus& status) {
  if (!status.original_message_id.empty()) return status.original_message_id;
  if (parts.disposition)
    for (const Fields& group : read_groups(*parts.disposition, 10))
      if (std::string id = first_message_id(value_of(group, "original-message-id")); !id.empty()) return id;
  return first_message_id(value_of(parts.header, "x-original-message-id"));
}

void add_reference(std::vector<ReportReference>& references, ReportReference reference) {
  if (!reference.job && reference.message_id.empty()) return;
  if (std::find(references.begin(), references.end(), reference) == references.end())
    references.push_back(std::move(reference));
}

void add_message_id(std::vector<ReportReference>& references, const std::string& id) {
  add_reference(references, {job_of_message_id(id), id});
}

}  // namespace
}  // namespace bounce

Dsn read_dsn(std::string_view message) {
  using namespace bounce;
  const Parts parts = read_parts(message.substr(0, kDsnBytesMax));
  DeliveryStatus status;
  for (const std::string& text : parts.delivery_status)
    read_delivery_status(text, status);

  Dsn dsn;
  dsn.message_id = first_message_id(value_of(parts.header, "message-id"));
  dsn.in_reply_to = first_message_id(value_of(parts.header, "in-reply-to"));
  const std::string embedded = first_message_id(value_of(parts.original, "message-id"));
  const std::string said = said_original_id(parts, status);
  dsn.original_message_id = embedded.empty() ? said : embedded;
  dsn.recipients = std::move(status.recipients);
  name_kind(parts, dsn);

  add_message_id(dsn.references, dsn.in_reply_to);
  add_message_id(dsn.references, last_message_id(value_of(parts.header, "references")));
  add_message_id(dsn.references, embedded);
  add_message_id(dsn.references, said);
  add_reference(dsn.references, {parse_job_id(trimmed(value_of(parts.original, kJobIdHeader)))});
  return dsn;
}

std::optional<JobId> job_of_message_id(std::string_view message_id) {
  if (!message_id.starts_with('<') || !message_id.ends_with('>')) return std::nullopt;
  const std::size_t at = message_id.find('@');
  // Something has to stand between the @ and the bracket.
  if (at == std::string_view::npos || at + 2 >= message_id.size()) return std::nullopt;
  return parse_job_id(message_id.substr(1, at - 1));
}

}  // namespace eilbote
