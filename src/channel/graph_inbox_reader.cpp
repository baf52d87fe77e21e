#include "channel/graph_inbox_reader.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/log.h"
#include "base/url_escape.h"
#include "channel/graph_ask.h"
#include "channel/graph_kept_mailbox.h"
#include "domain/address.h"
#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::string_view kClassProperty = "String 0x001A";  // PidTagMessageClass

std::string message_path(const MailNotice& notice) {
  return user_path(notice.mailbox) + "/messages/" + url_escaped(notice.message_id);
}

GraphCall look_at(const MailNotice& notice) {
  GraphCall call;
  call.mailbox = notice.mailbox;
  call.may_batch = true;
  call.path =
      message_path(notice) + "?$select=id,from,internetMessageHeaders&$expand=" +
      url_escaped("singleValueExtendedProperties($filter=id eq '" + std::string(kClassProperty) + "')",
                  "$()='");
  return call;
}

GraphCall whole_of(const MailNotice& notice) {
  GraphCall call;
  call.mailbox = notice.mailbox;
  call.path = message_path(notice) + "/$value";
  call.response_bytes_max = GraphInboxReader::kRawBytesMax;
  return call;
}

InboxMessage message_of(const json::value& told) {
  InboxMessage message;
  message.id = text_at(told, {"id"});
  message.from = text_at(told, {"from", "emailAddress", "address"});
  if (const json::value* all = member_at(told, {"singleValueExtendedProperties"});
      all != nullptr && all->is_array())
    for (const json::value& one : all->get_array())
      if (same_but_for_case(text_at(one, {"id"}), kClassProperty))
        message.message_class = text_at(one, {"value"});
  if (const json::value* all = member_at(told, {"internetMessageHeaders"}); all != nullptr && all->is_array())
    for (const json::value& one : all->get_array())
      message.headers.emplace_back(text_at(one, {"name"}), text_at(one, {"value"}));
  return message;
}

// What is asked for again in a while: the token, a right, a limit, or Graph itself is in the way, not this message.
bool is_about_the_message(const GraphAnswer& answer) {
  if (answer.fault == ExchangeFault::bad_response) return true;
  constexpr std::array kPassing{401, 403, 408, 409, 423, 429};
  return answer.fault == ExchangeFault::none && !answer.token_failed && answer.status >= 400 &&
         answer.status < 500 && std::find(kPassing.begin(), kPassing.end(), answer.status) == kPassing.end();
}

bool is_about_the_message(const Error& error) {
  return error.kind == ErrorKind::invalid || error.kind == ErrorKind::rejected_data;
}

std::string header_of(const InboxMessage& message, std::string_view name) {
  for (const auto& [key, value] : message.headers)
    if (same_but_for_case(key, name)) return ascii_lower(trimmed(value));
  return "";
}

}  // namespace

bool may_be_report(const InboxMessage& message) {
  const std::string kind = ascii_lower(message.message_class);
  if (kind.starts_with("report.")) return !kind.ends_with(".ipnrn") && !kind.ends_with(".ipnnrn");
  if (kind.starts_with("ipm.note.rules.oof") || kind.starts_with("ipm.schedule.")) return false;
  // What Exchange does not recognise as a report, though it is one: bounces of other servers, in their own forms.
  const std::string type = header_of(message, "Content-Type");
  if (type.starts_with("multipart/report")) return type.find("disposition-notification") == std::string::npos;
  if (!header_of(message, "X-Failed-Recipients").empty()) return true;
  if (!header_of(message, "X-MS-Exchange-Message-Is-Ndr").empty()) return true;
  const std::string from = ascii_lower(message.from);
  if (from.starts_with("mailer-daemon@") || from.starts_with("postmaster@")) return true;
  return header_of(message, "Return-Path") == "<>" &&
         !header_of(message, "Auto-Submitted").starts_with("auto-replied");
}

Result<bool> GraphInboxReader::read_some(std::span<const std::string> mailboxes,
                                         const std::stop_token& stop) {
  if (mailboxes.empty()) return false;
  const auto notices = watch_.waiting(mailboxes, kTogether);
  if (!notices) return fail(notices.error());
  std::vector<GraphCall> calls;
  calls.reserve(notices->size());
  for (const MailNotice& notice : *notices)
    calls.push_back(look_at(notice));
  const std::vector<GraphAnswer> answers = ask_all(door_, std::move(calls), stop);
  std::vector<Whole> reports;
  for (std::size_t i = 0; i < notices->size() && !stop.stop_requested(); ++i) {
    const MailNotice& notice = (*notices)[i];
    if (!answers[i].ok()) {
      if (const auto put = unreadable(notice, answers[i]); !put) return fail(put.error());
      continue;
    }
    const InboxMessage message = message_of(parse_json(answers[i].body));
    if (may_be_report(message))
      reports.push_back({notice, message.id.empty() ? notice.message_id : message.id});
    else
      done(notice, "other");
  }
  if (const auto written = write_done(); !written) return fail(written.error());
  const std::span<const Whole> all(reports);
  for (std::size_t at = 0; at < all.size() && !stop.stop_requested(); at += kWholeTogether)
    if (const auto read =
            read_whole(all.subspan(at, std::min<std::size_t>(kWholeTogether, all.size() - at)), stop);
        !read)
      return fail(read.error());
  return notices->size() == static_cast<std::size_t>(kTogether) && !stop.stop_requested();
}

Result<void> GraphInboxReader::read_whole(std::span<const Whole> messages, const std::stop_token& stop) {
  std::vector<GraphCall> calls;
  calls.reserve(messages.size());
  for (const Whole& message : messages)
    calls.push_back(whole_of(message.notice));
  const std::vector<GraphAnswer> answers = ask_all(door_, std::move(calls), stop);
  for (std::size_t i = 0; i < messages.size() && !stop.stop_requested(); ++i) {
    const auto put =
        answers[i].ok() ? take_whole(messages[i], answers[i]) : unreadable(messages[i].notice, answers[i]);
    if (!put) return put;
  }
  return write_done();
}

Result<void> GraphInboxReader::take_whole(const Whole& message, const GraphAnswer& answer) {
  const auto taken = take_(answer.body, "graph:" + message.id);
  if (taken) {
    done(message.notice, "report");
    return {};
  }
  return later(message.notice, is_about_the_message(taken.error()), taken.error().message, Duration::zero());
}

Result<void> GraphInboxReader::unreadable(const MailNotice& notice, const GraphAnswer& answer) {
  if (answer.status == 404 && !answer.token_failed) {  // deleted, or moved to another mailbox
    done(notice, "gone");
    return {};
  }
  return later(notice, is_about_the_message(answer), in_short(answer),
               answer.retry_after.value_or(Duration::zero()));
}

Result<void> GraphInboxReader::later(const MailNotice& notice, bool may_give_up, const std::string& why,
                                     Duration at_least) {
  metrics_.add(Metric::graph_inbox_messages, 1, {"failed"});
  if (may_give_up && notice.tries + 1 >= kTriesMax) {
    log::warning("a message in a watched inbox cannot be read and is left alone",
                 {{"domain", address_domain(notice.mailbox)}, {"notice", notice.number}, {"error", why}});
    done(notice, "given-up");
    return {};
  }
  return watch_.put_off(notice.number, std::max(pause_after(notice.tries), at_least));
}

void GraphInboxReader::done(const MailNotice& notice, const char* outcome) {
  done_.push_back(notice.number);
  metrics_.add(Metric::graph_inbox_messages, 1, {outcome});
}

Result<void> GraphInboxReader::write_done() {
  if (done_.empty()) return {};
  const auto written = watch_.read(done_);
  done_.clear();  // when that failed, they are read again
  return written;
}

}  // namespace eilbote
