// Letters about dead jobs: told at least once, noted as told only after the broker has them, and not asked for all the time
// while something is away.
#include "engine/dead_letter_desk.h"

#include <gtest/gtest.h>

#include "domain/tsid.h"
#include "metrics/metrics.h"
#include "support/lively_care.h"
#include "support/memory_publish_book.h"
#include "support/metric_value.h"
#include "support/scripted_transport.h"

namespace eilbote::test::dead_letter_desk_test {
namespace {

using namespace std::chrono_literals;
const Clock::Steady kStart{1000s};

DeadLetter letter(std::int64_t id, ChannelKind channel = ChannelKind::mail) {
  DeadLetter dead;
  dead.id = JobId{id};
  dead.channel = channel;
  dead.key = "key-" + std::to_string(id);
  dead.attempt = 8;
  dead.last_error = "550 no such user";
  return dead;
}

struct DeadLetterDeskTest : testing::Test {
  FakeClock clock;
  Metrics metrics;
  LivelyCare care;
  Instance instance{care, clock, "one", 15s};
  MemoryPublishBook book;
  ScriptedTransport transport;
  std::vector<std::vector<Carriage>> answers;  // not handed to the desk yet
  DeadLetterDesk desk{book,      care,
                      transport, instance,
                      metrics,   [this](std::vector<Carriage> some) { answers.push_back(std::move(some)); }};

  DeadLetterDeskTest() { (void)instance.begin(); }
  void hand_over(Clock::Steady now) {
    for (const auto& some : std::exchange(answers, {}))
      desk.carried(some, now);
  }
  // A look, and what the broker says to what was published.
  void look_and_answer(Carriage carriage, Clock::Steady now) {
    transport.answer_all_with(carriage);
    desk.look(now);
    hand_over(now);
  }
};

TEST_F(DeadLetterDeskTest, tells_each_channel_by_its_own_queue_and_notes_it) {
  book.kill(letter(1));
  book.kill(letter(2, ChannelKind::webhook));
  look_and_answer(Carriage::confirmed, kStart);
  const auto parcels = transport.published();
  ASSERT_EQ(parcels.size(), 2u);
  EXPECT_EQ(parcels[0].queue, CarrierQueue::mail_dead);
  EXPECT_EQ(parcels[0].body, dead_letter_text(letter(1)));
  EXPECT_EQ(parcels[1].queue, CarrierQueue::webhook_dead);
  EXPECT_NE(parcels[0].id, parcels[1].id);
  EXPECT_EQ(book.untold(), 0u);
  EXPECT_EQ(metric_value(metrics, R"(eilbote_dead_letters_total{queue="email.dispatcher.dlq"})"), 1);
  EXPECT_EQ(metric_value(metrics, R"(eilbote_dead_letters_total{queue="dispatch.jobs.dlq"})"), 1);
}

TEST_F(DeadLetterDeskTest, a_letter_is_not_noted_before_the_broker_has_it) {
  book.kill(letter(1));
  desk.look(kStart);
  ASSERT_EQ(transport.open(), 1u);
  EXPECT_TRUE(desk.is_waiting());
  EXPECT_EQ(book.untold(), 1u);
  desk.look(kStart + 1h);  // one at a time
  EXPECT_EQ(transport.published().size(), 1u);
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  hand_over(kStart + 1h);
  EXPECT_EQ(book.untold(), 0u);
  EXPECT_FALSE(desk.is_waiting());
}

TEST_F(DeadLetterDeskTest, what_was_not_confirmed_is_told_again_later_and_later) {
  book.kill(letter(1));
  Clock::Steady now = kStart;
  Duration longest{0};
  for (int i = 0; i < 10; ++i) {
    look_and_answer(i % 2 == 0 ? Carriage::refused : Carriage::unknown, now);
    EXPECT_EQ(book.untold(), 1u);
    const Duration pause = std::chrono::duration_cast<Duration>(desk.next_look() - now);
    EXPECT_GE(pause, longest);
    longest = pause;
    desk.look(desk.next_look() - 1ms);
    EXPECT_EQ(transport.published().size(), static_cast<std::size_t>(i) + 1);
    now = desk.next_look();
  }
  EXPECT_EQ(longest, 60s);
  look_and_answer(Carriage::confirmed, now);
  EXPECT_EQ(book.untold(), 0u);
}

TEST_F(DeadLetterDeskTest, of_a_batch_those_that_were_confirmed_are_noted) {
  for (int id = 1; id <= 3; ++id)
    book.kill(letter(id));
  desk.look(kStart);
  ASSERT_TRUE(transport.answer({Carriage::confirmed, Carriage::refused, Carriage::confirmed}));
  hand_over(kStart);
  EXPECT_EQ(book.untold(), 1u);
  look_and_answer(Carriage::confirmed, desk.next_look());
  EXPECT_EQ(transport.published().back().body, dead_letter_text(letter(2)));
}

TEST_F(DeadLetterDeskTest, many_are_told_page_by_page_without_a_pause) {
  for (int id = 1; id <= 450; ++id)
    book.kill(letter(id));
  int looks = 0;
  for (; looks < 10 && desk.next_look() <= kStart; ++looks)
    look_and_answer(Carriage::confirmed, kStart);
  EXPECT_EQ(book.untold(), 0u);
  EXPECT_EQ(transport.published().size(), 450u);
  EXPECT_EQ(looks, 4);  // three pages, and the look that found no more
}

TEST_F(DeadLetterDeskTest, the_database_is_not_asked_while_the_broker_is_away) {
  book.kill(letter(1));
  transport.set_connected(false);
  Clock::Steady now = kStart;
  for (int i = 0; i < 5; ++i, now = desk.next_look()) {
    desk.look(now);
    EXPECT_GT(desk.next_look(), now);
  }
  EXPECT_EQ(book.untold_reads(), 0);
  EXPECT_EQ(care.turns_asked, 0);
  transport.set_connected(true);
  look_and_answer(Carriage::confirmed, now);
  EXPECT_EQ(book.untold(), 0u);
}

TEST_F(DeadLetterDeskTest, another_instance_has_the_turn) {
  book.kill(letter(1));
  care.gives_turns = false;
  desk.look(kStart);
  EXPECT_EQ(book.untold_reads(), 0);
  care.gives_turns = true;
  look_and_answer(Carriage::confirmed, desk.next_look());
  EXPECT_EQ(book.untold(), 0u);
}

TEST_F(DeadLetterDeskTest, a_database_in_trouble_is_asked_again_later) {
  book.kill(letter(1));
  care.away = true;
  desk.look(kStart);
  EXPECT_EQ(desk.next_look(), kStart + 1s);
  care.away = false;
  book.fail_with(ErrorKind::unavailable);
  desk.look(kStart + 1s);
  EXPECT_EQ(desk.next_look(), kStart + 3s);
  book.fail_with(std::nullopt);
  look_and_answer(Carriage::confirmed, kStart + 3s);
  EXPECT_EQ(book.untold(), 0u);
}

TEST_F(DeadLetterDeskTest, what_could_not_be_noted_is_noted_later_without_telling_it_again) {
  book.kill(letter(1));
  desk.look(kStart);
  book.fail_with(ErrorKind::unavailable);
  ASSERT_TRUE(transport.answer(Carriage::confirmed));
  hand_over(kStart);
  EXPECT_EQ(book.untold(), 1u);
  book.fail_with(std::nullopt);
  desk.look(desk.next_look());
  EXPECT_EQ(book.untold(), 0u);
  EXPECT_EQ(transport.published().size(), 1u);
}

TEST_F(DeadLetterDeskTest, an_instance_without_a_life_tells_nobody) {
  book.kill(letter(1));
  clock.advance(1h);
  desk.look(kStart);
  EXPECT_EQ(care.turns_asked, 0);
}

}  // namespace
}  // namespace eilbote::test::dead_letter_desk_test
