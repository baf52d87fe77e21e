// The HTTP client by itself: methods, limits to the byte, connections that are not kept too long.
#include "net/http_client.h"

#include <gtest/gtest.h>

#include <future>

#include "support/eventually.h"
#include "support/scripted_http.h"
#include "support/webhook_world.h"

namespace eilbote::test::http_client_test {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<HttpClient> client_of(HttpClientOptions options = {}) {
  options.plain_by_curl = WebhookWorld::plain_by_curl;
  auto made = make_http_client(std::move(options));
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

HttpCall call_to(const ScriptedHttp& endpoint) {
  HttpCall call;
  call.url = endpoint.url();
  call.host = "127.0.0.1";
  call.host_is_address = true;
  call.port = endpoint.port();
  return call;
}

HttpAnswer send(HttpClient& client, HttpCall call) {
  auto promise = std::make_shared<std::promise<HttpAnswer>>();
  auto answer = promise->get_future();
  client.send(std::move(call), [promise](HttpAnswer came) { promise->set_value(std::move(came)); });
  if (answer.wait_for(30s) != std::future_status::ready) throw std::runtime_error("no answer");
  return answer.get();
}

class HttpClientTest : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Ways, HttpClientTest, testing::Bool(), way_name);

TEST_P(HttpClientTest, speaks_every_method_on_the_same_handles) {
  ScriptedHttp endpoint;
  const auto client = client_of();
  for (const char* method : {"POST", "GET", "PUT", "POST", "DELETE", "GET", "PATCH"}) {
    HttpCall call = call_to(endpoint);
    call.method = method;
    if (call.method != "GET") call.body = method;
    EXPECT_EQ(send(*client, std::move(call)).status, 200) << method;
    const HttpSeen seen = endpoint.seen().back();
    EXPECT_EQ(seen.line, std::string(method) + " /hook HTTP/1.1");
    EXPECT_EQ(seen.body, std::string(method) == "GET" ? "" : method);
  }
  EXPECT_EQ(endpoint.connections(), 1);
}

TEST_P(HttpClientTest, leaves_nothing_of_a_call_to_the_next) {
  ScriptedHttp endpoint({{{http_answer(500, "first", "X-A: 1\r\n")}, {http_answer(200)}}});
  const auto client = client_of();
  HttpCall call = call_to(endpoint);
  call.headers = {{"X-Mine", "1"}};
  call.body = "body";
  const HttpAnswer first = send(*client, std::move(call));
  EXPECT_EQ(first.status, 500);
  EXPECT_EQ(first.header("x-a"), "1");
  const HttpAnswer second = send(*client, call_to(endpoint));
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.header("x-a"), "");
  EXPECT_EQ(second.body, "");
  EXPECT_FALSE(endpoint.seen().at(1).headers.contains("x-mine"));
  EXPECT_EQ(endpoint.seen().at(1).body, "");
}

TEST_P(HttpClientTest, cuts_an_answer_to_the_byte) {
  for (const std::size_t size : {0U, 99U, 100U, 101U, 100'000U}) {
    ScriptedHttp endpoint({{{http_answer(200, std::string(size, 'x'))}}});
    const auto client = client_of();
    HttpCall call = call_to(endpoint);
    call.response_bytes_max = 100;
    const HttpAnswer answer = send(*client, std::move(call));
    EXPECT_EQ(answer.fault, ExchangeFault::none);
    EXPECT_EQ(answer.body.size(), std::min<std::size_t>(size, 100));
    EXPECT_EQ(answer.body_is_cut, size > 100) << size;
  }
}

TEST_P(HttpClientTest, does_not_trust_a_connection_that_was_quiet_for_long) {
  ScriptedHttp endpoint;
  HttpClientOptions options;
  options.idle_max = 1s;
  const auto client = client_of(std::move(options));
  EXPECT_EQ(send(*client, call_to(endpoint)).status, 200);
  EXPECT_EQ(send(*client, call_to(endpoint)).status, 200);
  EXPECT_EQ(endpoint.connections(), 1);
  EXPECT_TRUE(throughout([&] { return endpoint.connections() == 1; }, 2100ms));
  EXPECT_EQ(send(*client, call_to(endpoint)).status, 200);
  EXPECT_EQ(endpoint.connections(), 2);
}

TEST_P(HttpClientTest, keeps_no_more_idle_connections_than_it_may) {
  HttpScene slow;
  slow.before_answer = 200ms;
  ScriptedHttp endpoint({{slow}});
  HttpClientOptions options;
  options.idle_connections_max = 3;
  const auto client = client_of(std::move(options));
  std::vector<std::future<void>> ends;
  for (int i = 0; i < 20; ++i) {
    auto promise = std::make_shared<std::promise<void>>();
    ends.push_back(promise->get_future());
    client->send(call_to(endpoint), [promise](const HttpAnswer&) { promise->set_value(); });
  }
  for (auto& one : ends)
    one.get();
  EXPECT_EQ(endpoint.connections(), 20);
  // libcurl closes one too many with each call that ends.
  EXPECT_TRUE(eventually([&] {
    send(*client, call_to(endpoint));
    return endpoint.open() <= 4;
  })) << endpoint.open();
}

TEST_P(HttpClientTest, follows_the_deadline_of_a_millisecond) {
  ScriptedHttp endpoint({{{"", HttpScene::Then::silence}}});
  const auto client = client_of();
  HttpCall call = call_to(endpoint);
  call.timeout = 1ms;
  EXPECT_EQ(send(*client, std::move(call)).fault, ExchangeFault::timeout);
}

TEST_P(HttpClientTest, runs_errands_on_its_thread) {
  const auto client = client_of();
  std::promise<std::thread::id> one, other;
  client->later([&] { one.set_value(std::this_thread::get_id()); });
  client->later([&] { other.set_value(std::this_thread::get_id()); });
  const auto id = one.get_future().get();
  EXPECT_EQ(id, other.get_future().get());
  EXPECT_NE(id, std::this_thread::get_id());
}

TEST(HttpAnswer, finds_a_header_in_any_case) {
  HttpAnswer answer;
  answer.header_lines = "HTTP/1.1 200 OK\r\nRetry-After:  5 \r\nX-A:1\r\nretry-after: 7\r\nX-Empty:\r\n\r\n";
  EXPECT_EQ(answer.header("retry-AFTER"), "5");
  EXPECT_EQ(answer.header("x-a"), "1");
  EXPECT_EQ(answer.header("x-empty"), "");
  EXPECT_EQ(answer.header("x"), "");
  EXPECT_EQ(HttpAnswer{}.header("x"), "");
}

}  // namespace
}  // namespace eilbote::test::http_client_test
