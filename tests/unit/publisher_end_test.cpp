// Who waits for a job to be in the broker, and what the publisher leaves when it ends: everybody is answered, what is confirmed
// is marked, the rest is free.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/published_watch.h"
#include "support/eventually.h"
#include "support/publisher_world.h"

namespace eilbote::test::publisher_end_test {
namespace {

using namespace std::chrono_literals;
const Clock::Steady kStart{1000s};

// What a watch was told, and how often.
struct Told {
  std::atomic<int> times{0};
  std::atomic<bool> published{false};

  std::function<void(bool)> done() {
    return [this](bool is_published) {
      published = is_published;
      ++times;
    };
  }
  bool is(bool want) const { return times == 1 && published == want; }
};

TEST(PublishedWatch, answers_each_of_those_who_wait_for_a_job_once) {
  PublishedWatch watch;
  Told first, second, other;
  watch.add(JobId{1}, kStart + 5s, first.done());
  watch.add(JobId{1}, kStart + 5s, second.done());
  watch.add(JobId{2}, kStart + 5s, other.done());
  watch.published(JobId{1});
  EXPECT_TRUE(first.is(true) && second.is(true));
  EXPECT_EQ(other.times, 0);
  watch.published(JobId{1});
  watch.expire(kStart + 10s);
  EXPECT_TRUE(first.is(true) && second.is(true) && other.is(false));
  EXPECT_EQ(watch.next_deadline(), std::nullopt);
}

TEST(PublishedWatch, answers_by_the_deadline_and_not_before) {
  PublishedWatch watch;
  Told early, late;
  watch.add(JobId{1}, kStart + 2s, late.done());
  watch.add(JobId{2}, kStart + 1s, early.done());
  EXPECT_EQ(watch.next_deadline(), kStart + 1s);
  watch.expire(kStart + 999ms);
  EXPECT_EQ(early.times, 0);
  watch.expire(kStart + 1s);
  EXPECT_TRUE(early.is(false));
  EXPECT_EQ(late.times, 0);
  EXPECT_EQ(watch.next_deadline(), kStart + 2s);
}

TEST(PublishedWatch, those_of_other_jobs_keep_the_deadline_they_share) {
  PublishedWatch watch;
  Told first, second, third;
  watch.add(JobId{1}, kStart + 1s, first.done());
  watch.add(JobId{2}, kStart + 1s, second.done());
  watch.add(JobId{3}, kStart + 1s, third.done());
  watch.published(JobId{2});
  EXPECT_TRUE(second.is(true));
  EXPECT_EQ(watch.next_deadline(), kStart + 1s);
  watch.expire(kStart + 1s);
  EXPECT_TRUE(first.is(false) && second.is(true) && third.is(false));
}

TEST(PublishedWatch, remembers_the_latest_and_forgets_the_oldest) {
  PublishedWatch watch;
  for (std::size_t id = 1; id <= PublishedWatch::kRememberedMax + 1; ++id)
    watch.published(JobId{static_cast<std::int64_t>(id)});
  Told latest, second, oldest;
  watch.add(JobId{PublishedWatch::kRememberedMax + 1}, kStart, latest.done());
  watch.add(JobId{2}, kStart, second.done());
  watch.add(JobId{1}, kStart, oldest.done());
  EXPECT_TRUE(latest.is(true) && second.is(true));
  EXPECT_EQ(oldest.times, 0);
}

TEST(PublishedWatch, a_watch_too_many_is_answered_at_once) {
  Told last;
  std::atomic<int> answered{0};
  {
    PublishedWatch watch;
    for (std::size_t id = 1; id <= PublishedWatch::kWatchesMax; ++id)
      watch.add(JobId{static_cast<std::int64_t>(id)}, kStart, [&](bool) { ++answered; });
    watch.add(JobId{1}, kStart, last.done());
    EXPECT_TRUE(last.is(false));
    EXPECT_EQ(answered, 0);
  }
  EXPECT_EQ(answered, static_cast<int>(PublishedWatch::kWatchesMax));
}

struct PublisherEnd : testing::Test, PublisherWorld {};

TEST_F(PublisherEnd, a_watch_before_the_claim_is_told_once_the_job_is_confirmed_and_marked) {
  transport.answer_all_with(std::nullopt);
  start();
  Told told;
  publisher->when_published(JobId{11}, 60s, told.done());
  book.add(11, kWebhookLane);
  wake(kWebhookLane);
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  EXPECT_EQ(told.times, 0);
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  ASSERT_TRUE(eventually([&] { return told.is(true); }));
  EXPECT_EQ(book.status(11), JobStatus::published);
}

TEST_F(PublisherEnd, a_watch_after_the_mark_is_told_too) {
  book.add(11, kWebhookLane);
  start();
  ASSERT_TRUE(eventually([&] { return book.status(11) == JobStatus::published; }));
  Told told;
  publisher->when_published(JobId{11}, 60s, told.done());
  EXPECT_TRUE(eventually([&] { return told.is(true); }));
}

TEST_F(PublisherEnd, a_watch_of_a_job_that_a_worker_started_already_is_told) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kWebhookLane);
  start();
  Told told;
  publisher->when_published(JobId{11}, 60s, told.done());
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  book.start(11);
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  EXPECT_TRUE(eventually([&] { return told.is(true); }));
}

TEST_F(PublisherEnd, a_watch_ends_at_its_deadline_while_the_broker_is_away) {
  transport.set_connected(false);
  book.add(11, kWebhookLane);
  start();
  Told told;
  publisher->when_published(JobId{11}, 30ms, told.done());
  EXPECT_TRUE(eventually([&] { return told.is(false); }));
}

TEST_F(PublisherEnd, a_watch_outlives_a_refusal_until_its_deadline) {
  transport.answer_all_with(Carriage::refused);
  book.add(11, kWebhookLane);
  start();
  Told told;
  publisher->when_published(JobId{11}, 60s, told.done());
  ASSERT_TRUE(eventually([&] { return !book.marks().empty(); }));
  EXPECT_EQ(told.times, 0);
  transport.answer_all_with(Carriage::confirmed);
  EXPECT_TRUE(eventually([&] { return told.is(true); }));
}

TEST_F(PublisherEnd, the_end_answers_everybody_before_and_after) {
  transport.set_connected(false);
  start();
  Told before, after;
  publisher->when_published(JobId{11}, 60s, before.done());
  publisher->stop(0s);
  EXPECT_TRUE(before.is(false));
  publisher->when_published(JobId{11}, 60s, after.done());
  EXPECT_TRUE(after.is(false));
}

TEST_F(PublisherEnd, one_that_never_began_answers_at_its_end) {
  publisher = make_publisher(outbox, book, care, transport, instance, pools, clock, metrics, options);
  Told told;
  publisher->when_published(JobId{11}, 60s, told.done());
  publisher.reset();
  EXPECT_TRUE(told.is(false));
}

TEST_F(PublisherEnd, waits_for_what_is_being_confirmed_and_marks_it) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  book.add(12, kMailLane);  // comes too late
  {
    const std::jthread stopping([&] { publisher->stop(60s); });
    EXPECT_TRUE(throughout([&] { return book.marks().empty(); }, 30ms));
    ASSERT_TRUE(transport.answer(Carriage::confirmed));
  }
  EXPECT_EQ(book.status(11), JobStatus::published);
  EXPECT_EQ(book.status(12), JobStatus::queued);
}

TEST_F(PublisherEnd, frees_what_is_not_confirmed_within_the_grace) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  publisher->stop(10ms);
  EXPECT_EQ(book.status(11), JobStatus::queued);
  publisher.reset();
  EXPECT_TRUE(transport.answer(Carriage::confirmed));  // comes after the end, and harms nobody
}

TEST_F(PublisherEnd, ends_in_time_when_the_database_is_away) {
  transport.answer_all_with(std::nullopt);
  book.add(11, kMailLane);
  start();
  ASSERT_TRUE(eventually([&] { return transport.open() == 1; }));
  book.fail_with(ErrorKind::unavailable);
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  publisher->stop(50ms);
  EXPECT_EQ(book.status(11), JobStatus::publishing);  // rescue's, with this epoch's end
}

TEST_F(PublisherEnd, many_lives_used_from_several_threads) {
  constexpr int kLives = 20, kThreads = 3, kCallsEach = 20;
  for (int life = 0; life < kLives; ++life) {
    std::atomic<int> answers{0};
    start();
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
          for (int i = 0; i < kCallsEach; ++i) {
            const std::int64_t id = 1 + (life * kThreads + t) * kCallsEach + i;
            book.add(id, kWebhookLane);
            wake(kWebhookLane);
            publisher->wake_all();
            publisher->when_published(JobId{id}, i % 2 == 0 ? 60s : 0s, [&](bool) { ++answers; });
          }
        });
      if (life % 2 == 0) publisher->stop(0s);
    }
    publisher->stop(1s);
    EXPECT_EQ(answers, kThreads * kCallsEach);
    EXPECT_EQ(book.count(JobStatus::publishing), 0u);
  }
}

}  // namespace
}  // namespace eilbote::test::publisher_end_test
