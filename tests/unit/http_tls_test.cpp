// The HTTP server under TLS, over a real loopback socket: who gets in, who does not, and a certificate that changes meanwhile.
#include <gtest/gtest.h>
#include <utime.h>

#include <atomic>
#include <fstream>

#include "metrics/metrics.h"
#include "net/http_server.h"
#include "net/server_tls.h"
#include "support/echo_handler.h"
#include "support/eventually.h"
#include "support/raw_http_client.h"
#include "support/raw_tls_client.h"
#include "support/temp_folder.h"
#include "support/tls_identity.h"

namespace eilbote::test::http_tls_test {
namespace {

using std::chrono::milliseconds;

class HttpTls : public testing::Test {
 protected:
  void SetUp() override { write(first_); }

  // As those who renew certificates do it: a new file in the place of the old one.
  void put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / (name + ".new")) << text;
    std::filesystem::rename(folder_ / (name + ".new"), folder_ / name);
  }
  void write(const TlsIdentity& identity) {
    put("cert.pem", identity.certificate());
    put("key.pem", identity.key());
  }
  void start(HttpServerOptions options = {}) {
    auto loaded = load();
    ASSERT_TRUE(loaded) << loaded.error().message;
    tls_ = std::move(*loaded);
    options.tls = tls_.get();
    server_ = make_http_server(options, handler_, &metrics_);
    ASSERT_TRUE(server_->start());
  }
  ServerTlsFiles files() const { return {folder_ / "cert.pem", folder_ / "key.pem"}; }
  Result<std::unique_ptr<ServerTls>> load() { return ServerTls::load(files(), &metrics_); }
  Result<void> reload() { return tls_->reload(files()); }
  std::uint16_t port() const { return server_->port(); }
  std::string answer_to(const std::string& request) {
    RawTlsClient client(port());
    client.send(request);
    return client.read_answer();
  }
  int failed_handshakes() {
    const std::string text = metrics_.render(), name = "\neilbote_tls_handshakes_failed_total ";
    const auto at = text.find(name);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
  }

  TempFolder folder_;
  const TlsIdentity first_{"127.0.0.1"}, second_{"127.0.0.1"};
  Metrics metrics_;
  EchoHandler handler_;
  std::unique_ptr<ServerTls> tls_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpTls, answers_and_asks_to_stay_with_tls) {
  start();
  RawTlsClient client(port(), {.alpn = "http/1.1"});
  ASSERT_TRUE(client.is_open());
  EXPECT_EQ(client.chosen_protocol(), "http/1.1");
  EXPECT_EQ(client.certificate(), first_.certificate());
  for (int i = 0; i < 3; ++i) {
    client.send(post("/a", "12345"));
    const std::string answer = client.read_answer();
    EXPECT_TRUE(answer.ends_with("\r\n\r\nPOST /a 5")) << answer;
    EXPECT_NE(answer.find("Strict-Transport-Security: max-age=31536000\r\n"), std::string::npos) << answer;
  }
  client.send(get("/1") + get("/later") + get("/3"));
  EXPECT_TRUE(client.read_answer().ends_with("GET /1 0"));
  EXPECT_TRUE(client.read_answer().ends_with("GET /later 0"));
  EXPECT_TRUE(client.read_answer().ends_with("GET /3 0"));
}

TEST_F(HttpTls, carries_large_bodies_both_ways) {
  start();
  RawTlsClient client(port());
  client.send(post("/upload", std::string(3 * 1024 * 1024, 'x')));
  EXPECT_TRUE(client.read_answer().ends_with("POST /upload 3145728"));
  client.send(get("/big"));
  EXPECT_GT(client.read_answer().size(), 8U * 1024 * 1024);
  client.send("POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_answer(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ab");
  EXPECT_TRUE(client.read_answer().ends_with("POST /e 2"));
}

TEST_F(HttpTls, says_goodbye_when_it_closes) {
  start();
  RawTlsClient client(port());
  client.send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(client.read_to_end().ends_with("GET /a 0"));
  EXPECT_TRUE(client.was_told_the_end());
  RawTlsClient bad(port());
  bad.send("nonsense\r\n\r\n");
  EXPECT_TRUE(bad.read_to_end().starts_with("HTTP/1.1 400 "));
}

TEST_F(HttpTls, speaks_1_2_and_1_3_and_nothing_older) {
  start();
  EXPECT_EQ(RawTlsClient(port(), {.version_max = TLS1_3_VERSION}).version(), "TLSv1.3");
  EXPECT_EQ(RawTlsClient(port(), {.version_max = TLS1_2_VERSION}).version(), "TLSv1.2");
  EXPECT_FALSE(RawTlsClient(port(), {.version_max = TLS1_1_VERSION}).is_open());
  EXPECT_FALSE(RawTlsClient(port(), {.version_max = TLS1_VERSION}).is_open());
  EXPECT_FALSE(RawTlsClient(port(), {.alpn = "h2"}).is_open()) << "a protocol it does not speak";
  EXPECT_TRUE(eventually([&] { return failed_handshakes() == 3; })) << failed_handshakes();
}

TEST_F(HttpTls, tells_plain_http_where_it_is) {
  start();
  for (const std::string& request :
       {get("/"), post("/messages", "{}"), std::string("HEAD / HTTP/1.1\r\n\r\n")}) {
    RawHttpClient client(port());
    client.send(request);
    const std::string answer = client.read_to_end();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
    EXPECT_NE(answer.find("https://"), std::string::npos) << answer;
  }
  EXPECT_EQ(handler_.handled(), 0);
}

TEST_F(HttpTls, closes_on_noise) {
  start();
  for (const std::string& noise :
       {std::string("SSH-2.0-OpenSSH_9.2\r\n"), std::string(5000, '\xff'),
        std::string("\x16\x03\x01\xff\xff", 5) + std::string(70'000, 'a'),
        std::string("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03", 10), std::string(64, '\0')}) {
    RawHttpClient client(port());
    client.send(noise);
    client.end_sending();
    EXPECT_EQ(client.read_to_end().find("HTTP/1.1"), std::string::npos);
  }
  EXPECT_TRUE(answer_to(get("/after")).ends_with("GET /after 0"));
}

TEST_F(HttpTls, does_not_wait_for_a_handshake_for_ever) {
  start({.handshake_timeout = milliseconds{100}});
  RawHttpClient silent(port()), half(port());
  half.send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9));
  EXPECT_EQ(silent.read_to_end(), "");
  EXPECT_EQ(half.read_to_end(), "");
  EXPECT_TRUE(answer_to(get("/after")).ends_with("GET /after 0"));
}

TEST_F(HttpTls, times_out_a_header_that_drips) {
  start({.header_timeout = milliseconds{150}});
  RawTlsClient client(port());
  client.send("GET / HTTP/1.1\r\nHo");
  const std::string answer = client.read_to_end();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
}

TEST_F(HttpTls, closes_what_is_over_the_limit) {
  start({.connections_per_peer_max = 1});
  RawTlsClient first(port());
  ASSERT_TRUE(first.is_open());
  EXPECT_FALSE(RawTlsClient(port()).is_open());
  first.send(get("/1"));
  EXPECT_TRUE(first.read_answer().ends_with("GET /1 0"));
}

// ---- the certificate changes ----

TEST_F(HttpTls, shows_a_new_certificate_to_new_connections) {
  start();
  RawTlsClient old(port());
  tls_->reload_if_changed();
  EXPECT_EQ(RawTlsClient(port()).certificate(), first_.certificate());
  write(second_);
  tls_->reload_if_changed();
  EXPECT_EQ(RawTlsClient(port()).certificate(), second_.certificate());
  old.send(get("/old"));
  EXPECT_TRUE(old.read_answer().ends_with("GET /old 0")) << "a connection under the old one goes on";
  EXPECT_NE(metrics_.render().find("\neilbote_tls_certificate_expires_timestamp_seconds "),
            std::string::npos);
}

TEST_F(HttpTls, keeps_the_old_certificate_when_the_new_one_is_broken) {
  start();
  const std::string half = second_.certificate().substr(0, 200);
  const struct {
    std::string certificate, key;
    const char* complaint;
  } cases[] = {
      {"nonsense", second_.key(), "cert.pem: no certificate"},
      {half, second_.key(), "cert.pem: no certificate"},
      {"", second_.key(), "cert.pem: no certificate"},
      {second_.certificate(), "nonsense", "key.pem: no private key"},
      {second_.certificate(), first_.key(), "key.pem: not the key of the certificate"},
      {second_.certificate(), "", "key.pem: no private key"},
  };
  for (const auto& c : cases) {
    put("cert.pem", c.certificate);
    put("key.pem", c.key);
    const auto done = reload();
    ASSERT_FALSE(done) << c.complaint;
    EXPECT_NE(done.error().message.find(c.complaint), std::string::npos) << done.error().message;
    EXPECT_EQ(RawTlsClient(port()).certificate(), first_.certificate()) << c.complaint;
    EXPECT_FALSE(load()) << "would start with it";
  }
  std::filesystem::remove(folder_ / "cert.pem");
  EXPECT_FALSE(reload());
  write(second_);
  tls_->reload_if_changed();
  EXPECT_EQ(RawTlsClient(port()).certificate(), second_.certificate()) << "the way back";
}

TEST_F(HttpTls, may_move_to_other_files) {
  start();
  put("new-cert.pem", second_.certificate());
  put("new-key.pem", first_.key());
  const ServerTlsFiles moved{folder_ / "new-cert.pem", folder_ / "new-key.pem"};
  EXPECT_FALSE(tls_->reload(moved));
  EXPECT_EQ(RawTlsClient(port()).certificate(), first_.certificate());
  put("new-key.pem", second_.key());
  EXPECT_TRUE(tls_->reload(moved));
  EXPECT_EQ(RawTlsClient(port()).certificate(), second_.certificate());
  put("cert.pem", "nonsense");
  tls_->reload_if_changed();
  EXPECT_EQ(RawTlsClient(port()).certificate(), second_.certificate()) << "nobody looks there any more";
}

TEST_F(HttpTls, loses_no_request_while_certificates_change) {
  start({.threads = 2});
  std::atomic<bool> is_over{false};
  std::atomic<int> good{0}, bad{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i)
    clients.emplace_back([&] {
      while (!is_over) {
        RawTlsClient client(port());
        for (int n = 0; n < 3; ++n) {
          client.send(post("/x", "abc"));
          client.read_answer().ends_with("POST /x 3") ? ++good : ++bad;
        }
      }
    });
  for (int i = 0; i < 20; ++i) {
    write(i % 2 == 0 ? second_ : first_);
    EXPECT_TRUE(reload());
    const int before = good;
    EXPECT_TRUE(eventually([&] { return good > before + 5; }));
  }
  is_over = true;
  for (std::thread& client : clients)
    client.join();
  EXPECT_EQ(bad, 0);
  EXPECT_GT(good, 100);
}

}  // namespace
}  // namespace eilbote::test::http_tls_test
