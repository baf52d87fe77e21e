// The contents in memory: counted right after any order of loading, beginning and ending, and full where the limits say.
#include "engine/content_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "support/test_seed.h"

namespace eilbote::content_book_test {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;

Lease lease(std::int64_t job, std::int64_t token = 1) {
  return {JobId{job}, LeaseToken{token}};
}

TEST(ContentBook, is_full_by_host_by_channel_and_no_longer_when_one_is_over) {
  ContentBook book;
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(book.is_full(ChannelKind::webhook, "a.example")) << i;
    book.hold(lease(i), ChannelKind::webhook, "a.example", kMiB);
  }
  EXPECT_TRUE(book.is_full(ChannelKind::webhook, "a.example"));
  EXPECT_FALSE(book.is_full(ChannelKind::webhook, "b.example")) << "another host passes it";
  EXPECT_FALSE(book.is_full(ChannelKind::mail, "")) << "mails have a share of their own";
  book.let_go(lease(3));
  EXPECT_FALSE(book.is_full(ChannelKind::webhook, "a.example"));
  EXPECT_TRUE(book.is_consistent());
}

TEST(ContentBook, many_hosts_fill_the_webhooks_share_together) {
  ContentBook book;
  for (int i = 0; i < 32; ++i)
    book.hold(lease(i), ChannelKind::webhook, "host-" + std::to_string(i), 4 * kMiB);
  EXPECT_TRUE(book.is_full(ChannelKind::webhook, "a-new-host"));
  EXPECT_FALSE(book.is_full(ChannelKind::mail, ""));
}

TEST(ContentBook, counts_each_lease_once) {
  ContentBook book;
  book.hold(lease(1), ChannelKind::webhook, "a.example", 6 * kMiB);
  book.hold(lease(1), ChannelKind::webhook, "a.example", 6 * kMiB);
  EXPECT_FALSE(book.is_full(ChannelKind::webhook, "a.example"));
  book.begin(lease(1));
  book.begin(lease(1));
  EXPECT_EQ(book.open("a.example"), 1U);
  book.begin(lease(1, 2));  // the same job under another token is not held
  EXPECT_EQ(book.open("a.example"), 1U);
  book.let_go(lease(1));
  book.let_go(lease(1));
  EXPECT_EQ(book.open("a.example"), 0U);
  EXPECT_TRUE(book.is_consistent());
}

TEST(ContentBook, is_consistent_whatever_is_done_in_whatever_order) {
  const std::uint64_t seed = test::test_seed();
  SCOPED_TRACE("EILBOTE_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t below) { return static_cast<std::int64_t>(random() % below); };
  const std::vector<std::string> hosts{"a.example", "b.example", "c.example"};
  ContentBook book;
  std::map<Lease, std::string> held;  // the model: who is held for which host, and who has begun
  std::set<Lease> begun;
  for (int step = 0; step < 5'000; ++step) {
    const Lease one = lease(draw(40), 1 + draw(2));
    switch (draw(3)) {
      case 0: {
        const bool is_mail = one.first.value() % 4 == 0;
        const std::string host = is_mail ? "" : hosts[static_cast<std::size_t>(draw(hosts.size()))];
        book.hold(one, is_mail ? ChannelKind::mail : ChannelKind::webhook, host,
                  static_cast<std::size_t>(draw(kMiB)));
        held[one] = host;
        begun.erase(one);
        break;
      }
      case 1:
        book.begin(one);
        if (held.contains(one)) begun.insert(one);
        break;
      default:
        book.let_go(one);
        held.erase(one);
        begun.erase(one);
    }
    ASSERT_TRUE(book.is_consistent()) << "after step " << step;
  }
  for (const std::string& host : hosts)
    EXPECT_EQ(book.open(host),
              static_cast<std::size_t>(std::count_if(
                  begun.begin(), begun.end(), [&](const Lease& one) { return held.at(one) == host; })));
}

}  // namespace
}  // namespace eilbote::content_book_test
