// What the RabbitMQ transport keeps in mind: confirms that are open, acknowledgements to send, depths of queues, deaf consumers,
// pauses between tries.
#include <gtest/gtest.h>

#include "transport/ack_book.h"
#include "transport/broker_backoff.h"
#include "transport/confirm_book.h"
#include "transport/deaf_check.h"
#include "transport/queue_depths.h"

namespace eilbote::test::rabbitmq_books_test {
namespace {

using std::chrono::milliseconds;
using enum Carriage;
constexpr auto kMails = CarrierQueue::mail_send, kWebhooks = CarrierQueue::webhook_send;

SharedBatch written_batch(ConfirmBook& book, const std::vector<std::string>& ids) {
  auto batch = std::make_shared<ParcelBatch>();
  for (const std::string& id : ids)
    batch->parcels.push_back({kMails, id, "", ""});
  batch->answers.assign(ids.size(), refused);
  for (std::size_t i = 0; i < ids.size(); ++i)
    book.wrote(batch, i);
  batch->is_written = true;
  return batch;
}

TEST(ConfirmBook, confirms_come_in_any_order_for_one_or_for_many) {
  ConfirmBook book;
  const auto one = written_batch(book, {"a", "b", "c"}), two = written_batch(book, {"d", "e"});
  book.confirmed(4, false, true);
  EXPECT_FALSE(two->is_answered());
  book.confirmed(2, true, true);
  EXPECT_FALSE(one->is_answered());
  book.confirmed(3, false, false);
  EXPECT_TRUE(one->is_answered());
  EXPECT_EQ(one->answers, (std::vector{confirmed, confirmed, refused}));
  book.confirmed(5, true, true);
  EXPECT_EQ(two->answers, (std::vector{confirmed, confirmed}));
  EXPECT_TRUE(two->is_answered());
  book.confirmed(5, false, true);  // again, and one that never was
  book.confirmed(99, false, false);
  EXPECT_EQ(book.open(), 0U);
  EXPECT_TRUE(book.is_consistent());
}

TEST(ConfirmBook, what_came_back_is_refused_though_it_is_confirmed) {
  ConfirmBook book;
  const auto batch = written_batch(book, {"a", "b", "a"});
  book.returned("a");
  book.returned("nobody's");
  book.confirmed(3, true, true);
  EXPECT_EQ(batch->answers, (std::vector{refused, confirmed, confirmed})) << "the first of its id";
}

TEST(ConfirmBook, a_lost_connection_leaves_unknown_what_was_written) {
  ConfirmBook book;
  const auto batch = written_batch(book, {"a", "b", "c"});
  auto half = std::make_shared<ParcelBatch>();
  half->parcels = {{kMails, "d", "", ""}, {kMails, "e", "", ""}};
  half->answers.assign(2, refused);
  book.wrote(half, 0);
  half->is_written = true;
  book.confirmed(1, false, true);
  book.returned("b");
  book.lose_all();
  EXPECT_EQ(batch->answers, (std::vector{confirmed, refused, unknown}));
  EXPECT_EQ(half->answers, (std::vector{unknown, refused}));
  EXPECT_TRUE(batch->is_answered() && half->is_answered());
  const auto next = written_batch(book, {"f"});
  book.confirmed(1, false, true);
  EXPECT_EQ(next->answers, std::vector{confirmed}) << "numbers begin anew";
}

TEST(ConfirmBook, one_batch_is_given_up_and_its_confirms_come_too_late) {
  ConfirmBook book;
  const auto late = written_batch(book, {"a", "b"}), other = written_batch(book, {"c"});
  book.give_up(late);
  EXPECT_TRUE(late->is_answered());
  EXPECT_EQ(late->answers, (std::vector{unknown, unknown}));
  book.confirmed(3, true, true);
  EXPECT_EQ(late->answers, (std::vector{unknown, unknown}));
  EXPECT_EQ(other->answers, std::vector{confirmed});
}

TEST(AckBook, says_up_to_where_it_can) {
  AckBook book;
  std::vector<Receipt> receipts;
  for (std::uint64_t tag = 1; tag <= 6; ++tag)
    receipts.push_back(book.delivered(tag, tag % 2 == 0 ? kMails : kWebhooks));
  using Orders = std::vector<AckBook::Order>;
  EXPECT_EQ(book.acknowledge({receipts[2], receipts[0], receipts[1]}), (Orders{{3, true}}));
  EXPECT_EQ(book.acknowledge({receipts[5], receipts[3]}), (Orders{{4, false}, {6, false}}));
  EXPECT_EQ(book.held(kMails), 0);
  EXPECT_EQ(book.held(kWebhooks), 1);
  EXPECT_EQ(book.acknowledge({receipts[5], receipts[0], 0, ~Receipt{0}}), Orders{}) << "twice, or nobody's";
  EXPECT_EQ(book.acknowledge({receipts[4]}), (Orders{{5, false}}));
}

TEST(AckBook, receipts_of_a_former_connection_are_worth_nothing) {
  AckBook book;
  const Receipt old = book.delivered(1, kMails);
  book.begin_anew();
  EXPECT_EQ(book.held(kMails), 0);
  const Receipt now = book.delivered(1, kMails);
  EXPECT_NE(old, now);
  EXPECT_TRUE(book.acknowledge({old}).empty());
  EXPECT_EQ(book.acknowledge({now}).size(), 1U);
}

class Depths : public testing::Test {
 protected:
  QueueDepths depths;
  QueueDepths::Steady now{std::chrono::hours{1}};
};

TEST_F(Depths, what_is_published_counts_until_the_broker_is_asked_again) {
  EXPECT_EQ(depths.waiting(kMails, now).messages, std::nullopt);
  EXPECT_TRUE(depths.take_due(now).empty()) << "nothing is known: not connected";
  depths.heard(kMails, 10);
  depths.published(kMails);
  EXPECT_EQ(depths.waiting(kMails, now).messages, 11);
  ASSERT_EQ(depths.take_due(now), std::vector{kMails});
  depths.published(kMails);
  EXPECT_EQ(depths.waiting(kMails, now).messages, 12);
  depths.heard(kMails, 3);
  EXPECT_EQ(depths.waiting(kMails, now).messages, 4) << "the last one may not be in the broker's count";
  depths.forget();
  EXPECT_EQ(depths.waiting(kMails, now).messages, std::nullopt);
}

TEST_F(Depths, is_asked_for_soon_while_something_is_in_it_and_somebody_wants_to_know) {
  depths.heard(kMails, 10);
  depths.heard(kWebhooks, 0);
  EXPECT_FALSE(depths.next_due()) << "nobody wants to know";
  EXPECT_TRUE(depths.waiting(kMails, now).ask);
  EXPECT_TRUE(depths.waiting(kWebhooks, now).ask);
  EXPECT_FALSE(depths.waiting(kMails, now).ask) << "known already";
  EXPECT_EQ(depths.take_due(now).size(), 2U);
  EXPECT_EQ(depths.open_since(), now);
  EXPECT_FALSE(depths.next_due()) << "asked, and not answered";
  depths.heard(kMails, 9);
  depths.heard(kWebhooks, 0);
  EXPECT_FALSE(depths.open_since());
  depths.waiting(kMails, now);
  depths.waiting(kWebhooks, now);
  EXPECT_EQ(depths.next_due(), now + milliseconds{20});
  EXPECT_TRUE(depths.take_due(now + milliseconds{19}).empty());
  EXPECT_EQ(depths.take_due(now + milliseconds{20}), std::vector{kMails});
  depths.drop_questions();
  EXPECT_EQ(depths.take_due(now + milliseconds{1000}), (std::vector{kMails, kWebhooks}));
}

TEST(DeafCheck, messages_that_wait_twice_and_do_not_come) {
  DeafCheck check;
  EXPECT_TRUE(check.wants_depth(kMails, true));
  EXPECT_FALSE(check.is_deaf(kMails, 5)) << "they may be on their way";
  check.arrived(kMails);
  EXPECT_FALSE(check.wants_depth(kMails, true)) << "it hears";
  EXPECT_TRUE(check.wants_depth(kMails, true));
  EXPECT_FALSE(check.is_deaf(kMails, 5));
  EXPECT_FALSE(check.wants_depth(kMails, false)) << "no room for them";
  EXPECT_TRUE(check.wants_depth(kMails, true));
  EXPECT_FALSE(check.is_deaf(kMails, 5));
  EXPECT_FALSE(check.is_deaf(kMails, 5)) << "nobody asked";
  EXPECT_TRUE(check.wants_depth(kMails, true));
  EXPECT_TRUE(check.is_deaf(kMails, 5));
}

TEST(BrokerBackoff, doubles_up_to_ten_seconds_and_spreads) {
  FixedRandom most(~std::uint64_t{0}), least(0);
  BrokerBackoff backoff;
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 9; ++i)
    waits.push_back(backoff.next(least).count());
  EXPECT_EQ(waits, (std::vector<std::int64_t>{50, 100, 200, 400, 800, 1600, 3200, 5000, 5000}));
  EXPECT_GE(backoff.next(most), milliseconds{9990});
  backoff.reset();
  EXPECT_LE(backoff.next(most), milliseconds{100});
}

}  // namespace
}  // namespace eilbote::test::rabbitmq_books_test
