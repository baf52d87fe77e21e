// RabbitMQ in trouble: what its transport does when queues go, memory runs out, links are cut or hang, and the broker dies.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "support/eventually.h"
#include "support/metric_value.h"
#include "support/rabbit_world.h"
#include "support/server_packages.h"
#include "support/transport_listener.h"

namespace eilbote::test::rabbitmq_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

const std::string kMails{kCarrierQueueNames.text(CarrierQueue::mail_send)};

class RabbitTrouble : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_BECAUSE(RabbitServer::missing());
    world = std::make_unique<RabbitWorld>();
  }
  void TearDown() override {
    if (world) world->server.start();  // the next test's broker, too
  }

  std::unique_ptr<TransportListener> listener(bool consumes, Duration confirm_timeout = seconds{10}) {
    TransportOptions options;
    options.confirm_timeout = confirm_timeout;
    if (consumes) options.consumes = {CarrierQueue::mail_send};
    auto made = std::make_unique<TransportListener>(world->make(options));
    EXPECT_TRUE(made->is_connected());
    return made;
  }

  double counted(const std::string& line) { return metric_value(world->metrics, line).value_or(0); }

  std::unique_ptr<RabbitWorld> world;
};

const std::vector<Carriage> kConfirmed{Carriage::confirmed};

TEST_F(RabbitTrouble, queues_are_quorum_queues) {
  const auto both = listener(false);
  const std::string kinds = world->server.control(
      {"list_queues", "-p", world->vhost, "--no-table-headers", "name", "type", "durable"});
  for (const auto& [queue, name] : kCarrierQueueNames.entries) {
    const bool is_there = kinds.find(std::string(name) + "\tquorum\ttrue") != std::string::npos;
    EXPECT_EQ(is_there, queue != CarrierQueue::mail_retry) << name << " in\n" << kinds;
  }
}

TEST_F(RabbitTrouble, a_queue_of_another_kind_is_used_as_it_is) {
  world->server.control({"eval", "rabbit_amqqueue:declare(rabbit_misc:r(<<\"" + world->vhost +
                                     "\">>, queue, <<\"" + kMails +
                                     "\">>), true, false, [], none, <<\"test\">>)."});
  const auto both = listener(true);
  EXPECT_EQ(both->publish({parcel(1)}), kConfirmed);
  EXPECT_EQ(both->arrivals(1).size(), 1U);
}

TEST_F(RabbitTrouble, a_queue_that_is_deleted_is_made_again) {
  const auto both = listener(true);
  ASSERT_EQ(both->publish({parcel(1)}), kConfirmed);
  const auto held = both->arrivals(1);
  world->server.delete_queue(world->vhost, kMails);
  both->acknowledge(held);  // of a queue that is no more
  ASSERT_TRUE(eventually([&] { return both->publish({parcel(2)}) == kConfirmed; }))
      << "declared by the consumer";
  EXPECT_EQ(both->arrivals(2).size(), 2U);
}

TEST_F(RabbitTrouble, what_has_no_queue_is_refused_and_the_queue_declared) {
  const auto from = listener(false);
  world->server.delete_queue(world->vhost, kMails);
  const auto answers = from->publish({parcel(1), parcel(2, CarrierQueue::webhook_send), parcel(1)});
  EXPECT_EQ(answers, (std::vector{Carriage::refused, Carriage::confirmed, Carriage::refused}));
  EXPECT_TRUE(eventually([&] { return from->publish({parcel(3)}) == kConfirmed; }));
  EXPECT_TRUE(from->transport().state().connected);
  EXPECT_EQ(counted("eilbote_broker_reconnects_total"), 0) << "by the same connection";
  EXPECT_GE(counted("eilbote_broker_publish_failed_total{queue=\"" + kMails + "\",reason=\"refused\"}"), 2);
}

TEST_F(RabbitTrouble, low_on_memory_it_takes_nothing_until_it_has_some) {
  const auto from = listener(false, seconds{2}), to = listener(true);
  ASSERT_EQ(from->publish({parcel(1)}), kConfirmed);
  const int ready = from->ready();
  world->server.set_memory_alarm(true);
  const auto answers = from->publish(parcels(3));
  ASSERT_TRUE(answers);
  EXPECT_EQ(std::count(answers->begin(), answers->end(), Carriage::confirmed), 0);
  EXPECT_TRUE(from->is_away());
  EXPECT_NE(from->transport().state().detail.find("memory"), std::string::npos)
      << from->transport().state().detail;
  EXPECT_EQ(counted("eilbote_broker_connected"), 0);
  const auto begin = Steady::now();
  EXPECT_EQ(from->publish({parcel(4)}), std::vector{Carriage::refused});
  EXPECT_LT(Steady::now() - begin, seconds{1}) << "at once, and nothing is written";
  world->server.set_memory_alarm(false);
  ASSERT_TRUE(from->ready_more_than(ready));
  EXPECT_EQ(from->publish({parcel(5)}), kConfirmed);
  EXPECT_EQ(counted("eilbote_broker_reconnects_total"), 0) << "a new connection would be no better";
}

TEST_F(RabbitTrouble, confirms_that_are_lost_leave_it_unknown) {
  const auto from = listener(false, seconds{60});  // asking the broker takes its time on a busy machine
  world->proxy.hold_answers(true);
  std::atomic<bool> answered = false;
  std::vector<Carriage> carriages;
  from->transport().publish(parcels(200), [&](std::vector<Carriage> all) {
    carriages = std::move(all);
    answered = true;
  });
  ASSERT_TRUE(eventually([&] { return world->server.messages(world->vhost, kMails) == 200; }, seconds{20}));
  EXPECT_FALSE(answered);
  world->proxy.refuse(true);
  ASSERT_TRUE(eventually([&] { return answered.load(); }, seconds{5}));
  EXPECT_EQ(carriages, std::vector(200, Carriage::unknown));
  EXPECT_EQ(counted("eilbote_broker_publish_failed_total{queue=\"" + kMails + "\",reason=\"unknown\"}"), 200);
  world->proxy.hold_answers(false);
  world->proxy.refuse(false);
  EXPECT_TRUE(eventually([&] { return from->publish({parcel(1)}) == kConfirmed; }));
}

TEST_F(RabbitTrouble, a_link_that_hangs_is_given_up_in_time) {
  const auto from = listener(false, seconds{2});
  world->proxy.stall(true);
  // More than the sockets on the way can hold: the writing itself hangs.
  std::vector<Parcel> many;
  for (int i = 0; i < 4000; ++i)
    many.push_back(parcel(i, CarrierQueue::mail_send, std::string(4096, 'x')));
  std::atomic<int> others = 0;
  const auto begin = Steady::now();
  for (int i = 0; i < 20; ++i)
    from->transport().publish({parcel(i)}, [&](const std::vector<Carriage>&) { ++others; });
  const auto answers = from->publish(std::move(many));
  EXPECT_TRUE(eventually([&] { return others == 20; })) << "whatever hangs, each has its answer";
  EXPECT_LT(Steady::now() - begin, seconds{4});
  ASSERT_TRUE(answers);
  EXPECT_EQ(answers->front(), Carriage::unknown);
  EXPECT_EQ(answers->back(), Carriage::refused) << "never written";
  EXPECT_EQ(std::count(answers->begin(), answers->end(), Carriage::confirmed), 0);
  EXPECT_TRUE(from->is_away());
  world->proxy.stall(false);
  EXPECT_TRUE(eventually([&] { return from->publish({parcel(1)}) == kConfirmed; }));
}

TEST_F(RabbitTrouble, stop_is_prompt_on_a_link_that_hangs) {
  const auto both = listener(true);
  world->proxy.stall(true);
  std::atomic<int> answered = 0;
  both->transport().publish(parcels(5),
                            [&](std::vector<Carriage> all) { answered = static_cast<int>(all.size()); });
  const auto begin = Steady::now();
  both->transport().stop();
  EXPECT_LT(Steady::now() - begin, seconds{2});
  EXPECT_EQ(answered, 5);
}

TEST_F(RabbitTrouble, stop_is_prompt_while_a_login_hangs) {
  world->proxy.stall(true);
  TransportListener both(world->make());
  const auto begin = Steady::now();
  both.transport().stop();
  EXPECT_LT(Steady::now() - begin, seconds{2});
}

TEST_F(RabbitTrouble, kill_9_loses_nothing_that_was_confirmed) {
  const auto from = listener(false);
  ASSERT_EQ(from->publish(parcels(50)), std::vector(50, Carriage::confirmed));
  world->server.kill();
  EXPECT_TRUE(from->is_away());
  world->server.start();
  ASSERT_TRUE(from->is_connected());
  const auto to = listener(true);
  EXPECT_EQ(bodies_of(to->arrivals(50)), bodies_of(parcels(50)));
}

TEST_F(RabbitTrouble, a_foreign_message_that_is_far_too_long_is_not_kept_whole) {
  const auto both = listener(true);
  ASSERT_EQ(both->publish({parcel(1, CarrierQueue::mail_send, std::string(1'000'000, 'x')), parcel(2)}),
            std::vector(2, Carriage::confirmed));
  const auto came = both->arrivals(2);
  ASSERT_EQ(came.size(), 2U);
  EXPECT_EQ(came[0].body.size(), kCarriedBytesMax + 1);
  EXPECT_EQ(came[1].body, parcel(2).body) << "the next one is whole";
}

class RabbitLogin : public RabbitTrouble {
 protected:
  // Why it does not get in.
  std::string reason(TransportOptions options) {
    TransportListener refused(world->make(std::move(options)));
    std::string detail;
    EXPECT_TRUE(eventually([&] {
      detail = refused.transport().state().detail;
      return detail != "not connected yet";
    }));
    EXPECT_FALSE(refused.transport().state().connected);
    return detail;
  }
};

TEST_F(RabbitLogin, a_wrong_password_is_told_and_not_shown) {
  TransportOptions options;
  options.url = "amqp://shop@127.0.0.1:" + std::to_string(world->server.port()) + "/test%2F0";
  options.password = [] { return Result<Secret>(Secret("wrong-and-secret")); };
  const std::string why = reason(options);
  EXPECT_NE(why.find("ACCESS_REFUSED"), std::string::npos) << why;
  EXPECT_NE(why.find("shop"), std::string::npos) << why;
  EXPECT_EQ(why.find("wrong-and-secret"), std::string::npos) << why;
}

TEST_F(RabbitLogin, an_unknown_virtual_host_is_told) {
  TransportOptions options;
  options.url = world->server.url("nowhere");
  const std::string why = reason(options);
  EXPECT_NE(why.find("nowhere"), std::string::npos) << why;
}

TEST_F(RabbitLogin, who_may_publish_and_not_read_is_told_apart) {
  // The queues are there, so that nothing but reading is missing.
  ASSERT_TRUE(listener(true)->is_connected());
  const auto may_read = [&](const std::string& which) {
    world->server.control({"set_permissions", "-p", world->vhost, RabbitServer::kUser, ".*", ".*", which});
  };
  may_read("nothing");
  const auto cut_off = listener(true);
  EXPECT_TRUE(eventually([&] {
    return cut_off->transport().state().receive_detail.find("ACCESS_REFUSED") != std::string::npos;
  })) << cut_off->transport().state().receive_detail;
  EXPECT_FALSE(cut_off->transport().state().receiving);
  EXPECT_TRUE(cut_off->transport().state().connected);
  EXPECT_EQ(cut_off->publish(parcels(1)), kConfirmed);
  EXPECT_EQ(counted("eilbote_broker_receiving"), 0);
  may_read(".*");
  EXPECT_TRUE(eventually([&] { return cut_off->transport().state().receiving; }));
  EXPECT_EQ(cut_off->arrivals(1).size(), 1U);
  EXPECT_EQ(counted("eilbote_broker_receiving"), 1);
}

TEST_F(RabbitLogin, a_changed_password_is_used_at_the_next_connection) {
  TransportOptions options;
  options.url = "amqp://shop@127.0.0.1:" + std::to_string(world->proxy.port()) + "/test%2F0";
  std::atomic<int> asked = 0;
  options.password = [&] {
    return Result<Secret>(Secret(++asked == 1 ? "not this one" : RabbitServer::kPassword));
  };
  TransportListener listener(world->make(options));
  EXPECT_TRUE(listener.is_connected());
  EXPECT_EQ(asked, 2);
}

TEST_F(RabbitLogin, with_tls_and_its_authority) {
  TransportOptions options;
  options.url = world->server.tls_url(world->vhost);
  options.ca_file = world->server.ca_file();
  options.consumes = {CarrierQueue::mail_send};
  TransportListener both(world->make(options));
  ASSERT_TRUE(both.is_connected());
  EXPECT_EQ(both.publish(parcels(100)), std::vector(100, Carriage::confirmed));
  EXPECT_EQ(both.arrivals(100).size(), 100U);
}

TEST_F(RabbitLogin, another_authority_does_not_do) {
  TempFolder folder;
  write_text_file(folder / "ca.pem", TlsIdentity("localhost").certificate());
  TransportOptions options;
  options.url = world->server.tls_url(world->vhost);
  options.ca_file = folder / "ca.pem";
  const std::string why = reason(options);
  EXPECT_NE(why.find("certificate"), std::string::npos) << why;
}

TEST_F(RabbitLogin, a_certificate_for_another_name_does_not_do) {
  TransportOptions options;
  options.url = "amqps://shop:x@127.0.0.1:" + std::to_string(world->server.tls_port());
  options.ca_file = world->server.ca_file();
  const std::string why = reason(options);
  EXPECT_NE(why.find("host"), std::string::npos) << why;
}

TEST_F(RabbitLogin, stop_is_prompt_while_tls_hangs) {
  TcpProxy proxy(world->server.tls_port(), Proxied::bytes);
  proxy.stall(true);
  TransportOptions options;
  options.url = "amqps://shop:x@localhost:" + std::to_string(proxy.port());
  options.ca_file = world->server.ca_file();
  TransportListener both(world->make(options));
  // The first try is short; the second one would wait for seconds.
  ASSERT_TRUE(eventually([&] { return counted("eilbote_broker_reconnects_total") >= 1; }));
  const auto begin = Steady::now();
  both.transport().stop();
  EXPECT_LT(Steady::now() - begin, seconds{2});
}

}  // namespace
}  // namespace eilbote::test::rabbitmq_test
