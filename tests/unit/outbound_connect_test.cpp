// The outbound guard where it counts: nothing is connected to that it forbids, whatever a name says from one moment to the next.
#include <gtest/gtest.h>

#include <deque>
#include <future>

#include "net/http_client.h"
#include "net/outbound_names.h"
#include "support/scripted_http.h"
#include "support/webhook_world.h"

namespace eilbote::test::outbound_connect_test {
namespace {

using namespace std::chrono_literals;

OutboundForbids forbids(const OutboundGate& gate) {
  return [&gate](const std::string& host, const boost::asio::ip::address& address, std::uint16_t port) {
    return gate.check(host, address, port);
  };
}

std::vector<OutboundAllow> allow(const std::string& text) {
  return parse_outbound_allow(text).value();
}

WebhookChannelOptions guarded(const OutboundGate& gate) {
  WebhookChannelOptions options;
  options.forbids = forbids(gate);
  return options;
}

std::string url_to(const std::string& host, const ScriptedHttp& endpoint) {
  return endpoint.url(host);
}

TEST(OutboundConnect, goes_to_no_address_inside) {
  ScriptedHttp sink;
  const OutboundGate gate({});
  WebhookWorld world(guarded(gate));
  world.names.leads_to("inside.example", {"127.0.0.1"});
  world.names.leads_to("mixed.example", {"8.8.8.8", "127.0.0.1"});
  world.names.leads_to("mapped.example", {"::ffff:127.0.0.1"});
  for (const char* host : {"127.0.0.1", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "inside.example",
                           "mixed.example", "mapped.example"}) {
    const DeliveryResult result = result_of(world.deliver(url_to(host, sink)));
    EXPECT_EQ(in_words(result), "permanent CONNECTION_ERROR TARGET_REFUSED") << host;
    EXPECT_NE(result.text.find("EILBOTE_OUTBOUND_ALLOW"), std::string::npos) << result.text;
    EXPECT_EQ(result.text.find("127.0.0"), std::string::npos)
        << "shows what a name leads to: " << result.text;
  }
  EXPECT_EQ(sink.connections(), 0);
}

TEST(OutboundConnect, goes_where_the_operator_allows) {
  ScriptedHttp allowed, other;
  const OutboundGate gate(allow("127.0.0.1:" + std::to_string(allowed.port()) + ",inside.example"));
  WebhookWorld world(guarded(gate));
  world.names.leads_to("inside.example", {"127.0.0.1"});
  EXPECT_EQ(outcome(world.deliver(allowed.url())), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(outcome(world.deliver(other.url())), "permanent CONNECTION_ERROR TARGET_REFUSED");
  EXPECT_EQ(outcome(world.deliver(url_to("inside.example", other))), "delivered SUCCESS 200 'ok'");
}

TEST(OutboundConnect, follows_no_redirect_inside) {
  ScriptedHttp sink;
  const std::string headers = "Location: " + sink.url() + "\r\n";
  ScriptedHttp door({.decide = [&](const HttpSeen& request) {
    const int status = std::stoi(request.body.substr(5));
    return HttpScene{.answer = http_answer(status, "", headers)};
  }});
  const OutboundGate gate(allow("127.0.0.1:" + std::to_string(door.port())));
  WebhookWorld world(guarded(gate));
  for (const int status : {301, 302, 303, 307, 308}) {
    WebhookDelivery delivery = world.delivery(door.url());
    delivery.content.webhook.payload = R"({"n":)" + std::to_string(status) + "}";
    EXPECT_EQ(result_of(world.deliver(std::move(delivery))).response_code, status);
  }
  EXPECT_EQ(sink.connections(), 0);
}

TEST(OutboundConnect, never_calls_its_own_listener) {
  ScriptedHttp own;
  OutboundGate gate(allow("0.0.0.0/0,::/0,*.example"));
  gate.add_own("127.0.0.1", own.port());
  WebhookWorld world(guarded(gate));
  world.names.leads_to("me.example", {"127.0.0.1"});
  for (const char* host : {"127.0.0.1", "0.0.0.0", "[::ffff:127.0.0.1]", "me.example"})
    EXPECT_NE(result_of(world.deliver(url_to(host, own))).text.find("listener of Eilbote itself"),
              std::string::npos)
        << host;
  EXPECT_EQ(own.connections(), 0);
}

class OutboundConnectTest : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Ways, OutboundConnectTest, testing::Bool(), way_name);

// The guard changes its mind between the check of the name and the connection, as if the library had looked the name up again.
TEST_P(OutboundConnectTest, is_checked_again_when_the_socket_is_opened) {
  ScriptedHttp sink;
  int asked = 0;
  HttpClientOptions options;
  options.forbids = [&](const std::string&, const auto&, std::uint16_t) {
    return ++asked == 1 ? std::nullopt : std::optional(OutboundRule::loopback);
  };
  options.plain_by_curl = GetParam();
  auto client = make_http_client(std::move(options)).value();
  HttpCall call;
  call.url = sink.url();
  call.host = "127.0.0.1";
  call.host_is_address = true;
  call.port = sink.port();
  std::promise<HttpAnswer> promise;
  client->send(std::move(call), [&](HttpAnswer answer) { promise.set_value(std::move(answer)); });
  EXPECT_EQ(promise.get_future().get().fault, ExchangeFault::refused);
  EXPECT_EQ(sink.connections(), 0);
}

TEST_P(OutboundConnectTest, is_checked_again_on_a_kept_connection) {
  ScriptedHttp endpoint;
  std::atomic<bool> is_shut{false};
  int asked_since = 0;
  HttpClientOptions options;
  // The name's own check passes once more; what the connection leads to does not.
  options.forbids = [&](const std::string&, const auto&, std::uint16_t) {
    return is_shut && ++asked_since > 1 ? std::optional(OutboundRule::private_network) : std::nullopt;
  };
  options.plain_by_curl = GetParam();
  auto client = make_http_client(std::move(options)).value();
  const auto send = [&] {
    HttpCall call;
    call.url = endpoint.url();
    call.host = "127.0.0.1";
    call.host_is_address = true;
    call.port = endpoint.port();
    auto promise = std::make_shared<std::promise<HttpAnswer>>();
    client->send(std::move(call), [promise](HttpAnswer answer) { promise->set_value(std::move(answer)); });
    return promise->get_future().get();
  };
  EXPECT_EQ(send().status, 200);
  is_shut = true;
  EXPECT_EQ(send().fault, ExchangeFault::refused);
  EXPECT_EQ(endpoint.seen().size(), 1U);
}

// ---- at create ----

WebhookUrl url_of(const std::string& text) {
  return parse_webhook_url(text).value();
}

TEST(OutboundCheck, refuses_what_a_name_leads_to) {
  NamesByHand names;
  names.leads_to("inside.example", {"10.0.0.1"});
  names.leads_to("mixed.example", {"8.8.8.8", "10.0.0.1"});
  names.leads_to("open.example", {"8.8.8.8"});
  const OutboundGate gate({});
  const auto check = make_outbound_check(gate, names.lookup());
  auto patience = std::chrono::milliseconds{10'000};
  EXPECT_EQ(check->ask(url_of("https://inside.example/"), patience), OutboundRule::private_network);
  EXPECT_EQ(check->ask(url_of("https://mixed.example/"), patience), OutboundRule::private_network);
  EXPECT_EQ(check->ask(url_of("https://open.example/"), patience), std::nullopt);
  EXPECT_EQ(check->ask(url_of("http://[::1]/"), patience), OutboundRule::loopback);
  EXPECT_EQ(check->ask(url_of("http://open.example:25/"), patience), OutboundRule::blocked_port);
  // From then on it is known without waiting.
  EXPECT_TRUE(check->look(url_of("https://open.example/")).is_known);
  EXPECT_EQ(check->look(url_of("https://inside.example/")).refused_by, OutboundRule::private_network);
  EXPECT_EQ(names.asked("open.example"), 1);
}

TEST(OutboundCheck, accepts_a_name_that_is_not_found) {
  NamesByHand names;
  names.unknown("later.example");
  const OutboundGate gate({});
  const auto check = make_outbound_check(gate, names.lookup());
  auto patience = std::chrono::milliseconds{10'000};
  EXPECT_EQ(check->ask(url_of("https://later.example/"), patience), std::nullopt);
  EXPECT_TRUE(check->look(url_of("https://later.example/")).is_known) << "is looked up for every job";
  EXPECT_EQ(names.asked("later.example"), 1);
}

TEST(OutboundCheck, does_not_wait_longer_than_it_may) {
  NamesByHand names;
  names.stuck("slow.example");
  const OutboundGate gate({});
  const auto check = make_outbound_check(gate, names.lookup());
  auto patience = std::chrono::milliseconds{20};
  EXPECT_EQ(check->ask(url_of("https://slow.example/"), patience), std::nullopt);
  EXPECT_LE(patience, 0ms);
  EXPECT_EQ(check->ask(url_of("https://other.example/"), patience), std::nullopt);
  EXPECT_EQ(names.asked("other.example"), 0) << "there was no time left";
  names.open_all();
}

TEST(OutboundConnect, sees_a_name_that_was_rebound_after_the_check) {
  ScriptedHttp sink;
  NamesByHand at_create;
  at_create.leads_to("rebound.example", {"8.8.8.8"});
  const OutboundGate gate({});
  const auto check = make_outbound_check(gate, at_create.lookup());
  auto patience = std::chrono::milliseconds{10'000};
  const std::string url = url_to("rebound.example", sink);
  EXPECT_EQ(check->ask(url_of(url), patience), std::nullopt);
  WebhookWorld world(guarded(gate));
  world.names.leads_to("rebound.example", {"127.0.0.1"});
  EXPECT_EQ(outcome(world.deliver(url)), "permanent CONNECTION_ERROR TARGET_REFUSED");
  EXPECT_EQ(sink.connections(), 0);
}

}  // namespace
}  // namespace eilbote::test::outbound_connect_test
