// Answers that go on, over real loopback sockets: events in order for who reads, the newest for who does not, and an end for every
// one of them: by the handler, by the client, by its silence, by a stop.
#include <gtest/gtest.h>

#include <fstream>

#include "metrics/metrics.h"
#include "net/http_server.h"
#include "net/server_tls.h"
#include "support/echo_handler.h"
#include "support/eventually.h"
#include "support/raw_http_client.h"
#include "support/raw_tls_client.h"
#include "support/streaming_handler.h"
#include "support/temp_folder.h"
#include "support/tls_identity.h"

namespace eilbote::test::http_stream_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class HttpStreams : public testing::Test {
 protected:
  void start(HttpServerOptions options = {}) {
    server_ = make_http_server(options, handler_, &metrics_);
    ASSERT_TRUE(server_->start());
  }
  std::uint16_t port() const { return server_->port(); }
  // Of a stream that has ended on one side; the other side has to see it.
  static bool ends(const std::shared_ptr<HttpStream>& stream) {
    return eventually([&] { return !stream->is_open(); });
  }

  Metrics metrics_;
  StreamingHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

constexpr const char* kFirst = "5\r\nhello\r\n";
constexpr const char* kLast = "0\r\n\r\n";

TEST_F(HttpStreams, events_come_one_after_the_other_until_the_end) {
  start();
  RawHttpClient client(port());
  client.send(get("/"));
  const std::string header = client.read_until("\r\n\r\n");
  EXPECT_NE(header.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << header;
  EXPECT_NE(header.find("Connection: close\r\n"), std::string::npos) << header;
  EXPECT_EQ(header.find("Content-Length"), std::string::npos) << header;
  EXPECT_EQ(client.read_until("hello\r\n"), kFirst);
  const auto stream = handler_.stream(0);
  ASSERT_TRUE(stream);
  for (const std::string text : {"one", "another, longer one"}) {
    stream->send(event(text));
    EXPECT_TRUE(client.read_until(text + "\r\n").ends_with("\r\n" + text + "\r\n"));
  }
  EXPECT_TRUE(stream->is_open());
  stream->end();
  EXPECT_FALSE(stream->is_open());
  stream->send(event("too late"));
  EXPECT_EQ(client.read_to_end(), kLast);
}

TEST_F(HttpStreams, what_waits_is_sent_before_the_end) {
  start();
  RawHttpClient client(port());
  client.send(get("/"));
  const auto stream = handler_.stream(0);
  ASSERT_TRUE(stream);
  stream->send(event("last words"));
  stream->end();
  EXPECT_TRUE(client.read_to_end().ends_with(std::string("a\r\nlast words\r\n") + kLast));
}

TEST_F(HttpStreams, http_10_gets_it_without_chunks) {
  start();
  RawHttpClient client(port());
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string header = client.read_until("\r\n\r\n");
  EXPECT_EQ(header.find("Transfer-Encoding"), std::string::npos) << header;
  EXPECT_NE(header.find("Connection: close\r\n"), std::string::npos) << header;
  EXPECT_EQ(client.read_until("hello"), "hello");
  handler_.stream(0)->send(event(" and more"));
  handler_.stream(0)->end();
  EXPECT_EQ(client.read_to_end(), " and more");
}

TEST_F(HttpStreams, head_begins_no_stream_and_keeps_the_connection) {
  start();
  RawHttpClient client(port());
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + get("/plain"));
  EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
  EXPECT_TRUE(client.read_answer().ends_with("\r\n\r\nplain"));
  EXPECT_EQ(handler_.begun(), 0U);
}

TEST_F(HttpStreams, what_is_pipelined_behind_it_is_not_answered) {
  start();
  RawHttpClient client(port());
  client.send(get("/") + get("/plain"));
  client.read_until("hello\r\n");
  client.send(get("/plain") + std::string(100'000, 'x'));
  handler_.stream(0)->send(event("still here"));
  EXPECT_TRUE(client.read_until("still here\r\n").ends_with("still here\r\n"));
  handler_.stream(0)->end();
  EXPECT_EQ(client.read_to_end(), kLast);
}

TEST_F(HttpStreams, a_client_that_is_gone_is_noticed_without_an_event) {
  start();
  {
    RawHttpClient client(port());
    client.send(get("/"));
    client.read_until("hello\r\n");
  }
  EXPECT_TRUE(ends(handler_.stream(0)));
}

TEST_F(HttpStreams, who_reads_slowly_gets_the_newest_event_whole) {
  start();
  RawHttpClient client(port());
  client.send(get("/"));
  client.read_until("hello\r\n");
  const auto stream = handler_.stream(0);
  // Far more than the sockets between the two hold.
  const std::string tail(64 * 1024, 'x');
  constexpr int kEvents = 2000;
  for (int i = 0; i < kEvents; ++i)
    stream->send(event("event " + std::to_string(i) + tail + "|"));
  stream->end();
  std::string all = client.read_to_end();
  EXPECT_LT(all.size(), tail.size() * kEvents / 2) << "a queue";
  EXPECT_NE(all.find("event " + std::to_string(kEvents - 1) + tail + "|"), std::string::npos);
  EXPECT_TRUE(all.ends_with(kLast));
}

TEST_F(HttpStreams, who_takes_nothing_is_closed_after_the_write_timeout) {
  start({.write_timeout = milliseconds{300}});
  RawHttpClient client(port());
  client.send(get("/"));
  client.read_until("hello\r\n");
  const auto stream = handler_.stream(0);
  const std::string large(64 * 1024, 'x');
  EXPECT_TRUE(eventually([&] {
    stream->send(event(large));
    return !stream->is_open();
  }));
}

TEST_F(HttpStreams, who_reads_is_not_closed_for_want_of_events) {
  start({.idle_timeout = milliseconds{100}, .write_timeout = milliseconds{100}});
  RawHttpClient client(port()), other(port());
  client.send(get("/"));
  client.read_until("hello\r\n");
  EXPECT_EQ(other.read_to_end(), "") << "the other one was idle, and is closed";
  handler_.stream(0)->send(event("later"));
  EXPECT_EQ(client.read_until("later\r\n"), "5\r\nlater\r\n");
}

TEST_F(HttpStreams, a_stop_ends_them_at_once) {
  start({.drain_timeout = seconds{30}});
  RawHttpClient reading(port()), silent(port());
  reading.send(get("/"));
  reading.read_until("hello\r\n");
  silent.send(get("/"));
  const auto stuck = handler_.stream(1);
  for (int i = 0; i < 500; ++i)
    stuck->send(event(std::string(64 * 1024, 'x')));
  const auto began = std::chrono::steady_clock::now();
  server_->stop_accepting();
  EXPECT_TRUE(ends(handler_.stream(0)));
  EXPECT_EQ(reading.read_to_end(), kLast);
  server_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds{5});
  EXPECT_FALSE(stuck->is_open());
  stuck->send(event("to nobody"));
  stuck->end();
  server_.reset();
  stuck->end();
}

TEST_F(HttpStreams, under_tls_they_are_the_same) {
  const TempFolder folder;
  const TlsIdentity identity{"127.0.0.1"};
  std::ofstream(folder / "cert.pem") << identity.certificate();
  std::ofstream(folder / "key.pem") << identity.key();
  auto tls = ServerTls::load({folder / "cert.pem", folder / "key.pem"}, &metrics_);
  ASSERT_TRUE(tls) << tls.error().message;
  start({.tls = tls->get()});
  auto client = std::make_unique<RawTlsClient>(port());
  client->send(get("/") + get("/plain"));
  EXPECT_TRUE(client->read_until("hello\r\n").ends_with(kFirst));
  const auto stream = handler_.stream(0);
  const std::string large(300 * 1024, 'x');
  for (const std::string& text : {std::string("one"), large, std::string("another")}) {
    stream->send(event(text));
    EXPECT_TRUE(client->read_until(text + "\r\n").ends_with("\r\n" + text + "\r\n"));
    client->send(get("/plain"));
  }
  client.reset();
  EXPECT_TRUE(ends(stream));
  RawTlsClient second(port());
  second.send(get("/"));
  second.read_until("hello\r\n");
  handler_.stream(1)->end();
  EXPECT_TRUE(second.read_until("0\r\n\r\n").ends_with("0\r\n\r\n"));
  server_->stop();
}

}  // namespace
}  // namespace eilbote::test::http_stream_test
