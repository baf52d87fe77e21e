// The HTTP server over a real loopback socket: what a client sends byte by byte, and what comes back.
#include "net/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "metrics/metrics.h"
#include "net/peer_counts.h"
#include "support/echo_handler.h"
#include "support/eventually.h"
#include "support/raw_http_client.h"

namespace eilbote::http_server_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::EchoHandler;
using test::get;
using test::post;
using test::RawHttpClient;

class HttpServerTest : public testing::Test {
 protected:
  void start(HttpServerOptions options = {}) {
    server_ = make_http_server(options, handler_, &metrics_);
    ASSERT_TRUE(server_->start());
  }
  std::uint16_t port() const { return server_->port(); }

  Metrics metrics_;
  EchoHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(HttpServerTest, answers_one_request_after_the_other_on_one_connection) {
  start();
  RawHttpClient client(port());
  for (int i = 0; i < 3; ++i) {
    client.send(post("/a", "12345"));
    const std::string answer = client.read_answer();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\nDate: ")) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\nPOST /a 5")) << answer;
    EXPECT_FALSE(has(answer, "Connection: close"));
  }
}

TEST_F(HttpServerTest, pipelined_requests_are_answered_in_order) {
  start();
  RawHttpClient client(port());
  client.send(get("/1") + post("/later", "abc") + get("/3") + get("/nothing") + get("/5"));
  EXPECT_TRUE(client.read_answer().ends_with("GET /1 0"));
  EXPECT_TRUE(client.read_answer().ends_with("POST /later 3"));
  EXPECT_TRUE(client.read_answer().ends_with("GET /3 0"));
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 204 "));
  EXPECT_TRUE(client.read_answer().ends_with("GET /5 0"));
}

TEST_F(HttpServerTest, a_request_may_come_byte_by_byte) {
  start();
  RawHttpClient client(port());
  for (const char c : post("/slow", "body"))
    client.send(std::string(1, c));
  EXPECT_TRUE(client.read_answer().ends_with("POST /slow 4"));
}

TEST_F(HttpServerTest, chunked_bodies_are_joined_and_trailers_dropped) {
  start();
  RawHttpClient client(port());
  client.send("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  client.send("6;ext=1\r\n world\r\n0\r\nX-Trailer: no\r\n\r\n" + get("/next"));
  EXPECT_TRUE(client.read_answer().ends_with("POST /c 11"));
  EXPECT_TRUE(client.read_answer().ends_with("GET /next 0"));
}

TEST_F(HttpServerTest, large_bodies_arrive_whole) {
  start();
  RawHttpClient client(port());
  client.send(post("/large", std::string(20 * 1024 * 1024, 'z')));
  EXPECT_TRUE(client.read_answer().ends_with("POST /large 20971520"));
}

TEST_F(HttpServerTest, large_answers_arrive_whole) {
  start();
  RawHttpClient client(port());
  client.send(get("/big"));
  EXPECT_GT(client.read_answer().size(), 8u * 1024 * 1024);
}

TEST_F(HttpServerTest, expect_continue_is_answered_before_the_body_is_sent) {
  start();
  RawHttpClient client(port());
  client.send("POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_TRUE(client.read_answer().ends_with("POST /e 3"));
}

TEST_F(HttpServerTest, a_body_too_large_to_be_expected_is_refused_instead) {
  start({.body_bytes_max = 10});
  RawHttpClient client(port());
  client.send("POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 413 "));
  EXPECT_EQ(handler_.handled(), 0);
}

TEST_F(HttpServerTest, head_has_the_header_of_get_and_no_body) {
  start();
  RawHttpClient client(port());
  client.send("HEAD /h HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = client.read_to_end();
  EXPECT_TRUE(has(answer, "Content-Length: 9\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(HttpServerTest, http_10_closes_unless_asked_to_stay) {
  start();
  RawHttpClient closing(port());
  closing.send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(has(closing.read_to_end(), "Connection: close\r\n"));
  RawHttpClient staying(port());
  staying.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(has(staying.read_answer(), "Connection: keep-alive\r\n"));
}

struct BadHttp {
  const char* name;
  std::string bytes;
  int status;
};
class BadHttpTest : public HttpServerTest, public testing::WithParamInterface<BadHttp> {};

TEST_P(BadHttpTest, is_refused_with_a_problem_and_never_handled) {
  start({.body_bytes_max = 1024});
  RawHttpClient client(port());
  client.send(GetParam().bytes);
  client.end_sending();
  const std::string answer = client.read_to_end();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + std::to_string(GetParam().status))) << answer;
  EXPECT_TRUE(has(answer, "application/problem+json"));
  EXPECT_TRUE(has(answer, "Connection: close"));
  EXPECT_EQ(handler_.handled(), 0);
  RawHttpClient next(port());
  next.send(get("/alive"));
  EXPECT_TRUE(next.read_answer().ends_with("GET /alive 0"));
}

const std::string kPostHead = "POST / HTTP/1.1\r\nHost: x\r\n";
INSTANTIATE_TEST_SUITE_P(
    Http, BadHttpTest,
    testing::Values(
        BadHttp{"garbage", "hello there\r\n\r\n", 400},
        BadHttp{"tls_hello", "\x16\x03\x01\x02\x01\r\n\r\n", 400},
        BadHttp{"version", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", 400},
        BadHttp{"no_host", "GET / HTTP/1.1\r\n\r\n", 400},
        BadHttp{"two_hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        BadHttp{"bad_length", kPostHead + "Content-Length: five\r\n\r\n", 400},
        BadHttp{"negative_length", kPostHead + "Content-Length: -1\r\n\r\n", 400},
        BadHttp{"two_lengths", kPostHead + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
        BadHttp{"length_and_chunked", kPostHead + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na",
                400},
        BadHttp{"unknown_coding", kPostHead + "Transfer-Encoding: gzip\r\n\r\n", 400},
        BadHttp{"coding_after_chunked", kPostHead + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400},
        BadHttp{"bad_chunk", kPostHead + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
        BadHttp{"endless_chunk_header",
                kPostHead + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(40'000, 'a'), 400},
        BadHttp{"truncated_header", "GET / HTTP/1.1\r\nHos", 400},
        BadHttp{"truncated_body", kPostHead + "Content-Length: 10\r\n\r\nabc", 400},
        BadHttp{"truncated_chunks", kPostHead + "Transfer-Encoding: chunked\r\n\r\n5\r\nab", 400},
        BadHttp{"large_header", "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(40'000, 'a') + "\r\n\r\n",
                431},
        BadHttp{"long_target", "GET /" + std::string(40'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
        BadHttp{"large_body", kPostHead + "Content-Length: 1025\r\n\r\n" + std::string(1025, 'a'), 413},
        BadHttp{"huge_length", kPostHead + "Content-Length: 99999999999\r\n\r\n", 413},
        BadHttp{"large_chunk",
                kPostHead + "Transfer-Encoding: chunked\r\n\r\n800\r\n" + std::string(2048, 'a'), 413},
        BadHttp{"expectation", kPostHead + "Expect: tea\r\nContent-Length: 1\r\n\r\na", 417}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(HttpServerTest, a_slow_header_is_timed_out_by_its_deadline) {
  start({.header_timeout = milliseconds{100}});
  RawHttpClient client(port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n");
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 408 "));
}

TEST_F(HttpServerTest, a_client_that_says_nothing_is_closed) {
  start({.header_timeout = milliseconds{50}});
  RawHttpClient client(port());
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(HttpServerTest, a_body_that_stops_is_timed_out) {
  start({.body_progress_timeout = milliseconds{100}});
  RawHttpClient client(port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc");
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 408 "));
  RawHttpClient chunked(port());
  chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
  EXPECT_TRUE(chunked.read_to_end().starts_with("HTTP/1.1 408 "));
  EXPECT_EQ(handler_.handled(), 0);
}

TEST_F(HttpServerTest, a_slow_body_that_moves_on_is_taken) {
  start({.body_progress_timeout = milliseconds{400}});
  RawHttpClient client(port());
  client.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 40960\r\n\r\n");
  std::mutex mutex;
  std::condition_variable never;
  // Twice the timeout in all, with a pause between the parts that is well inside it.
  for (int i = 0; i < 20; ++i) {
    client.send(std::string(2048, 'a'));
    std::unique_lock lock(mutex);
    never.wait_for(lock, milliseconds{40});
  }
  EXPECT_TRUE(client.read_answer().ends_with("POST /slow 40960"));
}

TEST_F(HttpServerTest, bytes_over_the_budget_are_refused_and_come_back_when_answered) {
  start({.budget_bytes = 1000});
  RawHttpClient first(port());
  first.send(post("/held", std::string(800, 'a')));
  handler_.wait_for_held(1);
  RawHttpClient second(port());
  second.send(post("/b", std::string(300, 'b')));
  EXPECT_TRUE(second.read_to_end().starts_with("HTTP/1.1 429 "));
  RawHttpClient chunked(port());
  chunked.send("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n12c\r\n" +
               std::string(300, 'c') + "\r\n0\r\n\r\n");
  EXPECT_TRUE(chunked.read_to_end().starts_with("HTTP/1.1 429 "));
  RawHttpClient small(port());
  small.send(post("/s", std::string(100, 's')));
  EXPECT_TRUE(small.read_answer().ends_with("POST /s 100"));
  handler_.release_held();
  EXPECT_TRUE(first.read_answer().ends_with("POST /held 800"));
  small.send(post("/b", std::string(300, 'b')));
  EXPECT_TRUE(small.read_answer().ends_with("POST /b 300"));
  EXPECT_TRUE(has(metrics_.render(), R"(eilbote_http_overload_total{cause="request_bytes"} 2)"));
}

TEST_F(HttpServerTest, a_client_gone_before_its_answer_does_no_harm) {
  start();
  {
    RawHttpClient client(port());
    client.send(get("/held"));
    handler_.wait_for_held(1);
  }
  handler_.release_held();
  RawHttpClient next(port());
  next.send(get("/alive"));
  EXPECT_TRUE(next.read_answer().ends_with("GET /alive 0"));
}

TEST_F(HttpServerTest, an_answer_after_the_server_is_gone_does_nothing) {
  start({.drain_timeout = milliseconds{20}});
  RawHttpClient client(port());
  client.send(get("/held"));
  handler_.wait_for_held(1);
  server_.reset();
  handler_.release_held();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(HttpServerTest, a_handler_that_throws_or_forgets_is_answered_500) {
  start();
  RawHttpClient client(port());
  client.send(get("/throw") + get("/forget"));
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 500 "));
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, connections_over_the_limit_are_told_so) {
  start({.connections_max = 1});
  RawHttpClient first(port());
  first.send(get("/1"));
  EXPECT_TRUE(first.read_answer().ends_with("GET /1 0"));
  RawHttpClient second(port());
  EXPECT_TRUE(second.read_to_end().starts_with("HTTP/1.1 429 "));
  first.send(get("/2"));
  EXPECT_TRUE(first.read_answer().ends_with("GET /2 0"));
}

TEST_F(HttpServerTest, one_peer_cannot_have_all_connections) {
  start({.connections_per_peer_max = 2});
  {
    RawHttpClient first(port()), second(port());
    second.send(get("/2"));
    EXPECT_TRUE(second.read_answer().ends_with("GET /2 0"));
    RawHttpClient third(port());
    const std::string refused = third.read_to_end();
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 429 ")) << refused;
    EXPECT_TRUE(has(refused, "from this address")) << refused;
    first.send(get("/1"));
    EXPECT_TRUE(first.read_answer().ends_with("GET /1 0"));
  }
  EXPECT_TRUE(has(metrics_.render(), R"(eilbote_http_overload_total{cause="peer_connections"} 1)"));
  // Those are gone, and there is room again.
  EXPECT_TRUE(test::eventually([&] {
    RawHttpClient again(port());
    again.send(get("/again"));
    return again.read_answer().ends_with("GET /again 0");
  }));
}

TEST_F(HttpServerTest, a_flood_of_connections_costs_no_answers_to_the_others) {
  start({.connections_per_peer_max = 20});
  RawHttpClient good(port());
  std::vector<std::unique_ptr<RawHttpClient>> flood;
  for (int i = 0; i < 200; ++i)
    flood.push_back(std::make_unique<RawHttpClient>(port()));
  for (int i = 0; i < 20; ++i) {
    good.send(get("/good"));
    EXPECT_TRUE(good.read_answer().ends_with("GET /good 0"));
  }
}

TEST_F(HttpServerTest, a_client_that_does_not_read_is_closed) {
  start({.connections_per_peer_max = 1, .write_timeout = milliseconds{200}});
  RawHttpClient deaf(port());
  // More than the buffers between the two hold.
  for (int i = 0; i < 8; ++i)
    deaf.send(get("/big"));
  // There is room for another one as soon as this one was given up.
  EXPECT_TRUE(test::eventually([&] {
    RawHttpClient other(port());
    other.send(get("/ok"));
    return other.read_answer().ends_with("GET /ok 0");
  }));
  EXPECT_LT(handler_.handled(), 8 + 1) << "all answers were taken; the test sends too little";
}

TEST_F(HttpServerTest, answers_carry_the_headers_that_keep_browsers_and_caches_out) {
  start();
  RawHttpClient client(port());
  client.send(get("/a"));
  const std::string answer = client.read_answer();
  EXPECT_TRUE(has(answer, "X-Content-Type-Options: nosniff\r\n")) << answer;
  EXPECT_TRUE(has(answer, "Cache-Control: no-store\r\n")) << answer;
  EXPECT_FALSE(has(answer, "Server:")) << answer;
  EXPECT_FALSE(has(answer, "Strict-Transport-Security")) << "only TLS can promise TLS";
}

TEST(PeerCounts, counts_an_ipv6_network_as_one) {
  const auto peer = [](const char* text) { return PeerCounts::peer_of(boost::asio::ip::make_address(text)); };
  EXPECT_EQ(peer("2001:db8:1:2::1"), peer("2001:db8:1:2:ffff::7"));
  EXPECT_NE(peer("2001:db8:1:2::1"), peer("2001:db8:1:3::1"));
  EXPECT_NE(peer("192.0.2.1"), peer("192.0.2.2"));
  EXPECT_EQ(peer("192.0.2.1"), peer("::ffff:192.0.2.1"));
  PeerCounts counts;
  EXPECT_EQ(counts.enter(peer("192.0.2.1")), 1U);
  EXPECT_EQ(counts.enter(peer("192.0.2.1")), 2U);
  EXPECT_EQ(counts.enter(peer("192.0.2.2")), 1U);
  counts.leave(peer("192.0.2.1"));
  EXPECT_EQ(counts.enter(peer("192.0.2.1")), 2U);
}

TEST_F(HttpServerTest, stopping_answers_what_is_under_way_and_closes_the_rest) {
  start();
  RawHttpClient idle(port()), busy(port());
  idle.send(get("/idle"));
  EXPECT_TRUE(idle.read_answer().ends_with("GET /idle 0"));
  busy.send(get("/held"));
  handler_.wait_for_held(1);
  server_->stop_accepting();
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_THROW(RawHttpClient{port()}, std::runtime_error);
  handler_.release_held();
  EXPECT_TRUE(has(busy.read_to_end(), "Connection: close"));
  server_->stop();
  server_->stop();
}

TEST_F(HttpServerTest, many_clients_on_several_threads) {
  start({.threads = 3});
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int c = 0; c < 8; ++c)
    clients.emplace_back([&] {
      RawHttpClient client(port());
      for (int i = 0; i < 200; ++i) {
        client.send(post("/later", "x"));
        if (client.read_answer().ends_with("POST /later 1")) ++good;
      }
    });
  for (std::thread& client : clients)
    client.join();
  EXPECT_EQ(good, 1600);
}

TEST_F(HttpServerTest, an_address_that_cannot_be_had_is_said) {
  start();
  const auto other = make_http_server({.port = port()}, handler_, nullptr);
  const auto started = other->start();
  ASSERT_FALSE(started);
  EXPECT_TRUE(has(started.error().message, std::to_string(port())));
  const auto nonsense = make_http_server({.host = "nowhere"}, handler_, nullptr);
  EXPECT_FALSE(nonsense->start());
}

}  // namespace
}  // namespace eilbote::http_server_test
