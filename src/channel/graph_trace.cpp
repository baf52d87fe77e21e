#include "channel/graph_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>

#include "base/ascii.h"
#include "base/url_escape.h"
#include "channel/graph_ask.h"
#include "domain/json_members.h"
#include "domain/report_rules.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kTracePageBytesMax = 8 * 1024 * 1024;
constexpr int kTraceRowsPerPage = 1000;

// A quote inside a text of OData is written twice.
std::string odata_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string window_path(const std::string& sender, TimePoint from, TimePoint until) {
  return fmt::format(
      "/admin/exchange/tracing/messageTraces?$filter={}&$top={}",
      url_escaped(fmt::format("senderAddress eq {} and receivedDateTime ge {} and receivedDateTime le {}",
                              odata_text(sender), to_rfc3339(from), to_rfc3339(until))),
      kTraceRowsPerPage);
}

// The trace's words for a recipient's state, and what they mean to a mail. Words that are not here (pending, gettingStatus, and
// what the future brings) say nothing yet.
struct TraceWord {
  std::string_view status;
  ReportAction action;
  std::string_view words;
};
constexpr TraceWord kTraceWords[] = {
    {"delivered", ReportAction::delivered, "message trace: delivered"},
    {"failed", ReportAction::failed, "message trace: failed"},
    {"expanded", ReportAction::expanded, "message trace: expanded to the members of a group"},
    {"quarantined", ReportAction::delayed,
     "message trace: quarantined; the recipient's administrator decides"},
    {"filteredAsSpam", ReportAction::relayed, "message trace: put into the recipient's junk folder"},
};

bool is_under_way(std::string_view status) {
  return same_but_for_case(status, "pending") || same_but_for_case(status, "gettingStatus");
}

std::string in_brackets(std::string id) {
  if (id.starts_with('<')) return id;
  return "<" + id + ">";
}

}  // namespace

std::optional<DeliveryReport> report_of_trace(const json::value& row) {
  const std::string status = text_at(row, {"status"}), recipient = text_at(row, {"recipientAddress"}),
                    message_id = text_at(row, {"messageId"}), id = text_at(row, {"id"});
  const auto* word = std::find_if(std::begin(kTraceWords), std::end(kTraceWords), [&](const TraceWord& one) {
    return same_but_for_case(one.status, status);
  });
  if (word == std::end(kTraceWords) || recipient.empty() || message_id.empty() || id.empty())
    return std::nullopt;
  // No table takes it, and nothing of ours has such a name; as an error it would hold up the sender's window.
  if (has_control(recipient) || has_control(message_id) || has_control(id)) return std::nullopt;
  DeliveryReport report;
  report.key = fmt::format("trace:{}:{}:{}", id, ascii_lower(recipient), word->status);
  report.source = ReportSource::message_trace;
  ReportReference reference;
  reference.message_id = in_brackets(message_id);
  report.references.push_back(std::move(reference));
  RecipientReport about;
  about.address = recipient;
  about.action = word->action;
  about.diagnostic = word->words;
  report.recipients.push_back(std::move(about));
  report.said_at = parse_rfc3339(text_at(row, {"receivedDateTime"}));
  return report;
}

void GraphTrace::look(KeptMailbox& mailbox, const std::stop_token& stop) {
  const TimePoint now = clock_.now();
  Window window;
  window.from = std::max(mailbox.row.traced_until.value_or(now - kFirstLook), now - kPendingMax);
  window.until = now;
  window.final_until = std::max(window.from, now - kAppearsWithin);
  std::optional<std::string> path = window_path(mailbox.row.mailbox, window.from, window.until);
  for (int page = 0; page < kPagesMax && path && !path->empty(); ++page)
    path = read_page(mailbox, *path, window, stop);
  if (!path || stop.stop_requested()) return;
  // A mailbox may not send that much in two days; skipping what is left would lose it without a word.
  if (!path->empty())
    return mailbox.trace.failed(mailbox.row.mailbox, "more rows than are read in one look",
                                clock_.steady_now());
  WatchedMailbox row = mailbox.row;
  row.traced_until = window.final_until;
  row.wants.reset();
  if (const auto saved = watch_.save(row); !saved)
    return mailbox.trace.failed(mailbox.row.mailbox, "the database: " + saved.error().message,
                                clock_.steady_now());
  mailbox.row.traced_until = window.final_until;
  mailbox.traced = std::move(window.traced);
  mailbox.trace.went_well(mailbox.row.mailbox,
                          clock_.steady_now() + std::max(options_.poll_every, kLookEvery));
}

std::optional<std::string> GraphTrace::read_page(KeptMailbox& mailbox, const std::string& path,
                                                 Window& window, const std::stop_token& stop) {
  if (!may_ask()) {  // no failure: the next turn comes when the oldest request is old enough
    mailbox.trace.due = asked_.front() + kRequestsPer;
    return std::nullopt;
  }
  GraphCall call;
  call.path = path;
  call.response_bytes_max = kTracePageBytesMax;
  const GraphAnswer answer = ask(door_, std::move(call), stop);
  if (stop.stop_requested()) return std::nullopt;
  const json::value page = answer.ok() ? parse_json(answer.body) : json::value();
  const json::value* rows = member_at(page, {"value"});
  if (rows == nullptr || !rows->is_array()) {
    mailbox.trace.failed(mailbox.row.mailbox, answer.ok() ? "a page that cannot be read" : in_short(answer),
                         clock_.steady_now(), answer.retry_after);
    return std::nullopt;
  }
  for (const json::value& row : rows->get_array()) {
    if (stop.stop_requested()) return std::nullopt;
    if (take_row(mailbox, row, window)) continue;
    mailbox.trace.failed(mailbox.row.mailbox, "a report could not be taken", clock_.steady_now());
    return std::nullopt;
  }
  return text_at(page, {"@odata.nextLink"});
}

bool GraphTrace::take_row(const KeptMailbox& mailbox, const json::value& row, Window& window) {
  const auto received = parse_rfc3339(text_at(row, {"receivedDateTime"}));
  const auto look_again = [&] {
    if (received) window.final_until = std::clamp(*received, window.from, window.final_until);
    return true;
  };
  if (is_under_way(text_at(row, {"status"}))) return look_again();
  auto report = report_of_trace(row);
  if (!report) return true;
  const std::uint64_t mark = std::hash<std::string>{}(report->key);
  if (!mailbox.traced.contains(mark)) {
    const auto taken = take_(std::move(*report));
    // The other rows need not wait for one mail's settlement.
    if (!taken && says_too_early(taken.error())) return look_again();
    if (!taken) return false;
  }
  window.traced.insert(mark);
  return true;
}

bool GraphTrace::may_ask() {
  const Clock::Steady now = clock_.steady_now();
  while (!asked_.empty() && now - asked_.front() >= kRequestsPer)
    asked_.pop_front();
  if (asked_.size() >= static_cast<std::size_t>(kRequestsMax)) return false;
  asked_.push_back(now);
  return true;
}

}  // namespace eilbote
