#include "cli/import_mail.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "base/time.h"
#include "cli/mail_draft.h"
#include "domain/idempotency.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

// What tables of mails call their columns; the first that is there counts.
using Names = std::array<std::string_view, 6>;
constexpr Names kIdNames{"id", "emailid", "mailid", "messageid", "outboxid", "uuid"};
constexpr Names kStateNames{"status", "state"};
constexpr Names kSentAtNames{"sentat", "senton", "sentdate", "senttime", "datesent", "deliveredat"};
constexpr Names kFromNames{"from", "sender", "fromaddress", "fromemail", "mailfrom"};
constexpr Names kToNames{"to", "recipients", "recipient", "toaddress", "toaddresses", "toemail"};
constexpr Names kCcNames{"cc", "ccaddress", "ccaddresses"};
constexpr Names kBccNames{"bcc", "bccaddress", "bccaddresses"};
constexpr Names kReplyToNames{"replyto", "replytoaddress"};
constexpr Names kSubjectNames{"subject"};
constexpr Names kTextNames{"text", "bodytext", "textbody", "body", "plaintext", "content"};
constexpr Names kHtmlNames{"html", "bodyhtml", "htmlbody"};
constexpr Names kIsHtmlNames{"ishtml", "isbodyhtml"};
constexpr Names kDueNames{"nextattemptat", "scheduledfor", "scheduledat", "sendat", "notbefore"};
constexpr Names kWholeNames{"payload", "mail", "message"};

// States of rows that wait, and of those with which all is over; the others may have been sent.
constexpr std::array<std::string_view, 9> kStatesToSend{
    "",         "queued", "pending", "new", "retry_pending", "retrypending", "retryqueued", "retry_queued",
    "scheduled"};
constexpr std::array<std::string_view, 17> kStatesPassedOver{
    "sent",    "delivered",   "bounced",    "done",      "success",  "completed",
    "failed",  "dead",        "error",      "cancelled", "canceled", "dispatching",
    "sending", "in_progress", "inprogress", "in_flight", "expired"};

std::string column_name(std::string_view name) {
  std::string plain = ascii_lower(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return plain;
}

const json::value* find(const json::object& row, const Names& names) {
  for (const std::string_view name : names)
    for (const auto& [column, value] : row)
      if (!name.empty() && column_name(column) == name && !value.is_null()) return &value;
  return nullptr;
}

// Also when nothing is in it.
bool has_column(const json::object& row, const Names& names) {
  return std::ranges::any_of(row, [&](const auto& cell) {
    const std::string name = column_name(cell.key());
    return !name.empty() && std::ranges::count(names, name) > 0;
  });
}

std::string text_of(const json::object& row, const Names& names) {
  const json::value* value = find(row, names);
  if (value == nullptr) return "";
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

// Between commas or semicolons that are not inside of quotes.
json::array address_list(std::string_view text) {
  json::array all;
  std::string one;
  bool is_quoted = false;
  const auto end = [&] {
    const auto first = one.find_first_not_of(' ');
    if (first != std::string::npos)
      all.push_back(address_json(one.substr(first, one.find_last_not_of(' ') - first + 1)));
    one.clear();
  };
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && (c == ',' || c == ';'))
      end();
    else
      one += c;
  }
  end();
  return all;
}

// A list as it is in JSON, also where that stands in a text; else addresses in a line.
json::array addresses_of(const json::value& value) {
  if (value.is_array()) return value.get_array();
  if (!value.is_string()) return {value};
  const std::string text(value.get_string());
  boost::system::error_code error;
  if (text.starts_with('['))
    if (auto parsed = json::parse(text, error); !error && parsed.is_array()) return parsed.get_array();
  return address_list(text);
}

void set_addresses(json::object& mail, const char* member, const json::object& row, const Names& names) {
  if (const json::value* value = find(row, names)) mail[member] = addresses_of(*value);
}

// "2026-01-01 12:00:00+00", as databases write it, is RFC 3339 but for the T and the minutes of the offset.
std::optional<TimePoint> time_of(std::string text) {
  if (const auto blank = text.find(' '); blank != std::string::npos) text[blank] = 'T';
  const auto offset = text.find_last_of("+-");
  if (!text.ends_with('Z') && (offset == std::string::npos || offset < text.find('T')))
    text += 'Z';
  else if (!text.ends_with('Z') && text.size() - offset == 3)
    text += ":00";
  return parse_rfc3339(text);
}

Result<void> set_due(json::object& mail, const json::object& row) {
  const std::string text = text_of(row, kDueNames);
  if (text.empty()) return {};
  const auto due = time_of(text);
  if (!due)
    return fail(ErrorKind::invalid,
                "the time of the next attempt must be like 2026-01-31T12:00:00Z; it is '" + text + "'");
  // Also when it is past: the same row makes the same mail whenever it is read.
  mail["scheduledFor"] = to_rfc3339(*due);
  return {};
}

Result<json::object> whole_mail(const json::object& row) {
  const json::value* value = find(row, kWholeNames);
  if (value == nullptr) return json::object{};
  if (value->is_object()) return value->get_object();
  boost::system::error_code error;
  auto parsed = value->is_string() ? json::parse(value->get_string(), error) : json::value();
  if (error || !parsed.is_object())
    return fail(ErrorKind::invalid,
                "the column with the whole mail must hold a JSON object as for POST /messages");
  return std::move(parsed.get_object());
}

void set_body(json::object& mail, const json::object& row) {
  const std::string text = text_of(row, kTextNames), html = text_of(row, kHtmlNames);
  const std::string flag = ascii_lower(text_of(row, kIsHtmlNames));
  const bool is_html = flag == "true" || flag == "t" || flag == "1";
  json::object body;
  if (!text.empty()) body[is_html ? "html" : "text"] = text;
  if (!html.empty()) body["html"] = html;
  if (!body.empty()) mail["body"] = std::move(body);
}

// In lower case; empty for a row that waits. A time at which it was sent outweighs whatever else the row says.
Result<std::string> state_of(const json::object& row, const ImportRules& rules) {
  if (!text_of(row, kSentAtNames).empty()) return "sent";
  if (has_column(row, kStateNames)) return ascii_lower(text_of(row, kStateNames));
  if (has_column(row, kSentAtNames) || rules.no_state) return "";
  return fail(
      ErrorKind::invalid,
      "has no state: a column status or state must say whether it waits, or one named sent_at must be "
      "there and empty (rename yours with AS); --no-state imports all rows without one");
}

// Within the limits of a key, whatever the ids look like.
std::string key_of(const std::string& source, const std::string& id) {
  const std::string plain = fmt::format("import-{}-{}", source, id);
  return check_idempotency_key(plain) ? plain : "import-" + to_hex(sha256(plain));
}

}  // namespace

Result<ImportedMail> import_mail(const json::object& row, const ImportRules& rules) {
  ImportedMail made;
  made.id = text_of(row, kIdNames);
  if (made.id.empty())
    return fail(ErrorKind::invalid,
                "has no id: a column id, EmailId or the like must tell it from the others");
  const auto state = state_of(row, rules);
  if (!state) return fail(state.error());
  if (!std::ranges::count(kStatesToSend, *state) && !rules.also.contains(*state)) {
    if (!std::ranges::count(kStatesPassedOver, *state))
      return fail(ErrorKind::invalid,
                  fmt::format("status '{0}' is not known; --also '{0}' sends its rows too", *state));
    made.skipped_as = *state;
    return made;
  }
  made.key = key_of(rules.source, made.id);
  auto whole = whole_mail(row);
  if (!whole) return fail(whole.error());
  json::object& mail = made.mail = std::move(*whole);
  if (const std::string from = text_of(row, kFromNames); !from.empty()) mail["from"] = address_json(from);
  set_addresses(mail, "to", row, kToNames);
  set_addresses(mail, "cc", row, kCcNames);
  set_addresses(mail, "bcc", row, kBccNames);
  if (const std::string reply_to = text_of(row, kReplyToNames); !reply_to.empty())
    mail["replyTo"] = address_list(reply_to);
  if (const std::string subject = text_of(row, kSubjectNames); !subject.empty()) mail["subject"] = subject;
  set_body(mail, row);
  if (!rules.pool.empty()) mail["pool"] = rules.pool;
  if (auto due = set_due(mail, row); !due) return fail(due.error());
  return made;
}

}  // namespace eilbote::cli
