// What every transport promises (ports/transport.h), on each of them with what it really runs on. A new transport is a world in
// tests/support and a line at the end of this file.
#include <gtest/gtest.h>

#include "domain/carried_job.h"
#include "support/database_world.h"
#include "support/eventually.h"
#include "support/rabbit_world.h"
#include "support/server_packages.h"
#include "support/sqs_world.h"
#include "support/transport_listener.h"

namespace eilbote::test::transport_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

const std::vector<CarrierQueue> kBoth{CarrierQueue::mail_send, CarrierQueue::webhook_send};

class Transports : public testing::TestWithParam<TransportWorldKind> {
 protected:
  void SetUp() override {
    SKIP_BECAUSE(GetParam().missing());
    world = GetParam().make();
  }

  std::unique_ptr<TransportListener> sender(Duration confirm_timeout = seconds{10}) {
    TransportOptions options;
    options.confirm_timeout = confirm_timeout;
    auto made = std::make_unique<TransportListener>(world->make(options));
    EXPECT_TRUE(made->is_connected());
    return made;
  }
  std::unique_ptr<TransportListener> receiver(int prefetch = 500) {
    TransportOptions options;
    options.consumes = kBoth;
    options.prefetch = prefetch;
    return std::make_unique<TransportListener>(world->make(options));
  }

  std::unique_ptr<TransportWorld> world;
};

// Those where jobs travel by name.
class Brokers : public Transports {};

std::vector<Carriage> all_confirmed(std::size_t count) {
  return std::vector<Carriage>(count, Carriage::confirmed);
}

Steady::duration time_of(const std::function<void()>& what) {
  const auto begin = Steady::now();
  what();
  return Steady::now() - begin;
}

TEST_P(Transports, what_is_published_is_heard_of) {
  const auto from = sender(), to = receiver();
  // A receiver may look once because it came, and that is not what is waited for.
  if (!to->transport().carries_jobs()) {
    ASSERT_TRUE(to->looked_more_than(0));
    EXPECT_EQ(from->publish({parcel(1)}), all_confirmed(1));
    EXPECT_TRUE(to->looked_more_than(1));
    return;
  }
  const std::vector<Parcel> sent{parcel(1), parcel(2, CarrierQueue::webhook_send), parcel(3)};
  EXPECT_EQ(from->publish(sent), all_confirmed(3));
  const std::vector<Arrival> came = to->arrivals(3);
  ASSERT_EQ(bodies_of(came), bodies_of(sent));
  for (const Arrival& arrival : came) {
    EXPECT_EQ(arrival.queue,
              arrival.body == sent[1].body ? CarrierQueue::webhook_send : CarrierQueue::mail_send);
    EXPECT_FALSE(arrival.repeated);
  }
}

TEST_P(Transports, every_parcel_gets_an_answer) {
  const auto from = sender();
  for (const int count : {0, 1, 300})
    EXPECT_EQ(from->publish(parcels(count)), all_confirmed(static_cast<std::size_t>(count))) << count;
}

TEST_P(Transports, an_announcement_is_no_message) {
  const auto from = sender();
  from->transport().announce();
  EXPECT_TRUE(from->transport().state().connected);
}

TEST_P(Transports, stop_is_prompt_and_silent) {
  const auto from = sender(), to = receiver();
  ASSERT_TRUE(to->is_connected());
  EXPECT_LT(time_of([&] { to->transport().stop(); }), seconds{2});
  const int calls = to->calls();
  EXPECT_EQ(from->publish(parcels(10)), all_confirmed(10));
  EXPECT_TRUE(throughout([&] { return to->calls() == calls; }, milliseconds{200}));
  to->transport().stop();
  EXPECT_LT(time_of([&] { from->transport().stop(); }), seconds{2});
  const auto answers = from->publish(parcels(2), seconds{1});
  ASSERT_TRUE(answers) << "what is published after the end is answered as well";
  EXPECT_EQ(answers->size(), 2U);
}

TEST_P(Transports, stop_before_start) {
  const auto never = world->make();
  never->stop();
}

TEST_P(Brokers, while_it_is_away_nothing_is_confirmed_and_afterwards_it_works_again) {
  const auto from = sender(seconds{2});
  ASSERT_TRUE(from->ready_more_than(0));
  ASSERT_EQ(from->publish({parcel(1)}), all_confirmed(1));
  ASSERT_TRUE(world->has_trouble());
  world->trouble();
  for (int i = 0; i < 3; ++i) {
    std::optional<std::vector<Carriage>> answers;
    EXPECT_LT(time_of([&] { answers = from->publish(parcels(3)); }), seconds{4});
    ASSERT_TRUE(answers);
    ASSERT_EQ(answers->size(), 3U);
    for (const Carriage answer : *answers)
      EXPECT_NE(answer, Carriage::confirmed);
  }
  EXPECT_TRUE(from->is_away());
  EXPECT_NE(from->transport().state().detail, "");
  const int ready = from->ready();
  world->recover();
  ASSERT_TRUE(from->ready_more_than(ready));
  EXPECT_TRUE(from->is_connected());
  EXPECT_EQ(from->publish({parcel(4)}), all_confirmed(1));
}

TEST_P(Brokers, stop_is_prompt_while_it_is_away) {
  const auto from = sender();
  world->trouble();
  EXPECT_TRUE(from->is_away());
  EXPECT_LT(time_of([&] { from->transport().stop(); }), seconds{2});
}

TEST_P(Brokers, what_was_not_acknowledged_comes_again_and_nothing_else) {
  const auto from = sender();
  auto first = receiver();
  ASSERT_EQ(from->publish(parcels(6)), all_confirmed(6));
  const std::vector<Arrival> came = first->arrivals(6);
  ASSERT_EQ(came.size(), 6U);
  first->acknowledge({came[0], came[1], came[3]});
  first->acknowledge({came[0]});  // twice is no harm
  first.reset();
  const auto second = receiver();
  const std::vector<Arrival> again = second->arrivals(3);
  EXPECT_EQ(bodies_of(again), bodies_of(std::vector<Arrival>{came[2], came[4], came[5]}));
  for (const Arrival& arrival : again)
    EXPECT_TRUE(arrival.repeated);
  second->acknowledge(again);
  EXPECT_EQ(from->publish({parcel(7)}), all_confirmed(1));
  EXPECT_EQ(second->arrivals(4).size(), 4U);
}

TEST_P(Brokers, a_receipt_of_another_connection_is_passed_over) {
  const auto from = sender();
  std::vector<Arrival> old;
  {
    const auto first = receiver();
    ASSERT_EQ(from->publish(parcels(1)), all_confirmed(1));
    old = first->arrivals(1);
  }
  const auto second = receiver();
  ASSERT_EQ(second->arrivals(1).size(), 1U);
  second->transport().acknowledge(std::vector<Receipt>{0, ~Receipt{0}, 12'345'678});
  ASSERT_EQ(from->publish({parcel(2)}), all_confirmed(1));
  EXPECT_EQ(second->arrivals(2).size(), 2U) << "it still receives";
}

TEST_P(Brokers, no_more_is_held_than_asked_for) {
  const auto from = sender();
  ASSERT_EQ(from->publish(parcels(20)), all_confirmed(20));
  const auto to = receiver(5);
  ASSERT_EQ(to->arrivals(5).size(), 5U);
  EXPECT_TRUE(throughout([&] { return to->arrivals(0).size() == 5; }, milliseconds{300}));
  const auto held = to->arrivals(0);
  to->acknowledge({held[0], held[1]});
  EXPECT_EQ(to->arrivals(7).size(), 7U);
  EXPECT_TRUE(throughout([&] { return to->arrivals(0).size() == 7; }, milliseconds{300}));
}

TEST_P(Brokers, bodies_survive) {
  std::string unicode = "{\"key\":\"\\u0000 \t";
  unicode += "Gr\u00fc\u00dfe \u65e5\u672c\u8a9e \U0001F4EC \u202e\u200b\u0301\ufffd\U0010FFFD\"}";
  const std::vector<Parcel> sent{parcel(1, CarrierQueue::mail_send, std::string(kCarriedBytesMax, 'x')),
                                 parcel(2, CarrierQueue::mail_send, unicode),
                                 parcel(3, CarrierQueue::mail_send, "x")};
  const auto from = sender(), to = receiver();
  ASSERT_EQ(from->publish(sent), all_confirmed(3));
  EXPECT_EQ(bodies_of(to->arrivals(3)), bodies_of(sent));
}

TEST_P(Brokers, knows_what_waits) {
  const auto from = sender();
  ASSERT_TRUE(eventually([&] { return from->transport().waiting(CarrierQueue::mail_send) == 0; }));
  ASSERT_EQ(from->publish(parcels(7)), all_confirmed(7));
  EXPECT_TRUE(eventually([&] { return from->transport().waiting(CarrierQueue::mail_send) == 7; }));
  EXPECT_TRUE(eventually([&] { return from->transport().waiting(CarrierQueue::webhook_send) == 0; }));
  const auto to = receiver();
  ASSERT_EQ(to->arrivals(7).size(), 7U);
  to->acknowledge(to->arrivals(0));
  EXPECT_TRUE(eventually([&] { return from->transport().waiting(CarrierQueue::mail_send) == 0; }))
      << "taken by somebody else";
}

template <class World>
std::unique_ptr<TransportWorld> make_world() {
  return std::make_unique<World>();
}
std::string nothing_missing() {
  return "";
}
std::string kind_name(const testing::TestParamInfo<TransportWorldKind>& info) {
  return info.param.name;
}

// ---- the worlds: a transport that carries jobs is in both suites ----

const TransportWorldKind kDatabase{"database", nothing_missing, make_world<DatabaseWorld>};
const TransportWorldKind kRabbitmq{"rabbitmq", RabbitServer::missing, make_world<RabbitWorld>};
const TransportWorldKind kSqs{"sqs", SqsServer::missing, make_world<SqsWorld>};
const TransportWorldKind kSqsFifo{"sqs_fifo", SqsServer::missing, []() -> std::unique_ptr<TransportWorld> {
                                    return std::make_unique<SqsWorld>(true);
                                  }};

INSTANTIATE_TEST_SUITE_P(worlds, Transports, testing::Values(kDatabase, kRabbitmq, kSqs, kSqsFifo),
                         kind_name);
INSTANTIATE_TEST_SUITE_P(worlds, Brokers, testing::Values(kRabbitmq, kSqs, kSqsFifo), kind_name);

}  // namespace
}  // namespace eilbote::test::transport_test
