// An instance and the homes of limited pools: it counts on them only as long as nobody else can have them.
#include "engine/instance.h"

#include "support/outbox_fixture.h"

namespace eilbote::test::engine_instance_test {
namespace {

class InstanceHomes : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    accepted(new_mail().in_pool("bulk"));
    sql("UPDATE dispatch_pools SET limited = true WHERE code = 'bulk'");
    instance_ = std::make_unique<Instance>(care(), process_, "one", seconds{15});
    must(instance_->begin());
    EXPECT_TRUE(instance_->home_pools().empty()) << "not before a heartbeat said so";
    must(instance_->beat());
    EXPECT_EQ(instance_->home_pools(), kBulk);
  }

  const std::vector<std::string> kBulk{"bulk"};
  FakeClock process_;  // this process's own clock; the store has another
  std::unique_ptr<Instance> instance_;
};
INSTANTIATE_TEST_SUITE_P(Stores, InstanceHomes, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(InstanceHomes, AreNotCountedOnWithoutTrust) {
  process_.advance(seconds{11});
  EXPECT_EQ(instance_->home_pools(), kBulk);
  process_.advance(seconds{2});
  EXPECT_FALSE(instance_->trusted());
  EXPECT_TRUE(instance_->home_pools().empty()) << "the lease is about to end";
  must(instance_->beat());
  EXPECT_EQ(instance_->home_pools(), kBulk) << "it was in time";
}

TEST_P(InstanceHomes, AreTakenAnewAfterTheLeaseWasOver) {
  const Epoch before = instance_->epoch();
  travel(minutes{1});  // frozen: its own clock did not even see it
  must(instance_->beat());
  EXPECT_NE(instance_->epoch(), before);
  EXPECT_TRUE(instance_->trusted());
  EXPECT_TRUE(instance_->home_pools().empty()) << "somebody else may have them by now";
  must(instance_->beat());
  EXPECT_EQ(instance_->home_pools(), kBulk) << "nobody had";
}

TEST_P(InstanceHomes, ThatSomebodyTookStayWithHim) {
  if (!on_postgres()) GTEST_SKIP() << "SQLite has one instance";
  travel(minutes{1});
  Worker two = worker("two");
  ASSERT_EQ(must(care().heartbeat(two.epoch(), seconds{15}, true)).home_pools, kBulk);
  must(instance_->beat());
  must(instance_->beat());
  EXPECT_TRUE(instance_->home_pools().empty());
}

}  // namespace
}  // namespace eilbote::test::engine_instance_test
