// A broker's messages at the reception: those that name a job are offered to the ledger, the others never come again.
#include "engine/reception.h"

#include <gtest/gtest.h>

#include "domain/tsid.h"
#include "metrics/metrics.h"
#include "support/metric_value.h"

namespace eilbote::test::reception_test {
namespace {

using namespace std::chrono_literals;

// Only writes down what it is offered.
class ListeningLedger final : public Ledger {
 public:
  void start() override {}
  void stop(Duration) override {}
  void wake(std::span<const LaneId>) override {}
  void wake_all() override {}
  void offer(std::vector<Offer> offers) override {
    calls.push_back(offers.size());
    offered.insert(offered.end(), offers.begin(), offers.end());
  }
  void dispatch(DispatchOrder, std::function<void(Result<DispatchReport>)>) override {}
  bool holds(const Lease&) const override { return false; }
  std::vector<JobId> held_webhooks() const override { return {}; }
  std::vector<BreakerView> breakers() const override { return {}; }
  bool reset_breaker(const std::string&) override { return false; }
  std::optional<std::string> held_back(const Job&) const override { return std::nullopt; }

  std::vector<Offer> offered;
  std::vector<std::size_t> calls;
};

class ReceptionTest : public testing::Test {
 protected:
  static Arrival arrival(CarrierQueue queue, Receipt receipt, std::string body) {
    return {queue, receipt, std::move(body), false};
  }
  std::string message(std::int64_t id, std::optional<int> attempt) const {
    return carried_job_text({JobId{id}, "key", attempt});
  }
  double malformed(CarrierQueue queue) const {
    return metric_value(metrics_, R"(eilbote_broker_messages_total{outcome="malformed",queue=")" +
                                      std::string(kCarrierQueueNames.text(queue)) + R"("})")
        .value_or(0);
  }

  FakeClock clock_;
  Metrics metrics_;
  ListeningLedger ledger_;
  std::vector<Receipt> acknowledged_;
  Reception reception_{ledger_,
                       [this](std::span<const Receipt> receipts) {
                         acknowledged_.insert(acknowledged_.end(), receipts.begin(), receipts.end());
                       },
                       clock_, metrics_};
};

TEST_F(ReceptionTest, offers_what_names_a_job) {
  reception_.arrive({arrival(CarrierQueue::mail_send, 1, message(71, 1)),
                     arrival(CarrierQueue::mail_retry, 2, message(72, 3)),
                     arrival(CarrierQueue::webhook_send, 3, message(73, std::nullopt))});
  ASSERT_EQ(ledger_.offered.size(), 3U);
  EXPECT_EQ(ledger_.calls.size(), 1U) << "together, so that one exchange asks about all of them";
  struct Want {
    std::int64_t id;
    std::optional<int> attempt;
    ChannelKind channel;
    Receipt receipt;
  };
  const std::vector<Want> wanted{{71, 1, ChannelKind::mail, 1},
                                 {72, 3, ChannelKind::mail, 2},
                                 {73, std::nullopt, ChannelKind::webhook, 3}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Offer& got = ledger_.offered[i];
    EXPECT_EQ(got.job.id.value(), wanted[i].id);
    EXPECT_EQ(got.job.attempt, wanted[i].attempt);
    EXPECT_EQ(got.channel, wanted[i].channel);
    EXPECT_EQ(got.receipt, wanted[i].receipt);
  }
  EXPECT_TRUE(acknowledged_.empty()) << "only once the database has decided";
}

TEST_F(ReceptionTest, what_names_none_is_acknowledged_and_counted_by_queue) {
  reception_.arrive(
      {arrival(CarrierQueue::mail_send, 1, "hello"), arrival(CarrierQueue::mail_send, 2, ""),
       arrival(CarrierQueue::mail_send, 3, message(71, 1)),
       arrival(CarrierQueue::webhook_send, 4, R"({"attempt":1})"),
       arrival(CarrierQueue::mail_retry, 5, std::string(kCarriedBytesMax, ' ') + message(72, 1))});
  ASSERT_EQ(ledger_.offered.size(), 1U);
  EXPECT_EQ(ledger_.offered[0].job.id, JobId{71});
  EXPECT_EQ(acknowledged_, (std::vector<Receipt>{1, 2, 4, 5}));
  EXPECT_EQ(malformed(CarrierQueue::mail_send), 2);
  EXPECT_EQ(malformed(CarrierQueue::webhook_send), 1);
  EXPECT_EQ(malformed(CarrierQueue::mail_retry), 1);
}

TEST_F(ReceptionTest, the_log_hears_of_nonsense_now_and_then_and_never_what_it_says) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 50; ++i)
    reception_.arrive({arrival(CarrierQueue::mail_send, 1, "s3cret nonsense")});
  clock_.advance(10s);
  reception_.arrive({arrival(CarrierQueue::mail_send, 1, "s3cret nonsense")});
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(malformed(CarrierQueue::mail_send), 51) << "each is counted all the same";
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = log.find("not about a job", at)) != std::string::npos; ++at)
    ++lines;
  EXPECT_EQ(lines, 2U) << log;
  EXPECT_NE(log.find("count=50"), std::string::npos) << "the second line says how many there were: " << log;
  EXPECT_EQ(log.find("s3cret"), std::string::npos) << log;
}

}  // namespace
}  // namespace eilbote::test::reception_test
