#include "support/scripted_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/base64url.h"
#include "base/url_escape.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kBatchMax = 20;
constexpr std::size_t kRequestBytesMax = 4 * 1024 * 1024;
// A fault of this kind spares young tokens: whoever gets a 401 asks again with a new one, and only once.
constexpr std::chrono::seconds kTokenSpared{1};

GraphStep step_of_message(const GraphRequest& request) {
  const std::string what = request.path.size() > 4 ? request.path[4] : "";
  if (what == "send") return GraphStep::send;
  if (what == "$value") return GraphStep::read_mime;
  if (what == "attachments")
    return request.path.back() == "createUploadSession" ? GraphStep::open_upload : GraphStep::attach;
  if (request.method == "PATCH") return GraphStep::patch;
  return request.method == "DELETE" ? GraphStep::remove : GraphStep::look;
}

GraphStep step_of(const GraphRequest& request) {
  const auto& path = request.path;
  const std::string first = path.empty() ? "" : path[0], third = path.size() > 2 ? path[2] : "";
  if (first == "$batch") return GraphStep::batch;
  if (first == "subscriptions") return GraphStep::subscribe;
  if (first == "admin") return GraphStep::trace;
  if (first == "outlook") return GraphStep::upload;
  if (third == "sendMail") return GraphStep::send_mail;
  if (third == "mailFolders" && path.size() == 4) return GraphStep::probe;
  if (third == "mailFolders") return path.back() == "delta" ? GraphStep::delta : GraphStep::search;
  if (path.size() > 3) return step_of_message(request);
  return request.method == "POST" ? GraphStep::create : GraphStep::search;
}

// Whether Microsoft's OpenAPI, as it was trimmed, has this request: not the MIME forms, which it leaves out.
bool is_in_contract(const GraphRequest& request) {
  const auto& path = request.path;
  if (ascii_lower(request.header("content-type")).starts_with("text/plain")) return false;
  return !path.empty() && (path[0] == "subscriptions" || path[0] == "users") &&
         step_of(request) != GraphStep::probe;
}

HttpHeaders headers_of(const GraphRequest& request) {
  HttpHeaders headers;
  for (const char* name : {"Authorization", "Prefer", "Content-Type", "If-Match"})
    if (const std::string value = request.header(ascii_lower(name)); !value.empty())
      headers.emplace_back(name, value);
  return headers;
}

// A member of a $batch as a request of its own; it has the headers it names and the token of the whole.
GraphRequest member_request(const json::object& member, const GraphRequest& whole) {
  std::map<std::string, std::string> headers;
  if (const json::value* own = member.if_contains("headers"); own != nullptr && own->is_object())
    for (const json::key_value_pair& one : own->get_object())
      if (one.value().is_string())
        headers[ascii_lower(std::string_view(one.key()))] = one.value().get_string();
  headers["authorization"] = whole.header("authorization");
  std::string body;
  if (const json::value* own = member.if_contains("body"); own != nullptr) {
    const bool is_text = own->is_string();
    body = is_text ? decode_base64url(std::string(own->get_string())).value_or("") : json::serialize(*own);
  }
  return read_graph_request(text_member(member, "method"), text_member(member, "url"), std::move(headers),
                            std::move(body));
}

// What is wrong with a $batch as a whole; empty: nothing.
std::string fault_of_batch(const json::array& members) {
  if (members.empty() || members.size() > kBatchMax) return "a $batch has 1 to 20 requests";
  std::set<std::string> ids;
  for (const json::value& one : members) {
    if (!one.is_object()) return "a request of a $batch is no object";
    const json::object& member = one.get_object();
    if (text_member(member, "id").empty() || !ids.insert(ascii_lower(text_member(member, "id"))).second)
      return "a request of a $batch has no id of its own";
    const std::string url = text_member(member, "url");
    if (!url.starts_with("/") || url.starts_with("/v1.0"))
      return "the url of a batched request is relative: " + url;
    if (member.contains("body") && !member.contains("headers"))
      return "a batched request with a body has no Content-Type";
  }
  return "";
}

json::object member_answer(const std::string& id, const GraphReply& reply) {
  json::object headers;
  if (!reply.body.empty()) headers["Content-Type"] = reply.type;
  for (const auto& [name, value] : reply.headers)
    headers[name] = value;
  json::object answer{{"id", id}, {"status", reply.status}, {"headers", std::move(headers)}};
  if (auto body = json_object(reply.body)) answer["body"] = std::move(*body);
  return answer;
}

}  // namespace

ScriptedGraph::ScriptedGraph(GraphTenantOptions options, GraphFaults faults)
    : options_(std::move(options)),
      faults_(std::move(faults)),
      secrets_(options_.secrets),
      inner_(HttpScript{.decide =
                            [this](const HttpSeen& seen) {
                              return HttpScene{.answer = written(route(read_graph_request(seen)))};
                            },
                        .keeps_requests = false}),
      http_(HttpScript{.decide = [this](const HttpSeen& seen) { return decide(seen); },
                       .over = [this](const HttpSeen& seen) { over(seen); },
                       .keeps_requests = false}) {
  const std::lock_guard lock(mutex_);
  for (const std::string& mailbox : options_.mailboxes)
    mailboxes_.emplace(ascii_lower(mailbox), GraphMailbox(ascii_lower(mailbox)));
}

ScriptedGraph::~ScriptedGraph() = default;

HttpScene ScriptedGraph::decide(const HttpSeen& seen) {
  const GraphRequest request = read_graph_request(seen);
  std::vector<std::string> mailboxes;
  Outcome outcome;
  if (request.target.ends_with("/oauth2/v2.0/token")) {
    outcome = with_fault(GraphStep::token, request, [&] { return Outcome{give_token(request)}; });
  } else if (request.path == std::vector<std::string>{"$batch"}) {
    const auto body = json_object(request.body);
    const json::value* members = body ? body->if_contains("requests") : nullptr;
    if (members != nullptr && members->is_array())
      for (const json::value& one : members->get_array())
        mailboxes.push_back(one.is_object() ? member_request(one.get_object(), request).mailbox() : "");
    const std::vector<bool> over_limit = open(seen.connection, mailboxes);
    outcome = perform_batch(request, over_limit);
  } else {
    outcome = perform(request, open(seen.connection, {request.mailbox()})[0]);
  }
  HttpScene scene;
  scene.then = outcome.then;
  scene.answer = outcome.then == HttpScene::Then::go_on ? written(outcome.reply) : "";
  scene.before_answer = options_.think;
  return scene;
}

ScriptedGraph::Outcome ScriptedGraph::perform(const GraphRequest& request, bool over_limit) {
  const GraphStep step = step_of(request);
  if (step != GraphStep::upload && !is_authorized(request))
    return {graph_error(401, "InvalidAuthenticationToken", "Access token has expired or is not yet valid.")};
  if (over_limit) {
    GraphReply reply =
        graph_error(429, "ApplicationThrottled", "Application is over its MailboxConcurrency limit.");
    reply.headers.emplace_back("Retry-After", "1");
    return {reply};
  }
  if (request.body.size() > kRequestBytesMax) return {graph_nothing(413)};
  return with_fault(step, request, [&] { return Outcome{run(request)}; });
}

ScriptedGraph::Outcome ScriptedGraph::perform_batch(const GraphRequest& request,
                                                    const std::vector<bool>& over_limit) {
  if (!is_authorized(request)) return {graph_error(401, "InvalidAuthenticationToken")};
  return with_fault(GraphStep::batch, request, [&]() -> Outcome {
    const auto body = json_object(request.body);
    const json::value* found = body ? body->if_contains("requests") : nullptr;
    const json::array members = found != nullptr && found->is_array() ? found->get_array() : json::array{};
    keep_body("batchRequest", request.body);
    if (const std::string wrong = fault_of_batch(members); !wrong.empty()) {
      violate(wrong);
      return {graph_error(400, "BadRequest", wrong)};
    }
    Outcome whole;
    json::array answers;
    std::set<std::string> failed;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const json::object& member = members[i].get_object();
      const std::string id = text_member(member, "id");
      bool blocked = false;
      if (const json::value* needed = member.if_contains("dependsOn");
          needed != nullptr && needed->is_array())
        for (const json::value& one : needed->get_array())
          blocked = blocked || (one.is_string() && failed.contains(std::string(one.get_string())));
      const Outcome one = blocked ? Outcome{graph_error(424, "FailedDependency")}
                                  : perform(member_request(member, request), over_limit[i]);
      if (one.then != HttpScene::Then::go_on) whole.then = one.then;
      if (one.reply.status >= 400) failed.insert(id);
      answers.insert(answers.begin(),
                     member_answer(id, one.reply));  // any order is allowed: the last comes first
    }
    whole.reply = graph_answer(200, {{"responses", std::move(answers)}});
    return whole;
  });
}

ScriptedGraph::Outcome ScriptedGraph::with_fault(GraphStep step, const GraphRequest& request,
                                                 const std::function<Outcome()>& run) {
  const GraphFault fault = next_fault(step, request);
  using How = GraphFault::How;
  if (fault.how == How::none) return run();
  if (fault.how == How::slow_down) {
    Outcome outcome = run();
    outcome.reply.headers.emplace_back("Retry-After", std::to_string(fault.retry_after.value_or(1)));
    return outcome;
  }
  if (fault.after) run();
  if (fault.how == How::hang) return {{}, HttpScene::Then::silence};
  if (fault.how == How::reset) return {{}, HttpScene::Then::reset};
  GraphReply reply =
      fault.code.empty()
          ? GraphReply{.status = fault.status, .type = "text/html", .body = "<h1>Our gateway</h1>"}
          : graph_error(fault.status, fault.code);
  if (fault.retry_after) reply.headers.emplace_back("Retry-After", std::to_string(*fault.retry_after));
  return {reply};
}

GraphFault ScriptedGraph::next_fault(GraphStep step, const GraphRequest& request) {
  GraphFaults faults;
  int number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++requests_[step];
    faults = faults_;
  }
  const GraphFault fault = faults ? faults(step, number) : GraphFault{};
  if (fault.status != 401) return fault;
  const std::lock_guard lock(mutex_);
  const auto token = tokens_.find(request.header("authorization"));
  if (token == tokens_.end() || SteadyClock::now() - token->second.given < kTokenSpared) return {};
  tokens_.erase(token);
  return fault;
}

std::vector<bool> ScriptedGraph::open(int connection, const std::vector<std::string>& mailboxes) {
  std::vector<bool> over_limit(mailboxes.size(), false);
  const std::lock_guard lock(mutex_);
  auto& mine = open_[connection];
  for (std::size_t i = 0; i < mailboxes.size(); ++i) {
    if (mailboxes[i].empty()) continue;
    mine.push_back(mailboxes[i]);
    int now = 0;
    // Who gave up waiting has nothing open any more, even if its thread here has not noticed.
    for (const auto& [other, names] : open_)
      if (other == connection ||
          (std::count(names.begin(), names.end(), mailboxes[i]) > 0 && !http_.is_gone(other)))
        now += static_cast<int>(std::count(names.begin(), names.end(), mailboxes[i]));
    int& most = most_open_[mailboxes[i]];
    most = std::max(most, now);
    if (now <= options_.open_max) continue;
    over_limit[i] = true;
    violations_.push_back(fmt::format("{} has {} requests open", mailboxes[i], now));
  }
  return over_limit;
}

void ScriptedGraph::over(const HttpSeen& seen) {
  const std::lock_guard lock(mutex_);
  open_.erase(seen.connection);
}

bool ScriptedGraph::is_authorized(const GraphRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto token = tokens_.find(request.header("authorization"));
  return token != tokens_.end() && SteadyClock::now() < token->second.ends;
}

GraphReply ScriptedGraph::run(const GraphRequest& request) {
  bool through_proxy = false;
  {
    const std::lock_guard lock(mutex_);
    through_proxy = !proxy_url_.empty() && is_in_contract(request);
  }
  return through_proxy ? ask_proxy(request) : route(request);
}

GraphReply ScriptedGraph::ask_proxy(const GraphRequest& request) {
  switch (step_of(request)) {
    case GraphStep::create:
      keep_body("messageCreate", request.body);
      break;
    case GraphStep::send_mail:
      keep_body("sendMailRequest", request.body);
      break;
    case GraphStep::open_upload:
      keep_body("createUploadSessionRequest", request.body);
      break;
    default:
      break;
  }
  std::string path;
  for (const std::string& segment : request.path)
    path += "/" + (segment == "delta" ? "delta()" : url_escaped(segment, "$@"));
  const std::size_t mark = request.target.find('?');
  if (mark != std::string::npos) path += request.target.substr(mark);
  const HttpReply said = http_request(request.method, proxy_url_ + path, request.body, headers_of(request));
  if (said.status == 0 || said.body.find("stoplight.io/prism/errors") != std::string::npos)
    violate(fmt::format("{} {}: {}{}", request.method, path, said.body, said.trouble));
  GraphReply reply{.status = said.status == 0 ? 502 : said.status, .body = said.body};
  for (const auto& [name, value] : said.headers) {
    if (name == "content-type") reply.type = value;
    if (name == "retry-after" || name == "location") reply.headers.emplace_back(name, value);
  }
  return reply;
}

GraphReply ScriptedGraph::route(const GraphRequest& request) {
  const std::string first = request.path.empty() ? "" : request.path[0];
  if (first == "subscriptions" && request.path.size() == 1 && request.method == "POST")
    return subscribe(request);
  const std::lock_guard lock(mutex_);
  for (auto& [address, box] : mailboxes_)
    box.settle();
  if (first == "users") return users(request);
  if (first == "outlook") return upload(request);
  if (first == "subscriptions") return subscription(request);
  if (first == "admin") return message_traces(request);
  violations_.push_back("nobody knows " + request.method + " " + request.target);
  return graph_error(400, "BadRequest", "Resource not found for the segment.");
}

void ScriptedGraph::keep_body(const std::string& definition, const std::string& body) {
  const std::lock_guard lock(mutex_);
  if (!proxy_url_.empty()) bodies_.emplace_back(definition, body);
}

void ScriptedGraph::violate(const std::string& what) {
  const std::lock_guard lock(mutex_);
  violations_.push_back(what);
}

}  // namespace eilbote::test
