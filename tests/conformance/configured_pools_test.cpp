// Pools as the configuration has them, written when the store is opened and when the configuration is read again: missing ones
// are made, others follow, and what people changed stays as they left it.
#include <gtest/gtest.h>

#include "support/outbox_fixture.h"

namespace eilbote::test::configured_pools_test {
namespace {

EILBOTE_ON_BOTH_STORES(ConfiguredPools);

Pool pool(const std::string& code, int concurrency) {
  Pool made;
  made.code = made.name = code;
  made.concurrency = concurrency;
  made.limited = true;
  return made;
}

int concurrency_of(Registry& registry, const std::string& code) {
  const auto pools = registry.pools();
  if (!pools) return -1;
  const PoolRow* found = find_pool(*pools, code);
  return found == nullptr ? 0 : found->pool.concurrency;
}

TEST_P(ConfiguredPools, are_made_and_follow_the_configuration) {
  ASSERT_TRUE(registry().write_pools(std::vector{pool("bulk", 5), pool("slow", 1)}));
  EXPECT_EQ(concurrency_of(registry(), "bulk"), 5);
  ASSERT_TRUE(registry().write_pools(std::vector{pool("bulk", 7)}));
  EXPECT_EQ(concurrency_of(registry(), "bulk"), 7);
  EXPECT_EQ(concurrency_of(registry(), "slow"), 1) << "what is no longer named stays";
}

TEST_P(ConfiguredPools, leave_alone_what_people_changed) {
  ASSERT_TRUE(registry().write_pools(std::vector{pool("bulk", 5)}));
  ASSERT_TRUE(must(registry().change_pool(pool("bulk", 6), {"cli", "pool.change", "{}", "", "pool:bulk"})));
  ASSERT_TRUE(registry().write_pools(std::vector{pool("bulk", 7)}));
  EXPECT_EQ(concurrency_of(registry(), "bulk"), 6);
}

// A reload waits on the thread that takes SIGTERM.
TEST_P(ConfiguredPools, are_not_waited_for_without_end) {
  if (!on_postgres()) return;  // SQLite's one writer is this program
  ASSERT_TRUE(registry().write_pools(std::vector{pool("bulk", 5)}));
  const auto other = open_raw_postgres(options().url);
  other->run("BEGIN; UPDATE dispatch_pools SET name = 'held' WHERE code = 'bulk'");
  const auto written = registry().write_pools(std::vector{pool("bulk", 7)});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("lock timeout"), std::string::npos) << written.error().message;
  other->run("ROLLBACK");
  EXPECT_TRUE(registry().write_pools(std::vector{pool("bulk", 7)}));
  EXPECT_EQ(concurrency_of(registry(), "bulk"), 7);
}

}  // namespace
}  // namespace eilbote::test::configured_pools_test
