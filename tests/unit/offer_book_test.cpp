// The book of a broker's messages: their order, their twins, and what becomes of those an exchange was asked about.
#include "engine/offer_book.h"

#include <gtest/gtest.h>

namespace eilbote::offer_book_test {
namespace {

Offer offer(std::int64_t id, Receipt receipt, std::optional<int> attempt = 1,
            ChannelKind channel = ChannelKind::mail) {
  return {{JobId{id}, attempt}, channel, receipt};
}

std::vector<std::int64_t> ids(const std::vector<OfferedJob>& jobs) {
  std::vector<std::int64_t> numbers;
  for (const OfferedJob& job : jobs)
    numbers.push_back(job.id.value());
  return numbers;
}
std::vector<Receipt> receipts(const std::vector<OfferBook::Message>& messages) {
  std::vector<Receipt> all;
  for (const OfferBook::Message& message : messages)
    all.insert(all.end(), message.receipts.begin(), message.receipts.end());
  return all;
}

using Ids = std::vector<std::int64_t>;
using Receipts = std::vector<Receipt>;

TEST(OfferBook, gives_the_oldest_first_by_channel) {
  OfferBook book;
  EXPECT_TRUE(book.empty());
  for (int i = 1; i <= 4; ++i)
    book.add(offer(i, static_cast<Receipt>(100 + i)));
  book.add(offer(9, 109, 1, ChannelKind::webhook));
  EXPECT_EQ(book.waiting(ChannelKind::mail), 4U);
  EXPECT_EQ(book.waiting(ChannelKind::webhook), 1U);
  EXPECT_EQ(ids(book.take(ChannelKind::mail, 3)), (Ids{1, 2, 3}));
  EXPECT_EQ(ids(book.take(ChannelKind::webhook, 3)), (Ids{9}));
  EXPECT_EQ(book.waiting(ChannelKind::mail), 1U);
  EXPECT_EQ(book.waiting(ChannelKind::webhook), 0U);
  EXPECT_EQ(receipts(book.decided()), (Receipts{101, 102, 103, 109}));
  EXPECT_FALSE(book.empty()) << "the fourth waits";
  EXPECT_EQ(ids(book.take(ChannelKind::mail, 3)), (Ids{4}));
  book.decided();
  EXPECT_TRUE(book.empty());
}

TEST(OfferBook, takes_none_when_there_is_no_room) {
  OfferBook book;
  book.add(offer(1, 1));
  EXPECT_TRUE(book.take(ChannelKind::mail, 0).empty());
  EXPECT_TRUE(book.take(ChannelKind::mail, -5).empty());
  EXPECT_TRUE(book.take(ChannelKind::webhook, 5).empty());
  EXPECT_EQ(book.waiting(ChannelKind::mail), 1U);
}

TEST(OfferBook, a_twin_shares_the_decision) {
  OfferBook book;
  book.add(offer(1, 11));
  book.add(offer(2, 12));
  book.add(offer(1, 13));
  EXPECT_EQ(ids(book.take(ChannelKind::mail, 10)), (Ids{1, 2}));
  book.add(offer(1, 14));  // it is just being asked about
  const auto decided = book.decided();
  ASSERT_EQ(decided.size(), 2U);
  EXPECT_EQ(decided[0].receipts, (Receipts{11, 13, 14}));
  EXPECT_EQ(decided[0].twins, 2);
  EXPECT_EQ(decided[1].twins, 0);
  EXPECT_TRUE(book.empty());
  book.add(offer(1, 15));  // after the decision it is a message of its own
  EXPECT_EQ(ids(book.take(ChannelKind::mail, 10)), (Ids{1}));
}

TEST(OfferBook, another_attempt_is_another_message_and_waits_for_the_next_exchange) {
  OfferBook book;
  book.add(offer(1, 11, 1));
  book.add(offer(1, 12, 2));
  book.add(offer(1, 13, std::nullopt));
  book.add(offer(2, 14, 1));
  EXPECT_EQ(ids(book.take(ChannelKind::mail, 10)), (Ids{1, 2})) << "no job twice in one exchange";
  EXPECT_EQ(receipts(book.decided()), (Receipts{11, 14}));
  const auto next = book.take(ChannelKind::mail, 10);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].attempt, 2);
  EXPECT_EQ(receipts(book.decided()), (Receipts{12}));
  EXPECT_EQ(book.take(ChannelKind::mail, 10).at(0).attempt, std::nullopt);
}

TEST(OfferBook, what_an_exchange_failed_for_is_first_in_line_again) {
  OfferBook book;
  for (int i = 1; i <= 4; ++i)
    book.add(offer(i, static_cast<Receipt>(i)));
  book.add(offer(9, 9, 1, ChannelKind::webhook));
  book.take(ChannelKind::mail, 2);
  book.take(ChannelKind::webhook, 2);
  EXPECT_TRUE(book.is_asked(JobId{1}));
  EXPECT_FALSE(book.is_asked(JobId{3}));
  book.failed();
  EXPECT_FALSE(book.is_asked(JobId{1}));
  EXPECT_TRUE(book.decided().empty()) << "nothing was decided";
  book.add(offer(1, 21));
  EXPECT_EQ(ids(book.take(ChannelKind::mail, 10)), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(ids(book.take(ChannelKind::webhook, 10)), (Ids{9}));
  EXPECT_EQ(receipts(book.decided()), (Receipts{1, 21, 2, 3, 4, 9}));
}

TEST(OfferBook, keeps_the_newest_receipts_of_a_message_that_comes_again_and_again) {
  OfferBook book;
  for (Receipt receipt = 1; receipt <= OfferBook::kReceiptsMax + 3; ++receipt)
    book.add(offer(1, receipt));
  book.take(ChannelKind::mail, 1);
  const auto decided = book.decided();
  ASSERT_EQ(decided.size(), 1U);
  EXPECT_EQ(decided[0].receipts.size(), OfferBook::kReceiptsMax);
  EXPECT_EQ(decided[0].receipts.front(), 4U);
  EXPECT_EQ(decided[0].twins, static_cast<int>(OfferBook::kReceiptsMax) + 2);
}

TEST(OfferBook, forgets_the_oldest_rather_than_grow_without_end) {
  OfferBook book;
  const auto many = static_cast<std::int64_t>(OfferBook::kWaitingMax) + 2;
  for (std::int64_t i = 1; i <= many; ++i)
    book.add(offer(i, static_cast<Receipt>(i)));
  EXPECT_EQ(book.waiting(ChannelKind::mail), OfferBook::kWaitingMax);
  EXPECT_EQ(ids(book.take(ChannelKind::mail, 1)), (Ids{3}));
  book.add(offer(1, 1));  // and does not take it for a twin of one that is gone
  EXPECT_EQ(book.waiting(ChannelKind::mail), OfferBook::kWaitingMax);
}

TEST(OfferBook, forgets_all_of_them) {
  OfferBook book;
  book.add(offer(1, 1));
  book.add(offer(2, 2));
  book.take(ChannelKind::mail, 1);
  book.clear();
  EXPECT_TRUE(book.empty());
  EXPECT_TRUE(book.decided().empty());
  EXPECT_TRUE(book.take(ChannelKind::mail, 5).empty());
}

}  // namespace
}  // namespace eilbote::offer_book_test
