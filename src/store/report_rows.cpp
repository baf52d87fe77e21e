#include "store/report_rows.h"

#include <algorithm>

#include "base/json_escape.h"
#include "base/utf8.h"
#include "domain/public_state.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

// Adds `"name":"text"` where there is a text. It is a peer's: cleaned, and no longer than what is kept of a reply.
void add_text(std::string& out, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  if (!out.ends_with('{')) out += ',';
  append_json_string(out, name);
  out += ':';
  append_json_string(out, clean_peer_text(text, kErrorTextMax));
}

void add_reference(std::string& out, const ReportReference& reference) {
  out += '{';
  if (reference.job) add_text(out, "id", to_text(*reference.job));
  add_text(out, "messageId", reference.message_id);
  add_text(out, "providerMessageId", reference.provider_id);
  out += '}';
}

void add_recipient(std::string& out, const RecipientReport& recipient) {
  out += '{';
  add_text(out, "address", recipient.address);
  add_text(out, "originalAddress", recipient.original_address);
  add_text(out, "action", kReportActionNames.text(recipient.action));
  add_text(out, "status", recipient.status);
  add_text(out, "diagnostic", recipient.diagnostic);
  out += '}';
}

template <class Items, class Add>
void add_list(std::string& out, std::string_view name, const Items& items, Add add) {
  out += ',';
  append_json_string(out, name);
  out += ":[";
  for (const auto& item : items) {
    if (!out.ends_with('[')) out += ',';
    add(out, item);
  }
  out += ']';
}

}  // namespace

std::string report_body(const DeliveryReport& report) {
  std::string out = "{";
  add_text(out, "key", report.key);
  if (report.said_at) add_text(out, "saidAt", to_rfc3339(*report.said_at));
  const std::span<const ReportReference> references(report.references);
  add_list(out, "references", references.first(std::min(references.size(), kReferencesMax)), add_reference);
  add_list(out, "recipients", report.recipients, add_recipient);
  out += '}';
  return out;
}

std::string findable_text(std::string_view reference) {
  return clean_peer_text(reference, kErrorTextMax);
}

std::vector<std::pair<std::string, std::string>> suppressions_of(const ReportDecision& decision,
                                                                 const ReportedMail& mail) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const RecipientResult& change : decision.recipients) {
    const std::string address =
        normal_address(mail.recipients.at(static_cast<std::size_t>(change.index)).address);
    const bool is_new =
        std::ranges::find(all, address, [](const auto& one) { return one.first; }) == all.end();
    if (!is_new || std::ranges::find(decision.suppress, address) == decision.suppress.end()) continue;
    std::string reason(kBouncedReason);
    if (!change.reply.empty()) reason += ": " + change.reply;
    all.emplace_back(address, std::string(utf8_prefix(reason, kErrorTextMax)));
  }
  std::ranges::sort(all);
  return all;
}

ReportOutcome outcome_of(const ReportDecision& decision, const ReportedMail& mail) {
  ReportOutcome outcome;
  outcome.kind = ReportKind::applied;
  outcome.job = mail.job.id;
  outcome.from = public_state_text(mail.job);
  outcome.to = decision.events.empty() ? outcome.from : decision.events.back().to;
  return outcome;
}

}  // namespace eilbote
