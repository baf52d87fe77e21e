// The publisher, with a broker and a database that do as the test says: what is published, when, and what becomes of it. How
// it decides what to ask for is in publish_plan_test.cpp; how it ends, and who waits for it, in publisher_end_test.cpp.
#include <gtest/gtest.h>

#include "domain/tsid.h"
#include "support/eventually.h"
#include "support/metric_value.h"
#include "support/publisher_world.h"

namespace eilbote::test::publisher_test {
namespace {

using namespace std::chrono_literals;

struct PublisherTest : testing::Test, PublisherWorld {
  bool eventually_is(std::int64_t id, JobStatus status) {
    return eventually([&] { return book.status(id) == status; });
  }
  std::vector<std::size_t> batches() const { return transport.batches(); }
};

TEST_F(PublisherTest, publishes_what_is_due_and_marks_what_is_confirmed) {
  book.add(11, kMailLane);
  book.add(12, kWebhookLane);
  start();
  ASSERT_TRUE(eventually_is(11, JobStatus::published));
  ASSERT_TRUE(eventually_is(12, JobStatus::published));
  auto parcels = transport.published();
  std::ranges::sort(parcels, {}, &Parcel::queue);
  ASSERT_EQ(parcels.size(), 2u);
  EXPECT_EQ(parcels[0].queue, CarrierQueue::mail_send);
  EXPECT_EQ(parcels[0].id, to_text(JobId{11}) + "-1");
  EXPECT_EQ(parcels[0].body, carried_job_text({JobId{11}, "key-11", 1}));
  EXPECT_EQ(parcels[1].queue, CarrierQueue::webhook_send);
}

TEST_F(PublisherTest, a_retry_travels_as_its_attempt_and_is_counted) {
  book.add(11, kMailLane, 0s, 3);
  start();
  ASSERT_TRUE(eventually_is(11, JobStatus::published));
  EXPECT_EQ(transport.published().at(0).queue, CarrierQueue::mail_send);
  EXPECT_EQ(parse_carried_job(transport.published().at(0).body)->attempt, 4);
  EXPECT_TRUE(
      eventually([&] { return metric_value(metrics, "eilbote_requeued_total{cause=\"published\"}") == 1; }));
}

TEST_F(PublisherTest, retries_of_mails_may_travel_apart) {
  options.retries_apart = true;
  book.add(11, kMailLane, 0s, 3);
  book.add(12, kMailLane);
  book.add(13, kWebhookLane, 0s, 3);
  start();
  ASSERT_TRUE(eventually([&] { return book.count(JobStatus::published) == 3; }));
  std::map<std::string, CarrierQueue> queues;
  for (const Parcel& parcel : transport.published())
    queues[parcel.id] = parcel.queue;
  EXPECT_EQ(queues.at(to_text(JobId{11}) + "-4"), CarrierQueue::mail_retry);
  EXPECT_EQ(queues.at(to_text(JobId{12}) + "-1"), CarrierQueue::mail_send);
  EXPECT_EQ(queues.at(to_text(JobId{13}) + "-4"), CarrierQueue::webhook_send);
}

TEST_F(PublisherTest, new_work_is_published_when_its_lane_is_woken) {
  start();
  ASSERT_TRUE(eventually([&] { return book.looks() > 0; }));
  book.add(11, kMailLane);  // a lane it does not know yet
  wake(kMailLane);
  ASSERT_TRUE(eventually_is(11, JobStatus::published));
  book.add(12, kMailLane);
  wake(kMailLane);
  ASSERT_TRUE(eventually_is(12, JobStatus::published));
}

TEST_F(PublisherTest, what_becomes_due_is_published_without_being_asked_for) {
  book.add(11, kMailLane, 300ms);
  start();
  ASSERT_TRUE(eventually_is(11, JobStatus::published));
  EXPECT_EQ(book.looks(), 1);
}

TEST_F(PublisherTest, what_becomes_due_is_published_however_long_the_look_took) {
  book.look_takes = 100ms;
  book.add(11, kMailLane, 300ms);
  start();
  ASSERT_TRUE(eventually_is(11, JobStatus::published)) << "it came too early, and never again";
  EXPECT_EQ(book.looks(), 1);
}

TEST_F(PublisherTest, looks_around_for_what_nobody_told_it_of) {
  options.pending_poll = 20ms;
  start();
  ASSERT_TRUE(eventually([&] { return book.looks() > 1; }));
  book.add(11, kMailLane);
  ASSERT_TRUE(eventually_is(11, JobStatus::published));
}

TEST_F(PublisherTest, claims_nothing_while_the_broker_is_away_and_goes_on_when_it_is_back) {
  transport.set_connected(false);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return book.looks() > 0; }));
  EXPECT_TRUE(throughout([&] { return book.status(11) == JobStatus::queued && book.rounds() == 0; }, 100ms));
  transport.set_connected(true);
  EXPECT_TRUE(eventually_is(11, JobStatus::published));
}

TEST_F(PublisherTest, claims_nothing_while_the_queue_is_long_enough) {
  options.depth_max = 100;
  transport.set_waiting(CarrierQueue::mail_send, 100);
  book.add(11, kMailLane);
  book.add(12, kWebhookLane);
  start();
  ASSERT_TRUE(eventually_is(12, JobStatus::published));
  EXPECT_TRUE(throughout([&] { return book.status(11) == JobStatus::queued; }, 100ms));
  transport.set_waiting(CarrierQueue::mail_send, 99);  // nobody says so: it asks again
  EXPECT_TRUE(eventually_is(11, JobStatus::published));
}

TEST_F(PublisherTest, has_two_batches_at_the_broker_and_no_third) {
  transport.answer_all_with(std::nullopt);
  for (int id = 1; id <= 1'300; ++id)
    book.add(id, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 2; }));
  EXPECT_TRUE(throughout([&] { return batches() == std::vector<std::size_t>{500, 500}; }, 100ms));
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  ASSERT_TRUE(eventually([&] { return transport.open() == 2; }));
  EXPECT_EQ(batches().back(), 300u);
  EXPECT_EQ(book.count(JobStatus::published), 500u);
  transport.answer_all_with(Carriage::confirmed);
  ASSERT_TRUE(transport.answer(Carriage::confirmed) && transport.answer(Carriage::confirmed));
  EXPECT_TRUE(eventually([&] { return book.count(JobStatus::published) == 1'300; }));
}

TEST_F(PublisherTest, a_flood_does_not_stand_in_front_of_a_few) {
  book.add_lane(3, ChannelKind::mail, std::string(kMailPool), "flood");
  for (int id = 1; id <= 2'000; ++id)
    book.add(id, 3);
  for (int id = 5'001; id <= 5'003; ++id)
    book.add(id, kMailLane);
  transport.answer_all_with(std::nullopt);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() > 0; }));
  EXPECT_NE(book.status(5'003), JobStatus::queued);
}

TEST_F(PublisherTest, a_refused_job_waits_and_its_queue_is_left_alone_meanwhile) {
  transport.refuse_queue(CarrierQueue::mail_send);
  for (int id = 1; id <= 2'000; ++id)
    book.add(id, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return !book.marks().empty(); }));
  book.add(9'001, kWebhookLane);
  wake(kWebhookLane);
  EXPECT_TRUE(eventually_is(9'001, JobStatus::published));
  EXPECT_TRUE(throughout([&] { return transport.published().size() <= 1'001; }, 100ms));
  for (const PublishMark& mark : book.marks())
    EXPECT_TRUE(mark.published || mark.delay == 1s);
  transport.refuse_queue(CarrierQueue::mail_send, false);
  EXPECT_TRUE(eventually([&] { return book.count(JobStatus::published) == 2'001; }));
}

TEST_F(PublisherTest, one_refused_job_does_not_hold_the_others) {
  transport.answer_all_with(std::nullopt);
  book.add(1, kMailLane);
  book.add(2, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  ASSERT_TRUE(transport.answer({Carriage::refused, Carriage::confirmed}));
  transport.answer_all_with(Carriage::confirmed);
  ASSERT_TRUE(eventually_is(2, JobStatus::published));
  book.add(3, kMailLane);
  wake(kMailLane);
  EXPECT_TRUE(eventually_is(3, JobStatus::published));
  EXPECT_EQ(book.status(1), JobStatus::queued);
  EXPECT_TRUE(eventually_is(1, JobStatus::published));
}

TEST_F(PublisherTest, a_lost_confirm_is_published_again_and_counted) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  ASSERT_TRUE(transport.answer(Carriage::unknown));
  transport.answer_all_with(Carriage::confirmed);
  ASSERT_TRUE(eventually_is(11, JobStatus::published));
  EXPECT_EQ(book.marks().at(0).delay, 0s);
  const auto parcels = transport.published();
  ASSERT_EQ(parcels.size(), 2u);
  EXPECT_EQ(parcels[0].id, parcels[1].id);
  EXPECT_EQ(metric_value(metrics, R"(eilbote_broker_republished_total{queue="email.dispatcher.send"})"), 1);
}

TEST_F(PublisherTest, what_was_stale_in_the_broker_is_counted_as_published_again) {
  book.add(11, kWebhookLane);
  book.set_published_before(11);
  book.add(12, kWebhookLane);
  start();
  ASSERT_TRUE(eventually_is(12, JobStatus::published));
  EXPECT_EQ(metric_value(metrics, R"(eilbote_broker_republished_total{queue="dispatch.jobs.send"})"), 1);
}

TEST_F(PublisherTest, pools_that_are_limited_suspended_or_unknown_do_not_travel) {
  add_pool("slow", true);
  add_pool("off", false, PoolStatus::SUSPENDED);
  int lane = 10;
  for (const char* pool : {"slow", "off", "unheard-of"}) {
    book.add_lane(++lane, ChannelKind::webhook, pool);
    book.add(lane, lane);
  }
  book.add(21, kMailLane);
  start();
  ASSERT_TRUE(eventually_is(21, JobStatus::published));
  EXPECT_TRUE(throughout([&] { return transport.published().size() == 1; }, 50ms));
  EXPECT_EQ(book.count(JobStatus::queued), 3u);
}

TEST_F(PublisherTest, a_paused_lane_waits_and_others_go_on) {
  const LaneId lanes[] = {LaneId{kWebhookLane}};
  ASSERT_TRUE(book.pause_lanes(lanes, kFullPause + 400ms));
  for (int id = 1; id <= 50; ++id)
    book.add(id, kWebhookLane);
  book.add(51, kMailLane);
  start();
  ASSERT_TRUE(eventually_is(51, JobStatus::published));
  EXPECT_EQ(transport.published().size(), 1u);
  ASSERT_TRUE(eventually([&] { return transport.published().size() > 1; }));
  EXPECT_EQ(batches().back(), 4u);  // first only a few
  EXPECT_TRUE(throughout([&] { return transport.published().size() == 5; }, 200ms));
}

TEST_F(PublisherTest, mails_wait_when_they_go_out_only_on_demand) {
  options.mails = false;
  book.add(11, kMailLane);
  book.add(12, kWebhookLane);
  start();
  ASSERT_TRUE(eventually_is(12, JobStatus::published));
  EXPECT_TRUE(throughout([&] { return book.status(11) == JobStatus::queued; }, 50ms));
}

TEST_F(PublisherTest, a_job_that_a_worker_started_before_the_mark_stays_started) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  book.start(11);
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  ASSERT_TRUE(eventually([&] { return !book.marks().empty(); }));
  EXPECT_EQ(book.status(11), JobStatus::dispatching);
}

TEST_F(PublisherTest, a_claim_whose_answer_was_lost_is_freed_and_published) {
  book.lose_answers(1);
  book.add(11, kMailLane);
  start();
  EXPECT_TRUE(eventually_is(11, JobStatus::published));
  EXPECT_EQ(book.released(), 1);
  EXPECT_EQ(transport.published().size(), 1u);
  EXPECT_EQ(metric_value(metrics, "eilbote_leases_freed_total"), 1);
}

TEST_F(PublisherTest, what_the_broker_has_is_not_freed_with_what_was_lost) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  book.lose_answers(1);
  book.add(12, kWebhookLane);
  wake(kWebhookLane);
  ASSERT_TRUE(eventually([&] { return transport.open() == 2; }));
  EXPECT_EQ(book.released(), 1) << "the lost claim alone";
  EXPECT_EQ(book.status(11), JobStatus::publishing);
  ASSERT_TRUE(transport.answer(Carriage::confirmed) && transport.answer(Carriage::confirmed));
  EXPECT_TRUE(eventually_is(11, JobStatus::published) && eventually_is(12, JobStatus::published));
  EXPECT_EQ(transport.published().size(), 2U);
}

TEST_F(PublisherTest, a_mark_whose_answer_was_lost_is_marked_again_and_not_freed) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  book.lose_answers(1);
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  ASSERT_TRUE(eventually([&] { return book.marks().size() == 2; }));
  EXPECT_EQ(book.status(11), JobStatus::published);
  EXPECT_EQ(book.released(), 0);
}

TEST_F(PublisherTest, what_was_confirmed_is_marked_once_the_database_is_back) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  book.fail_with(ErrorKind::unavailable);
  const int before = book.rounds();
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  ASSERT_TRUE(eventually([&] { return book.rounds() > before + 2; }));
  EXPECT_EQ(book.status(11), JobStatus::publishing);
  book.fail_with(std::nullopt);
  EXPECT_TRUE(eventually_is(11, JobStatus::published));
}

TEST_F(PublisherTest, claims_nothing_with_a_lease_it_cannot_trust) {
  instance.end();
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return book.looks() > 0; }));
  EXPECT_TRUE(throughout([&] { return book.rounds() == 0; }, 50ms));
}

TEST_F(PublisherTest, what_an_earlier_epoch_claimed_is_marked_with_its_token) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  const LeaseToken token = book.row(11).claim.token;
  ASSERT_TRUE(instance.begin());
  ASSERT_NE(epoch_of(token), instance.epoch());
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  ASSERT_TRUE(eventually_is(11, JobStatus::published));
  EXPECT_EQ(book.marks().at(0).token, token);
}

TEST_F(PublisherTest, one_that_does_not_schedule_publishes_only_what_it_is_woken_for) {
  options.schedules = false;
  options.pending_poll = 10ms;
  DeadLetter letter;
  letter.id = JobId{99};
  book.kill(letter);
  book.add(11, kMailLane);
  book.add(12, kWebhookLane);
  start();
  EXPECT_TRUE(throughout([&] { return book.looks() == 0 && book.rounds() == 0; }, 50ms));
  wake(kMailLane);
  ASSERT_TRUE(eventually_is(11, JobStatus::published));
  publisher->wake_all();
  EXPECT_TRUE(throughout([&] { return book.status(12) == JobStatus::queued; }, 50ms));
  EXPECT_EQ(transport.published().size(), 1u);
  EXPECT_EQ(book.untold_reads(), 0);
}

TEST_F(PublisherTest, dead_jobs_are_told) {
  DeadLetter letter;
  letter.id = JobId{99};
  letter.channel = ChannelKind::webhook;
  letter.key = "k";
  book.kill(letter);
  start();
  ASSERT_TRUE(eventually([&] { return book.untold() == 0; }));
  ASSERT_EQ(transport.published().size(), 1u);
  EXPECT_EQ(transport.published()[0].queue, CarrierQueue::webhook_dead);
  EXPECT_EQ(transport.published()[0].body, dead_letter_text(letter));
}

}  // namespace
}  // namespace eilbote::test::publisher_test
