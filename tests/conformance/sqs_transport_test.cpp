// What is SQS's own, against a server that other people wrote: queues that are made and deleted, groups in their order,
// messages whose time is extended, handed back, or over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/metric_value.h"
#include "support/server_packages.h"
#include "support/sqs_party.h"
#include "support/sqs_world.h"

namespace eilbote::test::sqs_transport_test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TransportOptions reads_mails(int prefetch = 500) {
  TransportOptions options;
  options.consumes = {CarrierQueue::mail_send};
  options.prefetch = prefetch;
  return options;
}

struct SqsTransport : testing::Test {
  void SetUp() override { SKIP_BECAUSE(SqsServer::missing()); }
};

TEST_F(SqsTransport, makes_the_queues_that_are_missing) {
  SqsWorld world;
  SqsParty party(world.make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_TRUE(world.server.has_queue(world.queue_name(CarrierQueue::mail_send)));
  EXPECT_TRUE(world.server.has_queue(world.queue_name(CarrierQueue::webhook_dead)));
  EXPECT_FALSE(world.server.has_queue(world.queue_name(CarrierQueue::mail_retry)));  // not used
  EXPECT_TRUE(eventually([&] { return party.ready() == 1; }));
  EXPECT_EQ(metric_value(world.metrics, "eilbote_broker_connected"), 1);
}

TEST_F(SqsTransport, does_not_make_queues_where_it_was_told_not_to) {
  SqsWorld world;
  world.url.create = false;
  SqsParty party(world.make());
  ASSERT_TRUE(eventually([&] {
    return party.transport().state().detail.find(world.queue_name(CarrierQueue::mail_send)) !=
           std::string::npos;
  }));
  EXPECT_FALSE(party.transport().state().connected);
  EXPECT_THAT(party.transport().state().detail, HasSubstr("QueueDoesNotExist"));
  EXPECT_FALSE(world.server.has_queue(world.queue_name(CarrierQueue::mail_send)));
  EXPECT_THAT(party.publish(numbered_parcels(2)), Each(Carriage::refused));
}

TEST_F(SqsTransport, carries_more_than_a_batch_and_no_more_than_it_may_hold) {
  SqsWorld world;
  SqsParty party(world.make(reads_mails(25)));
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(57)), AllOf(SizeIs(57), Each(Carriage::confirmed)));
  ASSERT_TRUE(party.has_arrivals(25));
  EXPECT_TRUE(throughout([&] { return party.arrivals().size() == 25; }, std::chrono::milliseconds{300}));
  for (std::size_t before = 0; before < 57;) {
    const std::size_t now = party.arrivals().size();
    party.acknowledge(before);
    before = now;
    ASSERT_TRUE(now == 57 || party.has_arrivals(now + 1));
  }
  const auto bodies = party.bodies();
  EXPECT_THAT(std::set<std::string>(bodies.begin(), bodies.end()), SizeIs(57));
  const std::string queue = world.queue_name(CarrierQueue::mail_send);
  EXPECT_TRUE(
      eventually([&] { return world.server.waiting(queue) == 0 && world.server.in_flight(queue) == 0; }));
  EXPECT_EQ(metric_value(world.metrics, R"(eilbote_broker_published_total{queue="email.dispatcher.send"})"),
            57);
}

TEST_F(SqsTransport, knows_how_many_wait) {
  SqsWorld world;
  SqsParty party(world.make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_TRUE(eventually([&] { return party.transport().waiting(CarrierQueue::mail_send) == 0; }));
  ASSERT_THAT(party.publish(numbered_parcels(12)), Each(Carriage::confirmed));
  EXPECT_GE(party.transport().waiting(CarrierQueue::mail_send), 12);  // counted on, or heard
  EXPECT_TRUE(eventually([&] { return party.transport().waiting(CarrierQueue::mail_send) == 12; }));
  SqsParty reader(world.make(reads_mails()));
  ASSERT_TRUE(reader.has_arrivals(12));
  // Nothing is published any more: whoever asks has it asked for.
  EXPECT_TRUE(eventually([&] { return party.transport().waiting(CarrierQueue::mail_send) == 0; }));
}

TEST_F(SqsTransport, keeps_the_order_of_a_group) {
  SqsWorld world(true);
  SqsParty party(world.make(reads_mails()));
  ASSERT_TRUE(party.is_connected());
  std::vector<Parcel> parcels = numbered_parcels(40, "order 7");  // not as SQS writes groups
  for (Parcel& other : numbered_parcels(20)) {
    other.id = "other-" + other.id;
    other.body = R"({"other":1})";
    parcels.insert(parcels.begin() + 7, std::move(other));
  }
  EXPECT_THAT(party.publish(parcels), Each(Carriage::confirmed));
  std::vector<std::string> seen, want;
  for (std::size_t before = 0; before < 60;) {
    ASSERT_TRUE(party.has_arrivals(before + 1));
    const auto arrivals = party.arrivals();
    party.acknowledge(before);
    before = arrivals.size();
  }
  for (const std::string& body : party.bodies())
    if (body != R"({"other":1})") seen.push_back(body);
  for (const Parcel& parcel : numbered_parcels(40))
    want.push_back(parcel.body);
  EXPECT_EQ(seen, want);
}

TEST_F(SqsTransport, a_parcel_that_is_published_again_is_not_swallowed) {
  SqsWorld world(true);
  SqsParty party(world.make(reads_mails()));
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(1)), ElementsAre(Carriage::confirmed));
  ASSERT_TRUE(party.has_arrivals(1));
  party.acknowledge();
  EXPECT_THAT(party.publish(numbered_parcels(1)), ElementsAre(Carriage::confirmed));
  EXPECT_TRUE(party.has_arrivals(2));
}

TEST_F(SqsTransport, extends_the_time_of_what_is_held) {
  SqsWorld world;
  world.timing.visibility = std::chrono::seconds{2};
  SqsParty party(world.make(reads_mails()));
  ASSERT_TRUE(party.is_connected());
  party.publish(numbered_parcels(12));
  ASSERT_TRUE(party.has_arrivals(12));
  const std::string queue = world.queue_name(CarrierQueue::mail_send);
  EXPECT_TRUE(
      throughout([&] { return world.server.waiting(queue) == 0 && world.server.in_flight(queue) == 12; },
                 std::chrono::seconds{5}));
  EXPECT_THAT(party.arrivals(), SizeIs(12));
  party.acknowledge();
  EXPECT_TRUE(eventually([&] { return world.server.in_flight(queue) == 0; }));
  EXPECT_EQ(world.server.waiting(queue), 0);
}

TEST_F(SqsTransport, gives_back_at_the_end_what_was_not_acknowledged) {
  SqsWorld world;
  world.timing.visibility = std::chrono::seconds{600};
  auto first = std::make_unique<SqsParty>(world.make(reads_mails()));
  ASSERT_TRUE(first->is_connected());
  first->publish(numbered_parcels(15));
  ASSERT_TRUE(first->has_arrivals(15));
  first->acknowledge(12);
  first.reset();
  EXPECT_EQ(world.server.waiting(world.queue_name(CarrierQueue::mail_send)), 12);
  SqsParty second(world.make(reads_mails()));
  ASSERT_TRUE(second.has_arrivals(12));
  EXPECT_TRUE(second.arrivals().front().repeated);
  EXPECT_TRUE(throughout([&] { return second.arrivals().size() == 12; }, std::chrono::milliseconds{200}));
}

TEST_F(SqsTransport, a_queue_that_is_deleted_is_made_again) {
  SqsWorld world;
  SqsParty party(world.make(reads_mails()));
  ASSERT_TRUE(party.is_connected());
  const std::string queue = world.queue_name(CarrierQueue::mail_send);
  world.server.delete_queue(queue);
  EXPECT_TRUE(eventually([&] { return world.server.has_queue(queue) && party.ready() >= 2; }));
  ASSERT_TRUE(party.is_connected());
  ASSERT_TRUE(
      eventually([&] { return party.publish(numbered_parcels(1)) == std::vector{Carriage::confirmed}; }));
  EXPECT_TRUE(party.has_arrivals(1));
  EXPECT_GE(metric_value(world.metrics, "eilbote_broker_reconnects_total"), 1);
}

TEST_F(SqsTransport, comes_back_by_itself) {
  SqsWorld world;
  SqsParty party(world.make(reads_mails()));
  ASSERT_TRUE(party.is_connected());
  world.trouble();
  ASSERT_TRUE(eventually([&] { return !party.transport().state().connected; }));
  EXPECT_THAT(party.transport().state().detail, HasSubstr("127.0.0.1"));
  EXPECT_THAT(party.publish(numbered_parcels(1)), ElementsAre(Carriage::refused));
  EXPECT_EQ(metric_value(world.metrics, "eilbote_broker_connected"), 0);
  world.recover();
  ASSERT_TRUE(party.is_connected());
  EXPECT_TRUE(eventually([&] { return party.ready() >= 2; }));
  EXPECT_THAT(party.publish(numbered_parcels(1)), ElementsAre(Carriage::confirmed));
  EXPECT_TRUE(party.has_arrivals(1));
}

}  // namespace
}  // namespace eilbote::test::sqs_transport_test
