// The webhook channel against endpoints that behave well, badly and worse: what is sent, and what each end means.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/eventually.h"
#include "support/scripted_http.h"
#include "support/temp_folder.h"
#include "support/this_process.h"
#include "support/webhook_world.h"

namespace eilbote::test::webhook_channel_test {
namespace {

using namespace std::chrono_literals;
using Then = HttpScene::Then;
using Steady = std::chrono::steady_clock;

class WebhookChannelTest : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Ways, WebhookChannelTest, testing::Bool(), way_name);

TEST_P(WebhookChannelTest, sends_the_job_and_takes_the_answer) {
  ScriptedHttp endpoint;
  WebhookWorld world({.user_agent = "Eilbote/9"});
  WebhookDelivery delivery = world.delivery(endpoint.url());
  delivery.content.webhook.headers = {{"X-Order", "7"}, {"X-Empty", ""}};
  delivery.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  delivery.keys.authorization = Secret("Bearer t");
  delivery.keys.signing.emplace_back("key");
  auto result = result_of(world.deliver(std::move(delivery)));
  EXPECT_EQ(in_words(result), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(result.route, "127.0.0.1:" + std::to_string(endpoint.port()));
  const auto seen = endpoint.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].line, "POST /hook HTTP/1.1");
  EXPECT_EQ(seen[0].body, R"({"n":1})");
  auto headers = seen[0].headers;
  EXPECT_EQ(headers["content-type"], "application/json");
  EXPECT_EQ(headers["user-agent"], "Eilbote/9");
  EXPECT_EQ(headers["x-order"], "7");
  EXPECT_TRUE(headers.contains("x-empty"));
  EXPECT_EQ(headers["authorization"], "Bearer t");
  EXPECT_EQ(headers["host"], "127.0.0.1:" + std::to_string(endpoint.port()));
  EXPECT_TRUE(headers["webhook-signature"].starts_with("v1,"));
  EXPECT_EQ(headers["webhook-id"].size(), 13U);
  EXPECT_EQ(headers["traceparent"], "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  EXPECT_FALSE(headers.contains("expect"));
}

TEST_P(WebhookChannelTest, sends_paths_as_they_are) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  const std::string base = "http://127.0.0.1:" + std::to_string(endpoint.port());
  EXPECT_EQ(outcome(world.deliver(base + "/a/../b/./c?x=%2F&y=[1]")), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(outcome(world.deliver(base)), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(endpoint.seen().at(0).line, "POST /a/../b/./c?x=%2F&y=[1] HTTP/1.1");
  EXPECT_EQ(endpoint.seen().at(1).line, "POST / HTTP/1.1");
}

struct Hard {
  const char* name;
  HttpScene scene;
  std::string expected;
};

const std::string kHead = "HTTP/1.1 200 OK\r\n";

TEST_P(WebhookChannelTest, judges_what_came) {
  const std::string redirect = "Location: /elsewhere\r\n";
  const Hard cases[] = {
      {"404", {http_answer(404, "no")}, "permanent CLIENT_ERROR HTTP_404 404 'no'"},
      {"410", {http_answer(410)}, "permanent CLIENT_ERROR ENDPOINT_GONE 410"},
      {"408", {http_answer(408)}, "transient CLIENT_ERROR HTTP_408 408"},
      {"429", {http_answer(429, "", "retry-AFTER:  9 \r\n")}, "deferred CLIENT_ERROR HTTP_429 9s 429"},
      {"429 without", {http_answer(429)}, "deferred CLIENT_ERROR HTTP_429 30s 429"},
      {"500", {http_answer(500, "oops")}, "transient SERVER_ERROR HTTP_500 500 'oops'"},
      {"501", {http_answer(501)}, "permanent SERVER_ERROR HTTP_501 501"},
      {"503", {http_answer(503, "", "Retry-After: 8\r\n")}, "deferred SERVER_ERROR HTTP_503 8s 503"},
      {"no ack",
       {http_answer(200, R"({"ack":false,"delaySeconds":4})")},
       R"(deferred SUCCESS NOT_ACKNOWLEDGED 4s 200 '{"ack":false,"delaySeconds":4}')"},
      {"redirect", {http_answer(302, "", redirect)}, "transient SERVER_ERROR HTTP_302 UNKNOWN 302"},
      {"redirect of a POST", {http_answer(308, "", redirect)}, "transient SERVER_ERROR HTTP_308 UNKNOWN 308"},
      {"nothing to say", {"HTTP/1.1 204 No Content\r\n\r\n"}, "delivered SUCCESS 204"},
      {"until the end", {"HTTP/1.1 200 OK\r\n\r\nall", Then::close}, "delivered SUCCESS 200 'all'"},
      {"1xx before it",
       {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nRetry-After: 5\r\n\r\n" + http_answer(429)},
       "deferred CLIENT_ERROR HTTP_429 30s 429"},
      {"101",
       {"HTTP/1.1 101 Switching\r\n\r\n", Then::silence},
       "transient SERVER_ERROR HTTP_101 UNKNOWN 101"},
      {"more than announced", {kHead + "Content-Length: 2\r\n\r\nokay then"}, "delivered SUCCESS 200 'ok'"},
      {"less than announced",
       {kHead + "Content-Length: 9\r\n\r\nok", Then::close},
       "transient CONNECTION_ERROR CONNECTION_LOST"},
      {"reset in the body",
       {kHead + "Content-Length: 9\r\n\r\nok", Then::reset},
       "transient CONNECTION_ERROR CONNECTION_LOST"},
      {"closed after reading", {"", Then::close}, "transient CONNECTION_ERROR CONNECTION_LOST"},
      {"reset after reading", {"", Then::reset}, "transient CONNECTION_ERROR CONNECTION_LOST"},
      {"closed in the headers",
       {kHead + "X-A: 1\r\n", Then::close},
       "transient CONNECTION_ERROR CONNECTION_LOST"},
      {"no HTTP", {"SSH-2.0-OpenSSH_9.2\r\n", Then::close}, "transient CONNECTION_ERROR BAD_RESPONSE"},
      {"no gzip",
       {http_answer(200, "plain", "Content-Encoding: gzip\r\n")},
       "transient CONNECTION_ERROR BAD_RESPONSE"},
      {"huge headers",
       {kHead + "X-A: " + std::string(90'000, 'a') + "\r\n\r\n"},
       "transient CONNECTION_ERROR BAD_RESPONSE"},
      {"endless headers",
       {kHead, Then::for_ever, "X-A: " + std::string(1000, 'a') + "\r\n"},
       "transient CONNECTION_ERROR BAD_RESPONSE"},
      {"endless 1xx",
       {"", Then::for_ever, "HTTP/1.1 103 Early Hints\r\nX-A: 1\r\n\r\n"},
       "transient CONNECTION_ERROR BAD_RESPONSE"},
  };
  for (const Hard& c : cases) {
    ScriptedHttp endpoint({{c.scene}});
    WebhookWorld world;
    EXPECT_EQ(outcome(world.deliver(endpoint.url(), 10)), c.expected) << c.name;
    EXPECT_EQ(endpoint.seen().size(), 1U) << c.name;
  }
}

TEST_P(WebhookChannelTest, has_one_deadline_over_everything) {
  const Hard cases[] = {
      {"silence", {"", Then::silence}, "waiting for the answer"},
      {"slow headers", {kHead, Then::for_ever, "X-A: 1\r\n", 50ms}, "reading the answer"},
      {"slow body",
       {kHead + "Content-Length: 9000\r\n\r\n", Then::for_ever, "x", 50ms},
       "reading the answer"},
      {"slow 1xx", {"", Then::for_ever, "HTTP/1.1 103 Early Hints\r\n\r\n", 50ms}, "reading the answer"},
      {"slow chunks",
       {kHead + "Transfer-Encoding: chunked\r\n\r\n", Then::for_ever, "1\r\nx\r\n", 50ms},
       "reading the answer"},
  };
  std::vector<std::unique_ptr<ScriptedHttp>> endpoints;
  std::vector<std::future<DeliveryResult>> results;
  WebhookWorld world;
  const auto begin = Steady::now();
  for (const Hard& c : cases) {
    endpoints.push_back(std::make_unique<ScriptedHttp>(HttpScript{{c.scene}}));
    results.push_back(world.deliver(endpoints.back()->url(), 1));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const DeliveryResult result = result_of(std::move(results[i]));
    EXPECT_EQ(in_words(result), "transient TIMEOUT TIMEOUT") << cases[i].name;
    EXPECT_NE(result.text.find(cases[i].expected), std::string::npos) << cases[i].name << ": " << result.text;
  }
  EXPECT_GE(Steady::now() - begin, 1s);
  EXPECT_LT(Steady::now() - begin, 5s);
  for (const auto& endpoint : endpoints)
    EXPECT_TRUE(eventually([&] { return endpoint->open() == 0; })) << "the connection is not kept";
}

TEST_P(WebhookChannelTest, reads_no_more_of_an_answer_than_it_keeps) {
  const Hard cases[] = {
      {"endless body", {kHead + "\r\n", Then::for_ever, std::string(65536, 'x')}, ""},
      {"endless chunks",
       {kHead + "Transfer-Encoding: chunked\r\n\r\n", Then::for_ever,
        "8000\r\n" + std::string(0x8000, 'x') + "\r\n"},
       ""},
      {"a terabyte announced",
       {kHead + "Content-Length: 1099511627776\r\n\r\n", Then::for_ever, std::string(65536, 'x')},
       ""},
  };
  for (const Hard& c : cases) {
    ScriptedHttp endpoint({{c.scene}});
    WebhookWorld world;
    const auto before = memory_in_use();
    EXPECT_EQ(outcome(world.deliver(endpoint.url())),
              "delivered SUCCESS 200 '" + std::string(5000, 'x') + "... (truncated)'")
        << c.name;
    EXPECT_LT(memory_in_use(), before + (8U << 20)) << c.name;
    EXPECT_TRUE(eventually([&] { return endpoint.open() == 0; })) << c.name;
  }
}

TEST_P(WebhookChannelTest, does_not_unpack_a_gzip_bomb) {
  const std::string bomb = gzip_of_zeros(200U << 20);
  ScriptedHttp endpoint({{{http_answer(200, bomb, "Content-Encoding: gzip\r\n"), Then::silence}}});
  WebhookWorld world;
  const auto before = memory_in_use();
  EXPECT_EQ(outcome(world.deliver(endpoint.url())),
            "delivered SUCCESS 200 '" + std::string(5000, ' ') + "... (truncated)'");
  EXPECT_LT(memory_in_use(), before + (8U << 20));
}

// ---- connections ----

TEST_P(WebhookChannelTest, keeps_a_connection_for_the_next_one) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(outcome(world.deliver(endpoint.url())), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(endpoint.seen().size(), 20U);
  EXPECT_EQ(endpoint.connections(), 1);
}

TEST_P(WebhookChannelTest, never_sends_twice_when_a_kept_connection_ends) {
  // The library would send a POST again that got no answer on a connection it had kept.
  for (const Then then : {Then::close, Then::reset}) {
    ScriptedHttp endpoint({{{http_answer(200, "ok")}, {"", then}, {http_answer(200, "ok")}}});
    WebhookWorld world;
    EXPECT_EQ(outcome(world.deliver(endpoint.url())), "delivered SUCCESS 200 'ok'");
    EXPECT_EQ(outcome(world.deliver(endpoint.url())), "transient CONNECTION_ERROR CONNECTION_LOST");
    EXPECT_EQ(endpoint.seen().size(), 2U);
    EXPECT_EQ(endpoint.seen().back().connection, 1) << "the connection was not kept: nothing was shown";
    EXPECT_EQ(outcome(world.deliver(endpoint.url())), "delivered SUCCESS 200 'ok'");
    EXPECT_EQ(endpoint.seen().size(), 3U);
  }
}

TEST_P(WebhookChannelTest, says_when_nobody_listens) {
  std::string url;
  {
    const ScriptedHttp gone;
    url = gone.url();
  }
  WebhookWorld world;
  EXPECT_EQ(outcome(world.deliver(url)), "transient CONNECTION_ERROR CONNECT_FAILED");
}

TEST_P(WebhookChannelTest, ignores_a_proxy_of_the_environment) {
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
    ::setenv(name, "http://127.0.0.1:1", 1);
  ScriptedHttp endpoint;
  WebhookWorld world;
  EXPECT_EQ(outcome(world.deliver(endpoint.url())), "delivered SUCCESS 200 'ok'");
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
    ::unsetenv(name);
}

TEST_P(WebhookChannelTest, sends_a_large_body_without_asking_first) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  WebhookDelivery delivery = world.delivery(endpoint.url());
  delivery.content.webhook.payload = "\"" + std::string(3U << 20, 'x') + "\"";
  const std::string payload = delivery.content.webhook.payload;
  const auto begin = Steady::now();
  EXPECT_EQ(outcome(world.deliver(std::move(delivery))), "delivered SUCCESS 200 'ok'");
  EXPECT_LT(Steady::now() - begin, 900ms) << "a second is what a wait for 100 Continue takes";
  ASSERT_EQ(endpoint.seen().size(), 1U);
  EXPECT_FALSE(endpoint.seen()[0].headers.contains("expect"));
  EXPECT_TRUE(endpoint.seen()[0].body == payload);
}

TEST_P(WebhookChannelTest, trusts_only_who_it_is_told_to) {
  const TlsIdentity authority("authority.example"), other_authority("authority.example");
  const TlsIdentity right("hooks.example", authority), wrong_name("else.example", authority),
      wrong_signer("hooks.example", other_authority), self_signed("hooks.example");
  TempFolder folder;
  const std::string trusted = folder / "trusted.pem";
  std::ofstream(trusted) << authority.certificate();
  const std::tuple<const TlsIdentity*, std::string, const char*> cases[] = {
      {&right, trusted, "delivered SUCCESS 200 'ok'"},
      {&wrong_name, trusted, "transient CONNECTION_ERROR TLS_FAILED"},
      {&wrong_signer, trusted, "transient CONNECTION_ERROR TLS_FAILED"},
      {&self_signed, trusted, "transient CONNECTION_ERROR TLS_FAILED"},
      {&right, "", "transient CONNECTION_ERROR TLS_FAILED"},
  };
  for (const auto& [identity, ca_file, expected] : cases) {
    ScriptedHttp endpoint({{}, identity});
    WebhookWorld world({.ca_file = ca_file});
    EXPECT_EQ(outcome(world.deliver(endpoint.url("hooks.example"))), expected);
    EXPECT_EQ(endpoint.seen().size(), std::string(expected).starts_with("delivered") ? 1U : 0U);
  }
}

TEST_P(WebhookChannelTest, speaks_no_tls_to_who_does_not) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  const std::string url = "https://127.0.0.1:" + std::to_string(endpoint.port()) + "/";
  EXPECT_EQ(outcome(world.deliver(url, 2)).substr(0, 9), "transient");
  EXPECT_EQ(endpoint.seen().size(), 0U);
}

TEST_P(WebhookChannelTest, says_that_a_file_of_authorities_cannot_be_read) {
  SystemClock clock;
  const auto made = make_webhook_channel({.ca_file = "/nowhere/ca.pem"}, clock);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("/nowhere/ca.pem"), std::string::npos);
}

TEST_P(WebhookChannelTest, lets_no_secret_write_headers) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  for (const char* token : {"Bearer t\r\nX-Evil: 1", "Bearer t\n", "Bearer \xc3\xa4"}) {
    WebhookDelivery delivery = world.delivery(endpoint.url());
    delivery.keys.authorization = Secret(token);
    const DeliveryResult result = result_of(world.deliver(std::move(delivery)));
    EXPECT_EQ(in_words(result), "permanent CONNECTION_ERROR BAD_CREDENTIALS");
    EXPECT_EQ(result.text.find("Bearer"), std::string::npos) << "no secret in an error";
  }
  EXPECT_EQ(endpoint.connections(), 0);
}

TEST_P(WebhookChannelTest, refuses_a_url_that_should_not_have_been_accepted) {
  WebhookWorld world;
  const DeliveryResult result = result_of(world.deliver("file:///etc/passwd"));
  EXPECT_EQ(in_words(result), "permanent CONNECTION_ERROR BAD_TARGET_URL");
}

}  // namespace
}  // namespace eilbote::test::webhook_channel_test
