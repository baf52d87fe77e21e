#include "api/graph_notifications.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <set>

#include "api/json_document.h"
#include "api/json_fields.h"
#include "api/limits.h"
#include "api/query_parameters.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/url_escape.h"
#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::string_view kTokenName = "validationToken";

// Graph's words for what it asks for.
struct LifecycleRow {
  std::string_view event;
  GraphLifecycle wish;
};
constexpr LifecycleRow kLifecycleRows[] = {
    {"reauthorizationRequired", GraphLifecycle::renew},
    {"subscriptionRemoved", GraphLifecycle::create},
    {"missed", GraphLifecycle::resync},
};

std::optional<GraphLifecycle> wish_of(std::string_view event) {
  for (const LifecycleRow& row : kLifecycleRows)
    if (row.event == event) return row.wish;
  return std::nullopt;
}

tl::unexpected<Problem> token_fault(std::string detail) {
  return tl::unexpected(
      invalid({{"", "query parameter '" + std::string(kTokenName) + "' " + std::move(detail)}}));
}

NotificationAnswer repeat_token(std::string value) {
  for (char& c : value)
    if (c == '+') c = ' ';
  auto token = url_unescaped(value);
  if (!token) return token_fault("is not percent-encoded");
  if (token->empty() || token->size() > kValidationTokenMax)
    return token_fault("must be 1 to " + std::to_string(kValidationTokenMax) + " bytes long");
  HttpResponse response;
  response.content_type = "text/plain";
  response.body = std::move(*token);
  return response;
}

// Ids of Graph are letters, digits and a few signs; whatever else there is goes into no table.
bool is_id(std::string_view id) {
  if (id.empty() || id.size() > kGraphIdMax) return false;
  for (const char c : id)
    if (c <= ' ' || c > '~') return false;
  return true;
}

// Of the message that came in: by itself, else the end of the resource's path.
std::string message_id_of(const json::value& item) {
  std::string id = text_at(item, {"resourceData", "id"});
  if (!id.empty()) return id;
  const std::string resource = text_at(item, {"resource"});
  return resource.substr(resource.rfind('/') + 1);
}

std::optional<GraphNotification> read_notification(const json::value& item) {
  GraphNotification read;
  read.subscription_id = text_at(item, {"subscriptionId"});
  read.client_state = text_at(item, {"clientState"});
  if (!is_id(read.subscription_id)) return std::nullopt;
  if (const std::string event = text_at(item, {"lifecycleEvent"}); !event.empty()) {
    read.lifecycle = wish_of(event);
    if (!read.lifecycle) return std::nullopt;
    return read;
  }
  read.message_id = message_id_of(item);
  if (!is_id(read.message_id)) return std::nullopt;
  return read;
}

// What is credible of them.
struct Sorted {
  std::vector<MailNotice> notices;
  std::set<std::pair<std::string, GraphLifecycle>> wishes;
  std::size_t lifecycle = 0, refused = 0;
};

Result<Sorted> sort_out(const std::vector<GraphNotification>& items, MailboxWatch& mailboxes) {
  std::set<std::string> distinct;
  for (const GraphNotification& item : items)
    distinct.insert(item.subscription_id);
  Sorted sorted;
  if (distinct.empty()) return sorted;
  const std::vector<std::string> ids(distinct.begin(), distinct.end());
  const auto found = mailboxes.with_subscriptions(ids);
  if (!found) return fail(found.error());
  std::map<std::string_view, const WatchedMailbox*> by_subscription;
  for (const WatchedMailbox& mailbox : *found)
    by_subscription[mailbox.subscription_id] = &mailbox;

  for (const GraphNotification& item : items) {
    const auto entry = by_subscription.find(item.subscription_id);
    // A subscription without a secret would believe everybody.
    if (entry == by_subscription.end() || entry->second->client_state.empty() ||
        !same_in_constant_time(entry->second->client_state, item.client_state)) {
      ++sorted.refused;
      continue;
    }
    const std::string& mailbox = entry->second->mailbox;
    if (item.lifecycle) {
      ++sorted.lifecycle;
      sorted.wishes.emplace(mailbox, *item.lifecycle);
    } else {
      sorted.notices.push_back({0, mailbox, item.message_id, 0});
    }
  }
  return sorted;
}

// How many of the notices are new.
Result<std::size_t> put_on_record(const Sorted& sorted, MailboxWatch& mailboxes) {
  std::size_t added = 0;
  if (!sorted.notices.empty()) {
    const auto done = mailboxes.add(sorted.notices);
    if (!done) return fail(done.error());
    added = static_cast<std::size_t>(*done);
  }
  for (const auto& [mailbox, wish] : sorted.wishes)
    if (const auto done = mailboxes.want(mailbox, wish); !done) return fail(done.error());
  return added;
}

void count_items(Metrics& metrics, const char* outcome, std::size_t number) {
  if (number > 0) metrics.add(Metric::graph_notifications, static_cast<double>(number), {outcome});
}

void pass_on(const Sorted& sorted, std::size_t added, const ApiSettings& settings) {
  if (added > 0 && settings.graph_noticed) settings.graph_noticed();
  if (!settings.graph_lifecycle) return;
  for (const auto& [mailbox, wish] : sorted.wishes)
    settings.graph_lifecycle(mailbox, wish);
}

}  // namespace

std::vector<std::string_view> graph_webhook_parameters() {
  return {kTokenName};
}

std::optional<NotificationAnswer> answer_handshake(std::string_view query) {
  std::optional<std::string> value;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    const auto equals = part.find('=');
    if (url_unescaped(part.substr(0, equals)) != kTokenName) continue;
    if (value) return token_fault("is given twice");
    value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
  }
  if (!value) return std::nullopt;
  return repeat_token(std::move(*value));
}

tl::expected<GraphNotifications, Problem> read_graph_notifications(std::string_view body) {
  json::monotonic_resource memory;
  const auto document = read_json(body, &memory);
  if (!document) return tl::unexpected(document.error());
  std::vector<Fault> faults;
  const Place root(faults), place(root, "value");
  const json::array* items = nullptr;
  if (read_object(*document, root) != nullptr) {
    if (const json::value* value = member_at(*document, {"value"}))
      items = read_array(*value, place, kGraphNotificationsMax);
    else
      place.fault("is required: an array of notifications");
  }
  if (!faults.empty()) return tl::unexpected(invalid(std::move(faults)));
  GraphNotifications read;
  for (const json::value& item : *items) {
    if (auto one = read_notification(item))
      read.items.push_back(std::move(*one));
    else
      ++read.unreadable;
  }
  return read;
}

NotificationAnswer take_graph_notifications(std::string_view body, std::string_view trace_id,
                                            MailboxWatch& mailboxes, Metrics& metrics,
                                            const ApiSettings& settings) {
  const auto read = read_graph_notifications(body);
  if (!read) return tl::unexpected(read.error());
  const auto sorted = sort_out(read->items, mailboxes);
  if (!sorted) return tl::unexpected(to_problem(sorted.error()));
  const auto added = put_on_record(*sorted, mailboxes);
  if (!added) return tl::unexpected(to_problem(added.error()));
  count_items(metrics, "new", *added);
  count_items(metrics, "known", sorted->notices.size() - *added);
  count_items(metrics, "lifecycle", sorted->lifecycle);
  count_items(metrics, "refused", sorted->refused);
  count_items(metrics, "unreadable", read->unreadable);
  if (sorted->refused + read->unreadable > 0)
    log::warning(
        "notifications of Graph were dropped: not of a subscription of ours with its secret, or "
        "not readable",
        {{"refused", sorted->refused}, {"unreadable", read->unreadable}, {"traceId", trace_id}});
  pass_on(*sorted, *added, settings);
  HttpResponse accepted;
  accepted.status = 202;
  accepted.content_type.clear();
  return accepted;
}

}  // namespace eilbote
