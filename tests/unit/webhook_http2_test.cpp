// HTTP/2 where the endpoint offers it: many deliveries over one connection, and still never one twice.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "support/child_process.h"
#include "support/temp_folder.h"
#include "support/tls_identity.h"
#include "support/webhook_world.h"

namespace eilbote::test::webhook_http2_test {
namespace {

using namespace std::chrono_literals;

class Http2Endpoint {
 public:
  Http2Endpoint() : identity_("hooks.example") {
    std::ofstream(ca_file()) << identity_.certificate();
    std::ofstream(folder_ / "key.pem") << identity_.key();
    process_ = std::make_unique<ChildProcess>(ChildOptions{
        {"node", EILBOTE_SOURCE_DIR "/tests/node/http2_endpoint.js", ca_file(), folder_ / "key.pem"},
        {},
        folder_ / "log",
        ""});
    port_ = process_->read_line(30s).value_or("the endpoint did not start");
  }
  std::string ca_file() const { return folder_ / "certificate.pem"; }
  std::string url(const std::string& path) const { return "https://hooks.example:" + port_ + path; }
  struct Seen {
    std::string version, path, body;
    std::int64_t port = 0;  // of the client: which connection
  };
  // The next request it saw; nothing in it when none comes soon.
  Seen seen() {
    const auto line = process_->read_line(10s);
    if (!line) return {};
    const auto request = boost::json::parse(*line);
    const auto text = [&](const char* name) { return std::string(request.at(name).as_string()); };
    return {text("version"), text("path"), text("body"), request.at("port").as_int64()};
  }

 private:
  TempFolder folder_;
  TlsIdentity identity_;
  std::unique_ptr<ChildProcess> process_;
  std::string port_;
};

TEST(WebhookHttp2, is_used_and_its_connection_kept) {
  Http2Endpoint endpoint;
  WebhookWorld world({.ca_file = endpoint.ca_file()});
  std::set<std::int64_t> connections;
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(outcome(world.deliver(endpoint.url("/hook"))), "delivered SUCCESS 200 'ok'");
    const auto seen = endpoint.seen();
    EXPECT_EQ(seen.version, "2.0");
    EXPECT_EQ(seen.body, "{\"n\":" + std::to_string(i) + "}");
    connections.insert(seen.port);
  }
  EXPECT_EQ(connections.size(), 1U);
}

TEST(WebhookHttp2, refused_streams_are_not_sent_again_by_themselves) {
  Http2Endpoint endpoint;
  WebhookWorld world({.ca_file = endpoint.ca_file()});
  EXPECT_EQ(outcome(world.deliver(endpoint.url("/hook"))), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(endpoint.seen().path, "/hook");
  EXPECT_EQ(outcome(world.deliver(endpoint.url("/refused"))), "transient CONNECTION_ERROR CONNECTION_LOST");
  EXPECT_EQ(endpoint.seen().path, "/refused");
  EXPECT_EQ(outcome(world.deliver(endpoint.url("/after"))), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(endpoint.seen().path, "/after") << "one request per attempt";
}

}  // namespace
}  // namespace eilbote::test::webhook_http2_test
