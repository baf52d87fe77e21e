// What comes back from the scripted tenant: subscriptions with their handshake, notifications, delta, message trace.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/ascii.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "support/private_texts.h"
#include "support/scripted_graph.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;

constexpr std::size_t kClientStateMax = 128;
constexpr std::chrono::minutes kLifeMin{45}, kLifeMax{10'080};
constexpr const char* kMessageType = "#Microsoft.Graph.Message";

TimePoint time_now() {
  return std::chrono::time_point_cast<TimePoint::duration>(std::chrono::system_clock::now());
}

// The mailbox in "users/a@b.example/mailFolders('inbox')/messages"; empty: another kind of resource.
std::string mailbox_of(const std::string& resource) {
  const GraphRequest parts =
      read_graph_request("GET", resource.starts_with("/") ? resource : "/" + resource, {}, "");
  return !parts.path.empty() && parts.path.back() == "messages" ? parts.mailbox() : "";
}

// What Graph makes of an asked end; nothing: it does not take it.
std::optional<std::string> expiry(const std::string& asked) {
  const auto at = parse_rfc3339(asked);
  if (!at || *at > time_now() + kLifeMax || *at < time_now()) return std::nullopt;
  return to_rfc3339(std::max(*at, time_now() + kLifeMin));
}

// The handshake: the subscriber says the token back, decoded. The blanks, the plus and the sharp ones are for those who decode
// by half.
std::string handshake_fault(const std::string& url) {
  const std::string token = "Validation: Testing client application reachability + 100% <b>";
  std::string escaped = url_escaped(token);
  for (std::size_t at = 0; (at = escaped.find("%20", at)) != std::string::npos;)
    escaped.replace(at, 3, "+");
  const HttpReply reply = http_request(
      "POST", url + (url.find('?') == std::string::npos ? "?" : "&") + "validationToken=" + escaped, "",
      {{"Content-Type", "text/plain; charset=utf-8"}}, 10'000);
  const auto type = reply.headers.find("content-type");
  const bool is_plain = type != reply.headers.end() && type->second.starts_with("text/plain");
  if (reply.status == 200 && is_plain && reply.body == token) return "";
  return fmt::format("the handshake with {} was answered {} {} \"{}\" {}", url, reply.status,
                     type == reply.headers.end() ? "" : type->second, reply.body, reply.trouble);
}

// The class Exchange gives a message by what it says: of several recipients the worst counts.
std::string class_of(const std::string& eml) {
  const std::string text = ascii_lower(eml);
  if (text.find("report-type=disposition-notification") != std::string::npos) return "REPORT.IPM.Note.IPNRN";
  if (text.find("report-type=delivery-status") == std::string::npos) return "IPM.Note";
  for (const auto& [action, name] : {std::pair{"failed", "REPORT.IPM.Note.NDR"},
                                     {"delayed", "REPORT.IPM.Note.Delayed.DR"},
                                     {"relayed", "REPORT.IPM.Note.Relayed.DR"},
                                     {"expanded", "REPORT.IPM.Note.Expanded.DR"}})
    if (text.find(std::string("\naction: ") + action) != std::string::npos) return name;
  return "REPORT.IPM.Note.DR";
}

}  // namespace

GraphReply ScriptedGraph::subscribe(const GraphRequest& request) {
  const auto body = json_object(request.body);
  if (!body) return graph_error(400, "RequestBodyRead");
  Subscription made{.id = {},
                    .mailbox = mailbox_of(text_member(*body, "resource")),
                    .notification_url = text_member(*body, "notificationUrl"),
                    .lifecycle_url = text_member(*body, "lifecycleNotificationUrl"),
                    .client_state = text_member(*body, "clientState"),
                    .change_type = text_member(*body, "changeType"),
                    .resource = text_member(*body, "resource"),
                    .expires = expiry(text_member(*body, "expirationDateTime")).value_or(""),
                    .immutable_ids = request.wants_immutable_ids()};
  if (made.mailbox.empty() || made.notification_url.empty() || made.change_type.empty() ||
      made.expires.empty() || made.client_state.size() > kClientStateMax) {
    violate("a subscription that Graph would not take: " + request.body);
    return graph_error(400, "ExtensionError", "The subscription is not valid.");
  }
  for (const std::string& url : {made.notification_url, made.lifecycle_url}) {
    const std::string fault = url.empty() ? "" : handshake_fault(url);
    if (fault.empty()) continue;
    violate(fault);
    return graph_error(400, "ValidationError", "Subscription validation request failed.");
  }
  const std::lock_guard lock(mutex_);
  if (!mailboxes_.contains(made.mailbox)) return graph_error(404, "ResourceNotFound");
  for (const auto& [id, other] : subscriptions_)
    if (other.resource == made.resource && other.change_type == made.change_type)
      return graph_error(409, "Conflict", "There is a subscription of this kind already.");
  if (!made.immutable_ids) violations_.push_back("a subscription without immutable ids: " + made.resource);
  made.id = fmt::format("7f105c7d-2dc5-4530-97cd-{:012x}", ++subscriptions_made_);
  json::object answer = *body;
  answer["id"] = made.id;
  answer["expirationDateTime"] = made.expires;
  answer["applicationId"] = options_.client_id;
  subscriptions_[made.id] = subscribed_once_[made.id] = made;
  return graph_answer(201, answer);
}

GraphReply ScriptedGraph::subscription(const GraphRequest& request) {
  const auto found = request.path.size() > 1 ? subscriptions_.find(request.path[1]) : subscriptions_.end();
  if (request.path.size() == 1 && request.method == "GET") {
    json::array all;
    for (const auto& [id, one] : subscriptions_)
      all.push_back(json::object{{"id", id},
                                 {"resource", one.resource},
                                 {"expirationDateTime", one.expires},
                                 {"notificationUrl", one.notification_url},
                                 {"changeType", one.change_type}});
    return graph_answer(200, {{"value", std::move(all)}});
  }
  if (found == subscriptions_.end()) return graph_error(404, "ResourceNotFound", "The object was not found.");
  if (request.method == "DELETE") {
    subscriptions_.erase(found);
    return graph_nothing(204);
  }
  if (request.method == "POST" && request.path.back() == "reauthorize") {
    ++subscriptions_renewed_;
    return graph_nothing(204);
  }
  if (request.method == "PATCH") {
    const auto body = json_object(request.body);
    const auto expires = body ? expiry(text_member(*body, "expirationDateTime")) : std::nullopt;
    if (!expires) return graph_error(400, "ExtensionError", "Subscription expiration is not valid.");
    ++subscriptions_renewed_;
    found->second.expires = *expires;
  }
  const Subscription& one = found->second;
  return graph_answer(200, {{"id", one.id},
                            {"resource", one.resource},
                            {"changeType", one.change_type},
                            {"notificationUrl", one.notification_url},
                            {"expirationDateTime", one.expires}});
}

const ScriptedGraph::Subscription* ScriptedGraph::subscription_of(const std::string& mailbox) const {
  for (const auto& [id, one] : subscriptions_)
    if (one.mailbox == ascii_lower(mailbox)) return &one;
  return nullptr;
}

// A token is the era it was given in and how many arrivals were told: "ERA.COUNT".
GraphReply ScriptedGraph::delta(GraphMailbox& box, const GraphRequest& request) {
  // Of filters a delta knows only the time; here everything came just now.
  if (const auto text = request.query.find("$filter"); text != request.query.end()) {
    const auto filter = read_graph_filter(text->second);
    if (!filter || !filter->comparisons.contains("receivedDateTime ge"))
      violations_.push_back("a delta with a filter it does not know: " + request.target);
  }
  std::size_t from = 0;
  for (const char* kind : {"$deltatoken", "$skiptoken"}) {
    const auto token = request.query.find(kind);
    if (token == request.query.end()) continue;
    if (!token->second.starts_with(std::to_string(delta_era_) + "."))
      return graph_error(410, "SyncStateNotFound", "The sync state generation is not found.");
    from = std::stoul(token->second.substr(token->second.find('.') + 1));
  }
  const auto& arrivals = box.arrivals();
  const std::size_t to = std::min(arrivals.size(), from + static_cast<std::size_t>(options_.page));
  json::array value;
  for (std::size_t i = std::min(from, to); i < to; ++i)
    if (const GraphMail* mail = box.find(arrivals[i], true)) value.push_back(box.shown(*mail, request));
  const bool is_last = to == arrivals.size();
  const std::string link =
      fmt::format("{}/users/{}/mailFolders/inbox/messages/delta?{}={}.{}", base_url(),
                  url_escaped(box.address()), is_last ? "$deltatoken" : "$skiptoken", delta_era_, to);
  return graph_answer(200, {{"@odata.context", "$metadata#messages"},
                            {is_last ? "@odata.deltaLink" : "@odata.nextLink", link},
                            {"value", std::move(value)}});
}

GraphReply ScriptedGraph::message_traces(const GraphRequest& request) {
  const auto text = request.query.find("$filter");
  const auto filter = text == request.query.end() ? std::nullopt : read_graph_filter(text->second);
  if (request.path != std::vector<std::string>{"admin", "exchange", "tracing", "messageTraces"} || !filter) {
    violations_.push_back("a message trace that cannot be read: " + request.target);
    return graph_error(400, "BadRequest", "Invalid filter clause.");
  }
  const auto bound = [&](const char* name) {
    const auto found = filter->comparisons.find(name);
    return found == filter->comparisons.end() ? std::string() : found->second;
  };
  const auto skip = request.query.find("$skiptoken");
  const std::size_t from = skip == request.query.end() ? 0 : std::stoul(skip->second);
  const auto since = parse_rfc3339(bound("receivedDateTime ge")),
             until = parse_rfc3339(bound("receivedDateTime le"));
  json::array fitting;
  for (const json::value& one : traces_) {
    const json::object& row = one.get_object();
    const TimePoint at = parse_rfc3339(text_member(row, "receivedDateTime")).value();
    if (!bound("senderAddress eq").empty() &&
        !same_but_for_case(bound("senderAddress eq"), text_member(row, "senderAddress")))
      continue;
    if (!bound("messageId eq").empty() && bound("messageId eq") != text_member(row, "messageId")) continue;
    if ((since && at < *since) || (until && at > *until)) continue;
    fitting.push_back(one);
  }
  json::array value;
  for (std::size_t i = from; i < fitting.size() && value.size() < static_cast<std::size_t>(options_.page);
       ++i)
    value.push_back(fitting[i]);
  const std::size_t to = from + value.size();
  json::object answer{{"value", std::move(value)}};
  if (to < fitting.size())
    answer["@odata.nextLink"] =
        fmt::format("{}/admin/exchange/tracing/messageTraces?$filter={}&$skiptoken={}", base_url(),
                    url_escaped(text->second), to);
  return graph_answer(200, answer);
}

std::string ScriptedGraph::deliver(const std::string& mailbox, const std::string& eml) {
  const std::lock_guard lock(mutex_);
  return mailboxes_.at(ascii_lower(mailbox)).add_to_inbox(eml, class_of(eml)).immutable_id;
}

json::object ScriptedGraph::notice(const std::string& mailbox, const std::string& message_id) const {
  const std::lock_guard lock(mutex_);
  const Subscription* one = subscription_of(mailbox);
  if (one == nullptr) throw std::runtime_error("nobody is subscribed to " + mailbox);
  PrivateTexts::of_this_test().note_secret(one->client_state);
  const std::string path = fmt::format("users/{}@{}/messages/{}", one->mailbox, tenant_id(), message_id);
  return {
      {"subscriptionId", one->id},
      {"subscriptionExpirationDateTime", one->expires},
      {"clientState", one->client_state},
      {"changeType", "created"},
      {"tenantId", tenant_id()},
      {"resource", path},
      {"resourceData",
       {{"@odata.type", kMessageType}, {"@odata.id", path}, {"@odata.etag", "W/\"x\""}, {"id", message_id}}}};
}

json::object ScriptedGraph::lifecycle_notice(const std::string& mailbox, const std::string& event) const {
  json::object item = notice(mailbox, "none");
  for (const char* member : {"changeType", "resource", "resourceData"})
    item.erase(member);
  item["lifecycleEvent"] = event;
  return item;
}

HttpReply ScriptedGraph::notify(const json::array& items) const {
  std::string url;
  {
    const std::lock_guard lock(mutex_);
    const json::object& first = items.at(0).as_object();
    const auto found = subscribed_once_.find(text_member(first, "subscriptionId"));
    if (found != subscribed_once_.end())
      url = first.contains("lifecycleEvent") && !found->second.lifecycle_url.empty()
                ? found->second.lifecycle_url
                : found->second.notification_url;
  }
  if (url.empty()) throw std::runtime_error("the first item is of no subscription");
  return http_request("POST", url, json::serialize(json::object{{"value", items}}),
                      {{"Content-Type", "application/json"}});
}

std::string ScriptedGraph::deliver_and_notify(const std::string& mailbox, const std::string& eml) {
  const std::string id = deliver(mailbox, eml);
  notify(json::array{notice(mailbox, id)});
  return id;
}

bool ScriptedGraph::is_subscribed(const std::string& mailbox) const {
  const std::lock_guard lock(mutex_);
  return subscription_of(mailbox) != nullptr;
}
int ScriptedGraph::subscriptions_made() const {
  const std::lock_guard lock(mutex_);
  return subscriptions_made_;
}
int ScriptedGraph::subscriptions_renewed() const {
  const std::lock_guard lock(mutex_);
  return subscriptions_renewed_;
}
void ScriptedGraph::drop_subscription(const std::string& mailbox) {
  const std::lock_guard lock(mutex_);
  std::erase_if(subscriptions_, [&](const auto& one) { return one.second.mailbox == ascii_lower(mailbox); });
}
void ScriptedGraph::forget_deltas() {
  const std::lock_guard lock(mutex_);
  ++delta_era_;
}
void ScriptedGraph::trace(const SentMail& mail, const std::string& recipient, const std::string& status) {
  const std::lock_guard lock(mutex_);
  traces_.push_back(json::object{{"id", fmt::format("trace-{}", traces_.size() + 1)},
                                 {"senderAddress", mail.mailbox},
                                 {"recipientAddress", recipient},
                                 {"messageId", mail.internet_message_id},
                                 {"receivedDateTime", to_rfc3339(time_now())},
                                 {"subject", mail.subject},
                                 {"status", status}});
}

std::string ndr_for(const SentMail& mail, const std::string& recipient, const std::string& action,
                    const std::string& status) {
  static std::atomic<int> made{0};
  return fmt::format(
      "From: Microsoft Outlook <postmaster@example.org>\r\nTo: <{0}>\r\n"
      "Subject: Undeliverable: {5}\r\nMessage-ID: <ndr-{6}@prod.outlook.com>\r\nMIME-Version: 1.0\r\n"
      "Auto-Submitted: auto-replied\r\nX-MS-Exchange-Message-Is-Ndr:\r\nIn-Reply-To: {1}\r\nReferences: "
      "{1}\r\n"
      "Content-Type: multipart/report; report-type=delivery-status; boundary=\"b-{6}\"\r\n\r\n"
      "--b-{6}\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\nWhat became of your message.\r\n\r\n"
      "--b-{6}\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: "
      "dns;srv.prod.outlook.com\r\n\r\n"
      "Final-Recipient: rfc822;{2}\r\nAction: {3}\r\nStatus: {4}\r\n"
      "Diagnostic-Code: smtp;{7}\r\n\r\n"
      "--b-{6}\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {1}\r\nFrom: "
      "<{0}>\r\n\r\n--b-{6}--\r\n",
      mail.mailbox, mail.internet_message_id, recipient, action, status, mail.subject, ++made,
      action == "failed" ? "550 " + status + " RESOLVER.ADR.RecipientNotFound; not found"
                         : "250 " + status + " ok");
}

}  // namespace eilbote::test
