// With a certificate the API is reached by TLS and by nothing else, and the certificate is renewed while requests run: when its
// files change, and when somebody asks for it.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "support/eilbote_process.h"
#include "support/eventually.h"
#include "support/raw_tls_client.h"
#include "support/server_packages.h"
#include "support/temp_folder.h"
#include "support/tls_identity.h"

namespace eilbote::test::the_listener_speaks_tls {
namespace {

class ACertificate : public testing::Test {
 protected:
  void write(const TlsIdentity& identity) {
    write_text_file(folder_ / "cert.pem", identity.certificate());
    write_text_file(folder_ / "key.pem", identity.key());
  }
  std::map<std::string, std::string> environment() {
    return {{"EILBOTE_LISTEN_TLS_CERT", folder_ / "cert.pem"},
            {"EILBOTE_LISTEN_TLS_KEY", folder_ / "key.pem"}};
  }
  static std::uint16_t port_of(const EilboteProcess& server) {
    return static_cast<std::uint16_t>(std::stoi(server.url().substr(server.url().rfind(':') + 1)));
  }
  static std::string ask(std::uint16_t port, const std::string& path) {
    RawTlsClient client(port);
    client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.read_answer();
  }
  bool logs(const EilboteProcess& server, const std::string& what) {
    std::ifstream file(server.log_file());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    return text.find(what) != std::string::npos;
  }

  TempFolder folder_;
  const TlsIdentity first_{"127.0.0.1"}, second_{"127.0.0.1"}, third_{"127.0.0.1"};
};

TEST_F(ACertificate, is_shown_and_renewed_while_requests_run) {
  write(first_);
  EilboteProcess server(folder_ / "data", environment());
  server.start();
  EXPECT_TRUE(server.url().starts_with("https://")) << server.url();
  const std::uint16_t port = port_of(server);
  EXPECT_TRUE(ask(port, "/health/live").starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(RawTlsClient(port).certificate(), first_.certificate());
  EXPECT_NE(ask(port, "/metrics").find("eilbote_tls_certificate_expires_timestamp_seconds"),
            std::string::npos);

  write(second_);
  EXPECT_TRUE(eventually([&] {
    EXPECT_TRUE(ask(port, "/health/live").starts_with("HTTP/1.1 200 "));
    return RawTlsClient(port).certificate() == second_.certificate();
  })) << "the files changed";

  write_text_file(folder_ / "cert.pem", "nonsense");
  server.process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return logs(server, "the old one stays"); }));
  EXPECT_EQ(RawTlsClient(port).certificate(), second_.certificate());

  write(third_);
  server.process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return RawTlsClient(port).certificate() == third_.certificate(); }));
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(ACertificate, that_cannot_be_used_stops_the_start) {
  write(first_);
  const auto refusal = [&](std::map<std::string, std::string> environment) {
    EilboteProcess server(folder_ / "data", std::move(environment));
    EXPECT_ANY_THROW(server.start());
    std::ifstream file(server.log_file());
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_NE(refusal({{"EILBOTE_LISTEN_TLS_CERT", folder_ / "cert.pem"}}).find("need each other"),
            std::string::npos);
  write_text_file(folder_ / "key.pem", second_.key());
  EXPECT_NE(refusal(environment()).find("not the key of the certificate"), std::string::npos);
  std::filesystem::remove(folder_ / "cert.pem");
  EXPECT_NE(refusal(environment()).find("cert.pem"), std::string::npos);
}

// As a renewal does it: new files, then the signal.
TEST_F(ACertificate, swapped_by_SIGHUP_fails_no_request) {
  write(first_);
  EilboteProcess server(folder_ / "data", environment());
  server.start();
  const std::uint16_t port = port_of(server);
  std::atomic<bool> is_over{false};
  std::atomic<int> good{0}, bad{0};
  std::vector<std::jthread> clients;
  for (int i = 0; i < 3; ++i)
    clients.emplace_back([&] {
      while (!is_over)
        ask(port, "/health/live").starts_with("HTTP/1.1 200 ") ? ++good : ++bad;
    });
  for (const TlsIdentity* next : {&second_, &third_, &first_, &second_}) {
    write(*next);
    server.process().signal(SIGHUP);
    EXPECT_TRUE(eventually([&] { return RawTlsClient(port).certificate() == next->certificate(); }));
    const int before = good;
    EXPECT_TRUE(eventually([&] { return good > before + 5; }));
  }
  is_over = true;
  clients.clear();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::the_listener_speaks_tls
