// What is told once the database has decided about a broker's messages: to the broker, to the metrics, and to publishers.
#include "engine/offer_desk.h"

#include <gtest/gtest.h>

#include "metrics/metrics.h"
#include "support/metric_value.h"

namespace eilbote::test::offer_desk_test {
namespace {

using namespace std::chrono_literals;

struct Pause {
  std::vector<int> lanes;
  Duration time{};
  friend bool operator==(const Pause&, const Pause&) = default;
};

class OfferDeskTest : public testing::Test {
 protected:
  // Offers a job, and has the exchange of the next round ask about it.
  ClaimedJob asked(std::int64_t id, int lane = 1) {
    desk_.add(std::vector{Offer{{JobId{id}, 1}, ChannelKind::mail, static_cast<Receipt>(id)}});
    desk_.book().take(ChannelKind::mail, 1);
    ClaimedJob job;
    job.job.id = JobId{id};
    job.lane = LaneId{lane};
    return job;
  }
  double counted(const std::string& outcome) {
    return metric_value(metrics_, R"(eilbote_broker_messages_total{outcome=")" + outcome +
                                      R"(",queue="email.dispatcher.send"})")
        .value_or(0);
  }

  Metrics metrics_;
  std::vector<Receipt> acknowledged_;
  std::vector<Pause> pauses_;
  Clock::Steady now_{1000s};
  OfferDesk desk_{{[this](std::span<const Receipt> receipts) {
                     acknowledged_.insert(acknowledged_.end(), receipts.begin(), receipts.end());
                   },
                   [this](std::span<const LaneId> lanes, Duration time) {
                     Pause pause{{}, time};
                     for (const LaneId lane : lanes)
                       pause.lanes.push_back(lane.value());
                     pauses_.push_back(std::move(pause));
                   }},
                  metrics_};
};

TEST_F(OfferDeskTest, everything_that_was_asked_about_is_acknowledged_and_counted_once) {
  desk_.started(asked(1));
  desk_.put_back(asked(2), WayOut::elsewhere);
  asked(3);
  desk_.add(std::vector{Offer{{JobId{1}, 1}, ChannelKind::mail, 11}});
  desk_.finish_round(now_);
  EXPECT_EQ(acknowledged_, (std::vector<Receipt>{1, 11, 2, 3}));
  EXPECT_EQ(counted("started"), 1);
  EXPECT_EQ(counted("put-back"), 1);
  EXPECT_EQ(counted("stale"), 2) << "what was not claimed, and the twin of what was";
  EXPECT_TRUE(pauses_.empty()) << "another instance is to start it, now";
  desk_.finish_round(now_);
  EXPECT_EQ(acknowledged_.size(), 4U);
}

TEST_F(OfferDeskTest, what_was_claimed_because_it_was_offered_is_told_apart) {
  const ClaimedJob offered = asked(1), ordered = asked(2);
  ClaimedJob by_lane;
  by_lane.job.id = JobId{3};
  std::vector<ClaimedJob> claimed{by_lane, offered, ordered};
  const auto taken = desk_.take_offered(claimed, JobId{2});
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].job.id, JobId{1});
  ASSERT_EQ(claimed.size(), 2U);
  EXPECT_EQ(claimed[0].job.id, JobId{3});
  EXPECT_EQ(claimed[1].job.id, JobId{2});
}

TEST_F(OfferDeskTest, pauses_a_lane_at_most_once_a_second_and_the_longer_one_counts) {
  desk_.put_back(asked(1, 1), WayOut::full);
  desk_.put_back(asked(2, 1), WayOut::closed);
  desk_.put_back(asked(3, 2), WayOut::full);
  desk_.put_back(asked(4, 2), WayOut::full);
  desk_.finish_round(now_);
  EXPECT_EQ(pauses_, (std::vector<Pause>{{{1}, 5s}, {{2}, 1s}}));
  now_ += 999ms;
  desk_.put_back(asked(5, 1), WayOut::closed);
  desk_.put_back(asked(6, 3), WayOut::closed);
  desk_.finish_round(now_);
  EXPECT_EQ(pauses_.size(), 3U);
  EXPECT_EQ(pauses_.back(), (Pause{{3}, 5s}));
  now_ += 1ms;
  desk_.put_back(asked(7, 1), WayOut::closed);
  desk_.finish_round(now_);
  EXPECT_EQ(pauses_.back(), (Pause{{1}, 5s}));
}

}  // namespace
}  // namespace eilbote::test::offer_desk_test
