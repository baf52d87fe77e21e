// The webhook channel while things take long: names, thousands of slow endpoints, the end.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/eventually.h"
#include "support/scripted_http.h"
#include "support/this_process.h"
#include "support/webhook_world.h"

namespace eilbote::test::webhook_waiting_test {
namespace {

using namespace std::chrono_literals;
using Then = HttpScene::Then;
using Steady = std::chrono::steady_clock;

bool is_ready(std::future<DeliveryResult>& result) {
  return result.wait_for(0s) == std::future_status::ready;
}

// ---- names ----

class WebhookNamesTest : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Ways, WebhookNamesTest, testing::Bool(), way_name);
class WebhookChannelEndTest : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Ways, WebhookChannelEndTest, testing::Bool(), way_name);
class WebhookChannelLoadTest : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Ways, WebhookChannelLoadTest, testing::Bool(), way_name);

TEST_P(WebhookNamesTest, are_looked_up_by_us_and_once_for_many) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  world.names.stuck("hooks.nowhere.invalid");
  std::vector<std::future<DeliveryResult>> results;
  for (int i = 0; i < 50; ++i)
    results.push_back(world.deliver(endpoint.url("Hooks.nowhere.INVALID.")));
  EXPECT_TRUE(eventually([&] { return world.names.waiting() == 1; }));
  world.names.open_all();
  for (auto& result : results)
    EXPECT_EQ(outcome(result), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(outcome(world.deliver(endpoint.url("hooks.nowhere.invalid"))), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(world.names.asked("hooks.nowhere.invalid"), 1) << "the addresses are good for a while";
  EXPECT_EQ(endpoint.seen().at(0).headers.at("host"),
            "hooks.nowhere.invalid:" + std::to_string(endpoint.port()));
}

TEST_P(WebhookNamesTest, of_the_loopback_are_pinned_too) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  EXPECT_EQ(outcome(world.deliver(endpoint.url("localhost"))), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(world.names.asked("localhost"), 1);
  EXPECT_EQ(outcome(world.deliver(endpoint.url("127.0.0.1"))), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(world.names.asked("127.0.0.1"), 0) << "an address needs nobody's help";
}

TEST_P(WebhookNamesTest, with_several_addresses_work_while_one_does) {
  ScriptedHttp endpoint;  // listens on 127.0.0.1 only
  WebhookWorld world;
  world.names.leads_to("many.example", {"::1", "127.0.0.2", "127.0.0.3", "127.0.0.1"});
  EXPECT_EQ(outcome(world.deliver(endpoint.url("many.example"))), "delivered SUCCESS 200 'ok'");
  world.names.leads_to("dead.example", {"127.0.0.2", "127.0.0.3"});
  EXPECT_EQ(outcome(world.deliver(endpoint.url("dead.example"))),
            "transient CONNECTION_ERROR CONNECT_FAILED");
  world.names.leads_to("none.example", {});
  EXPECT_EQ(outcome(world.deliver(endpoint.url("none.example"))), "transient CONNECTION_ERROR DNS_FAILED");
}

TEST_P(WebhookNamesTest, that_are_unknown_fail_and_are_asked_again) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  world.names.unknown("no.example");
  for (int i = 1; i <= 2; ++i) {
    const DeliveryResult result = result_of(world.deliver(endpoint.url("no.example")));
    EXPECT_EQ(in_words(result), "transient CONNECTION_ERROR DNS_FAILED");
    EXPECT_NE(result.text.find("No such name"), std::string::npos) << result.text;
    EXPECT_EQ(world.names.asked("no.example"), i);
  }
  EXPECT_EQ(endpoint.connections(), 0);
}

TEST_P(WebhookNamesTest, that_take_long_delay_nobody_else) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  world.names.stuck("slow.example");
  auto slow = world.deliver(endpoint.url("slow.example"));
  EXPECT_TRUE(eventually([&] { return world.names.waiting() == 1; }));
  const auto begin = Steady::now();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(outcome(world.deliver(endpoint.url("fast" + std::to_string(i) + ".example"))),
              "delivered SUCCESS 200 'ok'");
  EXPECT_LT(Steady::now() - begin, 5s);
  EXPECT_FALSE(is_ready(slow));
  world.names.open_all();
  EXPECT_EQ(outcome(slow), "delivered SUCCESS 200 'ok'");
}

TEST_P(WebhookNamesTest, that_were_trouble_before_leave_threads_to_the_others) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  std::vector<std::string> dead;
  for (int i = 0; i < 20; ++i)
    dead.push_back("dead" + std::to_string(i) + ".example");
  for (const std::string& host : dead) {
    world.names.unknown(host);
    EXPECT_EQ(outcome(world.deliver(endpoint.url(host))), "transient CONNECTION_ERROR DNS_FAILED");
    world.names.stuck(host);
  }
  std::vector<std::future<DeliveryResult>> results;
  for (const std::string& host : dead)
    results.push_back(world.deliver(endpoint.url(host)));
  EXPECT_TRUE(eventually([&] { return world.names.waiting() == 4; }));
  EXPECT_EQ(outcome(world.deliver(endpoint.url("new.example"), 5)), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(world.names.waiting(), 4);
  world.names.open_all();
  for (auto& result : results)
    EXPECT_EQ(outcome(result), "transient CONNECTION_ERROR DNS_FAILED");
}

TEST_P(WebhookNamesTest, count_into_the_deadline) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  world.names.stuck("slow.example");
  const auto begin = Steady::now();
  const DeliveryResult result = result_of(world.deliver(endpoint.url("slow.example"), 1));
  EXPECT_EQ(in_words(result), "transient TIMEOUT TIMEOUT");
  EXPECT_NE(result.text.find("name"), std::string::npos) << result.text;
  EXPECT_GE(Steady::now() - begin, 1s);
  EXPECT_LT(Steady::now() - begin, 4s);
  world.names.open_all();
  EXPECT_EQ(outcome(world.deliver(endpoint.url("slow.example"))), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(endpoint.seen().size(), 1U) << "what was given up is not sent later";
}

// ---- before the request, and at the end ----

TEST_P(WebhookChannelEndTest, sends_nothing_for_a_lease_that_is_lost) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  WebhookDelivery delivery = world.delivery(endpoint.url());
  delivery.still_mine = [] { return false; };
  EXPECT_EQ(outcome(world.deliver(std::move(delivery))), "released SUCCESS");
  EXPECT_EQ(endpoint.seen().size(), 0U);
  EXPECT_EQ(outcome(world.deliver(endpoint.url())), "delivered SUCCESS 200 'ok'");
}

TEST_P(WebhookChannelEndTest, asks_for_the_lease_once_per_request) {
  ScriptedHttp endpoint;
  WebhookWorld world;
  int asked = 0;
  for (int i = 1; i <= 3; ++i) {
    WebhookDelivery delivery = world.delivery(endpoint.url());
    delivery.still_mine = [&asked] { return ++asked > 0; };
    EXPECT_EQ(outcome(world.deliver(std::move(delivery))), "delivered SUCCESS 200 'ok'");
    EXPECT_EQ(asked, i);
  }
}

TEST_P(WebhookChannelEndTest, gives_back_what_has_not_begun) {
  HttpScene slow;
  slow.before_answer = 500ms;
  ScriptedHttp endpoint({{slow}});
  WebhookWorld world;
  world.names.stuck("slow.example");
  auto under_way = world.deliver(endpoint.url());
  auto waits = world.deliver(endpoint.url("slow.example"));
  EXPECT_TRUE(eventually([&] { return endpoint.seen().size() == 1 && world.names.waiting() == 1; }));
  world.channel().release_waiting();
  EXPECT_EQ(outcome(waits), "released SUCCESS");
  EXPECT_EQ(outcome(under_way), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(outcome(world.deliver(endpoint.url())), "delivered SUCCESS 200 'ok'") << "it goes on";
}

TEST_P(WebhookChannelEndTest, gives_back_what_is_still_connecting) {
  // TLS with an endpoint that never answers the greeting: connected, but no request can begin.
  const LoopbackListener mute;
  WebhookWorld world;
  auto connecting = world.deliver("https://127.0.0.1:" + std::to_string(mute.port()) + "/");
  const int fd = mute.accept();
  EXPECT_FALSE(is_ready(connecting));
  world.channel().release_waiting();
  EXPECT_EQ(outcome(connecting), "released SUCCESS");
  ::close(fd);
}

TEST_P(WebhookChannelEndTest, waits_for_nobody) {
  ScriptedHttp endpoint({{{"", Then::silence}}});
  WebhookWorld world;
  world.names.stuck("slow.example");
  auto slow = world.deliver(endpoint.url());
  auto waits = world.deliver(endpoint.url("slow.example"));
  EXPECT_TRUE(eventually([&] { return endpoint.seen().size() == 1 && world.names.waiting() == 1; }));
  const auto begin = Steady::now();
  world.end();
  EXPECT_LT(Steady::now() - begin, 2s);
}

TEST_P(WebhookChannelEndTest, says_when_it_has_too_much_to_do) {
  ScriptedHttp endpoint({{{"", Then::silence}}});
  WebhookWorld world({.deliveries_max = 2});
  auto one = world.deliver(endpoint.url(), 1), two = world.deliver(endpoint.url(), 1);
  EXPECT_EQ(outcome(world.deliver(endpoint.url())), "deferred CONNECTION_ERROR BUSY 5s");
  EXPECT_EQ(outcome(one), "transient TIMEOUT TIMEOUT");
  EXPECT_EQ(outcome(two), "transient TIMEOUT TIMEOUT");
  EXPECT_EQ(endpoint.seen().size(), 2U);
}

// ---- many ----

// Takes connections and never says a word, without a thread for each.
class MuteEndpoint {
 public:
  MuteEndpoint()
      : acceptor_([this] {
          for (int fd = 0; (fd = listener_.accept()) >= 0; ++taken_)
            connections_.push_back(fd);
        }) {}
  ~MuteEndpoint() {
    listener_.stop();
    acceptor_.join();
    for (const int fd : connections_)
      ::close(fd);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()) + "/"; }
  int taken() const { return taken_; }

 private:
  LoopbackListener listener_;
  std::vector<int> connections_;
  std::atomic<int> taken_{0};
  std::thread acceptor_;
};

// A sanitizer keeps a fence around every piece of memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kBytesEachMax = 200'000;
#else
constexpr std::size_t kBytesEachMax = 30'000;
#endif

TEST_P(WebhookChannelLoadTest, keeps_thousands_open_in_little_memory) {
  constexpr int kOpen = 2000;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 3 * kOpen);
  ::setrlimit(RLIMIT_NOFILE, &files);
  ASSERT_GE(files.rlim_cur, 2 * kOpen + 100U) << "too few file descriptors are allowed here";
  MuteEndpoint mute;
  ScriptedHttp endpoint;
  WebhookWorld world;
  EXPECT_EQ(outcome(world.deliver(endpoint.url())), "delivered SUCCESS 200 'ok'");
  const std::size_t before = memory_in_use();
  const int threads_before = thread_count();
  std::vector<std::future<DeliveryResult>> slow;
  for (int i = 0; i < kOpen; ++i)
    slow.push_back(world.deliver(mute.url()));
  ASSERT_TRUE(eventually([&] { return mute.taken() == kOpen; })) << mute.taken();
  EXPECT_LT((memory_in_use() - before) / kOpen, kBytesEachMax) << "5,000 of them must stay well under 200 MB";
  EXPECT_EQ(thread_count(), threads_before) << "no thread per delivery";
  // The others go on, on the connection they had.
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(outcome(world.deliver(endpoint.url())), "delivered SUCCESS 200 'ok'");
  EXPECT_EQ(endpoint.connections(), 1);
}

}  // namespace
}  // namespace eilbote::test::webhook_waiting_test
