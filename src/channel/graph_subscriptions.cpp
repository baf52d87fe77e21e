#include "channel/graph_subscriptions.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/secure_random.h"
#include "base/url_escape.h"
#include "channel/graph_ask.h"
#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kClientStateBytes = 32;  // 64 digits; Graph takes 128 characters
constexpr int kListPagesMax = 10;
constexpr Duration kRenewPauseMin = std::chrono::seconds{1};

std::string resource_of(const std::string& mailbox) {
  return "users/" + mailbox + "/mailFolders('inbox')/messages";
}

// Graph says the resource back as it was given, or with a slash before it.
bool is_resource_of(std::string_view told, const std::string& mailbox) {
  if (told.starts_with('/')) told.remove_prefix(1);
  return same_but_for_case(told, resource_of(mailbox));
}

GraphCall with_json(std::string method, std::string path, const json::object& body) {
  GraphCall call;
  call.method = std::move(method);
  call.path = std::move(path);
  call.headers = {{"Content-Type", "application/json"}};
  call.body = json::serialize(body);
  return call;
}

GraphCall without_body(std::string method, std::string path) {
  GraphCall call;
  call.method = std::move(method);
  call.path = std::move(path);
  return call;
}

std::string subscription_path(const std::string& id) {
  return "/subscriptions/" + url_escaped(id);
}

// What was acted on is named in save(), and so forgotten there. Reading the inbox is not this class's work.
std::optional<GraphLifecycle> acted_on(const std::optional<GraphLifecycle>& wants) {
  return wants == GraphLifecycle::resync ? std::nullopt : wants;
}

}  // namespace

void GraphSubscriptions::tend(KeptMailbox& mailbox, const std::stop_token& stop) {
  const WatchedMailbox& row = mailbox.row;
  if (options_.notification_url.empty()) {
    if (row.subscription_id.empty() || remove(mailbox, stop)) mailbox.subscription.never();
    return;
  }
  const bool is_over = !row.subscription_ends || *row.subscription_ends <= clock_.now();
  if (row.subscription_id.empty() || is_over || row.wants == GraphLifecycle::create)
    return create(mailbox, stop);
  renew(mailbox, stop);
}

void GraphSubscriptions::renew(KeptMailbox& mailbox, const std::stop_token& stop) {
  const TimePoint ends = clock_.now() + options_.subscription_life;
  const GraphAnswer answer = ask(door_,
                                 with_json("PATCH", subscription_path(mailbox.row.subscription_id),
                                           {{"expirationDateTime", to_rfc3339(ends)}}),
                                 stop);
  if (stop.stop_requested()) return;
  if (answer.status == 404 && !answer.token_failed) return create(mailbox, stop);
  if (!answer.ok()) return failed(mailbox, answer);
  const json::value told = parse_json(answer.body);
  // An address that was changed in the configuration cannot be changed in a subscription.
  const std::string url = text_at(told, {"notificationUrl"});
  if (!url.empty() && url != options_.notification_url) {
    if (remove(mailbox, stop)) create(mailbox, stop);
    return;
  }
  WatchedMailbox row = mailbox.row;
  row.subscription_ends = parse_rfc3339(text_at(told, {"expirationDateTime"})).value_or(ends);
  row.wants = acted_on(row.wants);
  if (save(mailbox, row)) alive(mailbox);
}

void GraphSubscriptions::create(KeptMailbox& mailbox, const std::stop_token& stop) {
  const std::optional<GraphLifecycle> wants = mailbox.row.wants;
  WatchedMailbox row = mailbox.row;
  row.subscription_id.clear();
  row.subscription_ends.reset();
  row.client_state = to_hex(secure_bytes(kClientStateBytes));
  row.wants.reset();
  if (!save(mailbox, row)) return;
  GraphAnswer answer = post(row, stop);
  if (answer.status == 409 && !answer.token_failed && clear_the_way(mailbox, stop) > 0)
    answer = post(row, stop);
  if (stop.stop_requested()) return;
  if (!answer.ok()) return failed(mailbox, answer);
  const json::value told = parse_json(answer.body);
  row.subscription_id = text_at(told, {"id"});
  row.subscription_ends = parse_rfc3339(text_at(told, {"expirationDateTime"}))
                              .value_or(clock_.now() + options_.subscription_life);
  if (row.subscription_id.empty())
    return mailbox.subscription.failed(mailbox.row.mailbox, "a subscription without an id",
                                       clock_.steady_now());
  row.wants = acted_on(wants);
  if (!save(mailbox, row)) return;
  mailbox.poll.due = clock_.steady_now();
  alive(mailbox);
}

GraphAnswer GraphSubscriptions::post(const WatchedMailbox& row, const std::stop_token& stop) {
  return ask(door_,
             with_json("POST", "/subscriptions",
                       {{"changeType", "created"},
                        {"notificationUrl", options_.notification_url},
                        {"lifecycleNotificationUrl", options_.notification_url},
                        {"resource", resource_of(row.mailbox)},
                        {"expirationDateTime", to_rfc3339(clock_.now() + options_.subscription_life)},
                        {"clientState", row.client_state},
                        {"latestSupportedTlsVersion", "v1_2"}}),
             stop);
}

bool GraphSubscriptions::remove(KeptMailbox& mailbox, const std::stop_token& stop) {
  const GraphAnswer answer =
      ask(door_, without_body("DELETE", subscription_path(mailbox.row.subscription_id)), stop);
  if (stop.stop_requested()) return false;
  if (!answer.ok() && (answer.status != 404 || answer.token_failed)) {
    failed(mailbox, answer);
    return false;
  }
  WatchedMailbox row = mailbox.row;
  row.subscription_id.clear();
  row.client_state.clear();
  row.subscription_ends.reset();
  row.wants.reset();
  return save(mailbox, row);
}

// Only those that tell this address: another installation may use the same application for the same mailbox.
int GraphSubscriptions::clear_the_way(const KeptMailbox& mailbox, const std::stop_token& stop) {
  std::string path = "/subscriptions";
  int removed = 0;
  for (int page = 0; page < kListPagesMax && !path.empty() && !stop.stop_requested(); ++page) {
    const GraphAnswer answer = ask(door_, without_body("GET", path), stop);
    if (!answer.ok()) break;
    const json::value told = parse_json(answer.body);
    path = text_at(told, {"@odata.nextLink"});
    const json::value* list = member_at(told, {"value"});
    if (list == nullptr || !list->is_array()) break;
    for (const json::value& one : list->get_array()) {
      const std::string id = text_at(one, {"id"});
      if (id.empty() || !is_resource_of(text_at(one, {"resource"}), mailbox.row.mailbox) ||
          text_at(one, {"notificationUrl"}) != options_.notification_url)
        continue;
      if (ask(door_, without_body("DELETE", subscription_path(id)), stop).ok()) ++removed;
    }
  }
  return removed;
}

bool GraphSubscriptions::save(KeptMailbox& mailbox, const WatchedMailbox& row) {
  const std::optional<GraphLifecycle> open = row.wants ? std::nullopt : mailbox.row.wants;
  if (const auto saved = watch_.save(row); !saved) {
    mailbox.subscription.failed(mailbox.row.mailbox, "the database: " + saved.error().message,
                                clock_.steady_now());
    return false;
  }
  mailbox.row = row;
  mailbox.row.wants = open;
  return true;
}

void GraphSubscriptions::alive(KeptMailbox& mailbox) {
  const Duration left = *mailbox.row.subscription_ends - clock_.now();
  mailbox.subscription.went_well(mailbox.row.mailbox,
                                 clock_.steady_now() + std::max(left / 2, kRenewPauseMin));
}

void GraphSubscriptions::failed(KeptMailbox& mailbox, const GraphAnswer& answer) {
  mailbox.subscription.failed(mailbox.row.mailbox, in_short(answer), clock_.steady_now(), answer.retry_after);
}

}  // namespace eilbote
