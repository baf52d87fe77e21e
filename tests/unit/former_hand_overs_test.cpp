// What a dead process knew becomes the truth about its mails.
#include "channel/former_hand_overs.h"

#include <gtest/gtest.h>

namespace eilbote::former_hand_overs_test {
namespace {

const Lease kLease{JobId{7}, LeaseToken{11}};

std::vector<Recipient> recipients(int n) {
  std::vector<Recipient> all;
  for (int i = 0; i < n; ++i)
    all.push_back({RecipientKind::to, "a" + std::to_string(i) + "@example.org"});
  return all;
}

HandOver left(HandOverStage stage, int code = 0, const std::vector<std::size_t>& accepted = {0},
              const std::vector<std::size_t>& taken = {}) {
  HandOver one{kLease.second, kLease.first, stage, code};
  for (const std::size_t index : accepted)
    one.accepted.set(index);
  for (const std::size_t index : taken)
    one.taken.set(index);
  if (code >= 200 && code < 300) one.taken |= one.accepted;
  return one;
}
FormerHandOvers knowing(HandOverStage stage, int code = 0) {
  return FormerHandOvers({true, {left(stage, code)}});
}
// Each change as "3 taken".
std::vector<std::string> changes(const std::optional<DeliveryResult>& result) {
  std::vector<std::string> all;
  for (const RecipientResult& one : result->recipients)
    all.push_back(std::to_string(one.index) + " " + std::string(kRecipientStatusNames.text(one.status)));
  return all;
}
using Changes = std::vector<std::string>;

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
  const FormerHandOvers former({true, {left(HandOverStage::replied, 250, {0, 2, 255})}});
  EXPECT_EQ(changes(former.what_became_of(kLease, all)), (Changes{"0 taken", "255 taken"}));
}

// The mail needed several dots, and the process died at a later one.
TEST(FormerHandOvers, WhoWasTakenByAnEarlierDotStaysSo) {
  const auto at = [](HandOverStage stage, int code) {
    return FormerHandOvers({true, {left(stage, code, {1}, {0})}}).what_became_of(kLease, recipients(3));
  };
  EXPECT_EQ(at(HandOverStage::dot, 0)->verdict, Verdict::uncertain);
  EXPECT_EQ(changes(at(HandOverStage::dot, 0)), (Changes{"0 taken"}));
  EXPECT_EQ(at(HandOverStage::replied, 451)->verdict, Verdict::delivered);
  EXPECT_EQ(changes(at(HandOverStage::replied, 451)), (Changes{"0 taken"}));
  EXPECT_EQ(at(HandOverStage::replied, 554)->verdict, Verdict::delivered);
  EXPECT_EQ(changes(at(HandOverStage::replied, 554)), (Changes{"0 taken", "1 refused"}));
  EXPECT_EQ(changes(at(HandOverStage::replied, 250)), (Changes{"0 taken", "1 taken"}));
}

TEST(FormerHandOvers, AMailWithMoreRecipientsThanASlotHoldsIsUncertain) {
  const auto result = knowing(HandOverStage::replied, 250).what_became_of(kLease, recipients(1025));
  EXPECT_EQ(result->verdict, Verdict::uncertain);
}

// First the one relay, then the fallback: each has a slot for the mail.
TEST(FormerHandOvers, OfTwoSlotsForOneMailTheOneThatWentFurtherTells) {
  const HandOver first = left(HandOverStage::begun), second = left(HandOverStage::dot);
  EXPECT_EQ(FormerHandOvers({true, {first, second}}).what_became_of(kLease, recipients(1))->verdict,
            Verdict::uncertain);
  EXPECT_EQ(FormerHandOvers({true, {second, first}}).what_became_of(kLease, recipients(1))->verdict,
            Verdict::uncertain);
}

}  // namespace
}  // namespace eilbote::former_hand_overs_test
