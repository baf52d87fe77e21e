// Two routes as one.
#include "channel/fallback_channel.h"

#include <gtest/gtest.h>

#include "metrics/metrics.h"
#include "support/scripted_channel.h"

namespace eilbote::test::fallback_channel_test {
namespace {

using namespace std::chrono_literals;

class Fallback : public testing::Test {
 protected:
  Fallback() {
    auto first = std::make_unique<ScriptedChannel>(), second = std::make_unique<ScriptedChannel>();
    first_ = first.get();
    second_ = second.get();
    channel_ = make_fallback_channel(std::move(first), std::move(second), BreakerRules{}, clock_, metrics_);
  }
  void deliver() {
    MailDelivery delivery;
    delivery.content.recipients = {{RecipientKind::to, "ann@example.org"}};
    channel_->deliver(std::move(delivery),
                      [this](DeliveryResult result) { results_.push_back(std::move(result)); });
  }
  static DeliveryResult failed(Verdict verdict) { return ScriptedChannel::failed(verdict, "why"); }

  FakeClock clock_;
  Metrics metrics_;
  ScriptedChannel *first_, *second_;
  std::unique_ptr<MailChannel> channel_;
  std::vector<DeliveryResult> results_;
};

TEST_F(Fallback, IsNotUsedWhileTheFirstWorks) {
  deliver();
  auto open = first_->next();
  open.done(ScriptedChannel::taken(open.delivery));
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_[0].verdict, Verdict::delivered);
  EXPECT_EQ(results_[0].route, "");
  EXPECT_EQ(second_->delivered(), 0);
}

TEST_F(Fallback, TakesTheMailsOfAFirstThatIsDown) {
  deliver();
  first_->next().done(failed(Verdict::route_fault));
  EXPECT_TRUE(results_.empty()) << "not over yet";
  auto open = second_->next();
  EXPECT_EQ(open.delivery.content.recipients.size(), 1u);
  open.done(ScriptedChannel::taken(open.delivery));
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_[0].route, "scripted");
  deliver();
  EXPECT_EQ(first_->delivered(), 1) << "known to be down";
  EXPECT_EQ(second_->delivered(), 2);
}

TEST_F(Fallback, IsNotForWhatTheFirstRefusedOrMayHaveTaken) {
  for (const Verdict verdict : {Verdict::permanent, Verdict::configuration, Verdict::transient,
                                Verdict::deferred, Verdict::uncertain, Verdict::released}) {
    deliver();
    first_->next().done(failed(verdict));
    EXPECT_EQ(results_.back().verdict, verdict);
  }
  deliver();
  DeliveryResult partly = failed(Verdict::route_fault);
  partly.recipients = {{0, RecipientStatus::refused, "550 no"}};
  first_->next().done(partly);
  deliver();
  DeliveryResult turned_away = failed(Verdict::route_fault);
  turned_away.smtp_code = 554;
  first_->next().done(turned_away);
  EXPECT_EQ(results_.size(), 8u);
  EXPECT_EQ(second_->delivered(), 0);
}

TEST_F(Fallback, GivesTheFirstAnotherChanceWhenAProbeSucceeds) {
  deliver();
  first_->next().done(failed(Verdict::route_fault));
  first_->set_probe_answer(fail(ErrorKind::unavailable, "still down"));
  clock_.advance(31s);
  deliver();
  EXPECT_EQ(first_->delivered(), 1);
  first_->set_probe_answer({});
  clock_.advance(31s);
  deliver();
  EXPECT_EQ(first_->delivered(), 2);
}

TEST_F(Fallback, BothGiveBackWhatHasNotBegun) {
  deliver();
  first_->next().done(failed(Verdict::route_fault));
  ASSERT_TRUE(second_->comes(10s)) << "the first is down";
  clock_.advance(31s);  // its probe succeeds
  deliver();
  ASSERT_TRUE(first_->comes(10s));
  channel_->release_waiting();
  ASSERT_EQ(results_.size(), 2u);
  for (const DeliveryResult& result : results_)
    EXPECT_EQ(result.verdict, Verdict::released);
  EXPECT_EQ(channel_->route(), "scripted");
}

TEST_F(Fallback, BothForgetWhatWasSettled) {
  const Lease lease{JobId{7}, make_lease_token(Epoch{1}, 1)};
  channel_->settled({&lease, 1});
  EXPECT_EQ(first_->forgotten(), 1U);
  EXPECT_EQ(second_->forgotten(), 1U);
}

TEST_F(Fallback, FailsWhenBothAreDown) {
  deliver();
  first_->next().done(failed(Verdict::route_fault));
  second_->next().done(failed(Verdict::route_fault));
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_[0].verdict, Verdict::route_fault);
  first_->set_probe_answer(fail(ErrorKind::unavailable, "one"));
  second_->set_probe_answer(fail(ErrorKind::unavailable, "two"));
  Result<void> probed;
  channel_->probe([&](Result<void> result) { probed = std::move(result); });
  ASSERT_FALSE(probed);
  EXPECT_EQ(probed.error().message, "one; and the fallback: two");
  second_->set_probe_answer({});
  channel_->probe([&](Result<void> result) { probed = std::move(result); });
  EXPECT_TRUE(probed);
}

}  // namespace
}  // namespace eilbote::test::fallback_channel_test
