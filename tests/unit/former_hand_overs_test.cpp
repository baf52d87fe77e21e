// What a dead process knew becomes the truth about its mails.
#include "channel/former_hand_overs.h"

#include <gtest/gtest.h>

namespace eilbote {
namespace {

const Lease kLease{JobId{7}, LeaseToken{11}};

std::vector<Recipient> recipients(int n) {
  std::vector<Recipient> all;
  for (int i = 0; i < n; ++i)
    all.push_back({RecipientKind::to, "a" + std::to_string(i) + "@example.org"});
  return all;
}

FormerHandOvers knowing(HandOverStage stage, int code = 0, const std::vector<std::size_t>& accepted = {0}) {
  HandOver one{kLease.second, kLease.first, stage, code};
  for (const std::size_t index : accepted)
    one.accepted.set(index);
  return FormerHandOvers({true, {one}});
}

TEST(FormerHandOvers, AMailThatHadNotLeftGoesBackToTheQueue) {
  EXPECT_FALSE(FormerHandOvers({true, {}}).what_became_of(kLease, recipients(1)));
  EXPECT_FALSE(knowing(HandOverStage::begun).what_became_of(kLease, recipients(1)));
  // The same job under another lease is another hand-over.
  EXPECT_FALSE(knowing(HandOverStage::dot).what_became_of({JobId{7}, LeaseToken{12}}, recipients(1)));
}

TEST(FormerHandOvers, ADotWithoutAnAnswerIsUncertain) {
  const auto result = knowing(HandOverStage::dot).what_became_of(kLease, recipients(1));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->verdict, Verdict::uncertain);
  EXPECT_EQ(result->code, "WORKER_LOST");
}

TEST(FormerHandOvers, WithoutAFileToBelieveEverythingIsUncertain) {
  const auto result = FormerHandOvers({false, {}}).what_became_of(kLease, recipients(1));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->verdict, Verdict::uncertain);
}

TEST(FormerHandOvers, AnAnsweredDotIsWhatItsAnswerSays) {
  const auto taken = knowing(HandOverStage::replied, 250).what_became_of(kLease, recipients(1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->verdict, Verdict::delivered);
  EXPECT_EQ(taken->smtp_code, 250);
  EXPECT_EQ(knowing(HandOverStage::replied, 451).what_became_of(kLease, recipients(1))->verdict,
            Verdict::transient);
  EXPECT_EQ(knowing(HandOverStage::replied, 554).what_became_of(kLease, recipients(1))->verdict,
            Verdict::permanent);
}

TEST(FormerHandOvers, OnlyThoseTheDotWasForAreTaken) {
  auto all = recipients(300);
  all[2].status = RecipientStatus::refused;
  const auto result = knowing(HandOverStage::replied, 250, {0, 2, 255}).what_became_of(kLease, all);
  ASSERT_TRUE(result);
  std::vector<int> taken;
  for (const RecipientResult& one : result->recipients)
    taken.push_back(one.index);
  ASSERT_EQ(taken.size(), 2u + 44u) << "those beyond the slot's room count as accepted";
  EXPECT_EQ(taken[0], 0);
  EXPECT_EQ(taken[1], 255);
  EXPECT_EQ(taken[2], 256);
}

}  // namespace
}  // namespace eilbote
