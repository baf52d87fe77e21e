#include "support/graph_door_world.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "base/ascii.h"
#include "domain/json_members.h"

namespace eilbote::test {
namespace {

using namespace std::chrono_literals;

std::string fault_word(ExchangeFault fault) {
  switch (fault) {
    case ExchangeFault::none:
      return "none";
    case ExchangeFault::not_sent:
      return "not_sent";
    case ExchangeFault::busy:
      return "busy";
    case ExchangeFault::dns:
      return "dns";
    case ExchangeFault::connect:
      return "connect";
    case ExchangeFault::tls:
      return "tls";
    case ExchangeFault::timeout:
      return "timeout";
    case ExchangeFault::lost:
      return "lost";
    case ExchangeFault::refused:
      return "refused";
    case ExchangeFault::bad_response:
      return "bad_response";
  }
  return "?";
}

}  // namespace

GraphDoorWorld::GraphDoorWorld(Decide graph, GraphOptions options, HttpScene token)
    : graph_(std::move(graph)),
      token_(std::move(token)),
      server_({.decide = [this](const HttpSeen& request) { return decide(request); }}) {
  options.base_url = base_url();
  options.token_url = "http://127.0.0.1:" + std::to_string(server_.port()) + "/token";
  options.scope = "https://127.0.0.1/.default";
  options.client_id = "client-1";
  if (options.client_secret_ref.empty()) options.client_secret_ref = "vault://graph#secret";
  auto made = make_graph_door(options, secrets, metrics, clock);
  if (!made) throw std::runtime_error(made.error().message);
  door_ = std::move(*made);
}

HttpScene GraphDoorWorld::decide(const HttpSeen& request) {
  const std::string path = path_of(request);
  if (path == "/token") {
    const std::lock_guard lock(mutex_);
    ++tokens_;
    if (!token_.answer.empty()) return token_;
    return {http_answer(
        200, R"({"expires_in":3600,"access_token":"bearer-token-)" + std::to_string(tokens_) + "\"}")};
  }
  if (path == "/v1.0/first") return {http_answer(200)};
  {
    const std::lock_guard lock(mutex_);
    seen_.push_back(request);
  }
  return graph_(request);
}

std::future<GraphAnswer> GraphDoorWorld::call(GraphCall call) {
  auto answer = std::make_shared<std::promise<GraphAnswer>>();
  door_->call(std::move(call), [answer](GraphAnswer got) { answer->set_value(std::move(got)); });
  return answer->get_future();
}

std::vector<std::future<GraphAnswer>> GraphDoorWorld::together(std::vector<GraphCall> calls) {
  std::promise<std::vector<std::future<GraphAnswer>>> made;
  GraphCall first;
  first.path = "/first";
  door_->call(std::move(first), [&](const GraphAnswer&) {
    std::vector<std::future<GraphAnswer>> all;
    for (GraphCall& one : calls)
      all.push_back(call(std::move(one)));
    made.set_value(std::move(all));
  });
  return made.get_future().get();
}

std::vector<HttpSeen> GraphDoorWorld::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

int GraphDoorWorld::tokens() const {
  const std::lock_guard lock(mutex_);
  return tokens_;
}

std::string GraphDoorWorld::path_of(const HttpSeen& request) {
  const std::size_t start = request.line.find(' ') + 1;
  return request.line.substr(start, request.line.rfind(' ') - start);
}

std::string GraphDoorWorld::base_url() const {
  return "http://127.0.0.1:" + std::to_string(server_.port()) + "/v1.0";
}

GraphAnswer answer_of(std::future<GraphAnswer>& answer) {
  if (answer.wait_for(20s) == std::future_status::ready) return answer.get();
  GraphAnswer none;
  none.text = "no answer within 20 s";
  return none;
}
GraphAnswer answer_of(std::future<GraphAnswer>&& answer) {
  return answer_of(answer);
}

std::string in_words(const GraphAnswer& answer) {
  if (answer.token_failed)
    return "no token " + answer.code + (answer.configuration ? " (configuration)" : "");
  if (answer.fault != ExchangeFault::none) return fault_word(answer.fault);
  std::string words = std::to_string(answer.status);
  if (!answer.code.empty()) words += " " + answer.code;
  if (answer.retry_after)
    words +=
        " " + std::to_string(std::chrono::floor<std::chrono::seconds>(*answer.retry_after).count()) + "s";
  return words;
}

std::string error_body(const std::string& code, const std::string& message) {
  return R"({"error":{"code":")" + code + R"(","message":")" + message + R"("}})";
}

GraphCall small_call(const std::string& mailbox, const std::string& body) {
  GraphCall call;
  call.method = "POST";
  call.path = "/users/" + mailbox + "/messages";
  call.mailbox = mailbox;
  call.body = body;
  call.may_batch = true;
  return call;
}

std::vector<BatchPartSeen> batch_parts(const std::string& body) {
  std::vector<BatchPartSeen> parts;
  const auto document = parse_json(body);
  const auto* requests = member_at(document, {"requests"});
  if (requests == nullptr) return parts;
  for (const auto& one : requests->as_array()) {
    BatchPartSeen part{text_at(one, {"id"}), text_at(one, {"method"}), text_at(one, {"url"}), "", {}};
    if (const auto* given = member_at(one, {"body"})) part.body = boost::json::serialize(*given);
    for (const auto& [name, value] : member_at(one, {"headers"})->as_object())
      part.headers[ascii_lower(std::string_view(name.data(), name.size()))] = as_text(value);
    parts.push_back(std::move(part));
  }
  return parts;
}

HttpScene batch_answer(const std::string& body,
                       const std::function<std::string(const BatchPartSeen&)>& part) {
  auto parts = batch_parts(body);
  std::reverse(parts.begin(), parts.end());
  std::string out;
  for (const BatchPartSeen& one : parts)
    if (const std::string said = part(one); !said.empty())
      out += (out.empty() ? "" : ",") + (R"({"id":")" + one.id + "\"," + said + "}");
  return {http_answer(200, R"({"responses":[)" + out + "]}", "Content-Type: application/json\r\n")};
}

}  // namespace eilbote::test
