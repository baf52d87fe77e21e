#include "channel/graph_inbox_poll.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/log.h"
#include "base/url_escape.h"
#include "channel/graph_ask.h"
#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kPageBytesMax = 4 * 1024 * 1024;
constexpr std::size_t kIdBytesMax = 1024;

// Graph does not know the link any more, and says so in several ways.
bool is_gone(const GraphAnswer& answer) {
  if (answer.fault != ExchangeFault::none || answer.token_failed) return false;
  return answer.status == 410 || answer.status == 400 ||
         same_but_for_case(answer.code, "syncStateNotFound") ||
         same_but_for_case(answer.code, "resyncRequired");
}

std::vector<MailNotice> notices_of(const json::array& messages, const std::string& mailbox) {
  std::vector<MailNotice> notices;
  for (const json::value& message : messages) {
    if (member_at(message, {"@removed"}) != nullptr) continue;
    MailNotice notice;
    notice.mailbox = mailbox;
    notice.message_id = text_at(message, {"id"});
    if (!notice.message_id.empty() && notice.message_id.size() <= kIdBytesMax)
      notices.push_back(std::move(notice));
  }
  return notices;
}

}  // namespace

int GraphInboxPoll::look(std::span<KeptMailbox* const> mailboxes, const std::stop_token& stop) {
  std::vector<GraphCall> calls;
  calls.reserve(mailboxes.size());
  for (const KeptMailbox* mailbox : mailboxes)
    calls.push_back(call_for(*mailbox));
  const std::vector<GraphAnswer> answers = ask_all(door_, std::move(calls), stop);
  if (stop.stop_requested()) return 0;
  int found = 0;
  for (std::size_t i = 0; i < mailboxes.size(); ++i)
    found += take(*mailboxes[i], answers[i]);
  return found;
}

GraphCall GraphInboxPoll::call_for(const KeptMailbox& mailbox) const {
  GraphCall call;
  call.mailbox = mailbox.row.mailbox;
  call.response_bytes_max = kPageBytesMax;
  call.path = mailbox.row.delta_link;
  if (call.path.empty() || mailbox.read_anew) {
    const TimePoint since = clock_.now() - (mailbox.read_anew ? kLookAfterGap : kFirstLook);
    call.path = user_path(mailbox.row.mailbox) +
                "/mailFolders/inbox/messages/delta?changeType=created&$select=id,receivedDateTime&$filter=" +
                url_escaped("receivedDateTime ge " + to_rfc3339(since));
  }
  return call;
}

int GraphInboxPoll::take(KeptMailbox& mailbox, const GraphAnswer& answer) {
  if (!answer.ok()) {
    take_refusal(mailbox, answer);
    return 0;
  }
  const json::value page = parse_json(answer.body);
  const json::value* messages = member_at(page, {"value"});
  const std::string next = text_at(page, {"@odata.nextLink"});
  const std::string end = text_at(page, {"@odata.deltaLink"});
  const std::string& link = next.empty() ? end : next;
  if (messages == nullptr || !messages->is_array() || link.empty() ||
      (!next.empty() && next == mailbox.row.delta_link)) {
    failed(mailbox, "a page that cannot be read");
    return 0;
  }
  const auto added = watch_.add(notices_of(messages->get_array(), mailbox.row.mailbox));
  WatchedMailbox row = mailbox.row;
  row.delta_link = link;
  // What Graph has missed to tell is being read: the link on record leads through the rest.
  if (row.wants != GraphLifecycle::resync) row.wants.reset();
  const auto saved = added ? watch_.save(row) : fail(added.error());
  if (!saved) {
    failed(mailbox, "the database: " + saved.error().message);
    return 0;
  }
  const std::optional<GraphLifecycle> open = row.wants ? std::nullopt : mailbox.row.wants;
  mailbox.row = std::move(row);
  mailbox.row.wants = open;
  mailbox.read_anew = false;
  const Clock::Steady now = clock_.steady_now();
  mailbox.poll.went_well(mailbox.row.mailbox, now + (next.empty() ? options_.poll_every : Duration::zero()));
  if (next.empty() && options_.poll_every <= Duration::zero()) mailbox.poll.never();
  return *added;
}

void GraphInboxPoll::take_refusal(KeptMailbox& mailbox, const GraphAnswer& answer) {
  // The old link stays on record until a new one replaces it, so that a crash finds out the same again.
  if (is_gone(answer) && !mailbox.row.delta_link.empty() && !mailbox.read_anew) {
    log::info("Graph has forgotten how far an inbox was read; its last days are read again",
              {{"code", answer.code}, {"requestId", answer.request_id}});
    mailbox.read_anew = true;
    mailbox.poll.due = clock_.steady_now();
    return;
  }
  mailbox.poll.failed(mailbox.row.mailbox, in_short(answer), clock_.steady_now(), answer.retry_after);
}

void GraphInboxPoll::failed(KeptMailbox& mailbox, const std::string& why) {
  mailbox.poll.failed(mailbox.row.mailbox, why, clock_.steady_now());
}

}  // namespace eilbote
