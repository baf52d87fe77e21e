// The slots survive the process that marked them, and nothing else is believed.
#include "channel/hand_over_slots.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "support/temp_folder.h"

namespace eilbote::test::hand_over_slots_test {
namespace {

const std::string kBoot = "b0000000-0000-4000-8000-000000000001";

class HandOverSlotsTest : public testing::Test {
 protected:
  std::unique_ptr<HandOverSlots> open(const std::string& boot = kBoot, int count = 8) {
    auto opened = HandOverSlots::open(path_, count, boot);
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }
  // Leaves one hand-over of each stage behind, as a process does that is killed.
  void leave_all_stages() {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto slots = open();
      slots->begin();
      slots->take(LeaseToken{11}, JobId{101});
      slots->mark_dot(*slots->take(LeaseToken{12}, JobId{102}), {0, 70, 5000});
      const int answered = *slots->take(LeaseToken{13}, JobId{103});
      slots->mark_dot(answered, {0});
      slots->mark_reply(answered, 250);
      slots->give_back(*slots->take(LeaseToken{14}, JobId{104}));
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  void overwrite(long at, const std::string& bytes) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "slots";
};

TEST_F(HandOverSlotsTest, AFirstStartKnowsThatNothingIsLeft) {
  const auto slots = open();
  EXPECT_TRUE(slots->left_behind().is_known);
  EXPECT_TRUE(slots->left_behind().hand_overs.empty());
}

TEST_F(HandOverSlotsTest, TellWhatAKilledProcessKnew) {
  leave_all_stages();
  const auto slots = open();
  EXPECT_TRUE(slots->left_behind().is_known);
  std::vector<HandOver> expected{{LeaseToken{11}, JobId{101}, HandOverStage::begun, 0},
                                 {LeaseToken{12}, JobId{102}, HandOverStage::dot, 0},
                                 {LeaseToken{13}, JobId{103}, HandOverStage::replied, 250}};
  expected[1].accepted.set(0).set(70);  // there is no room for number 5000
  expected[2].accepted.set(0);
  expected[2].taken.set(0);
  EXPECT_EQ(slots->left_behind().hand_overs, expected);
}

TEST_F(HandOverSlotsTest, AreKeptUntilTheNextProcessBegins) {
  leave_all_stages();
  open();
  const auto slots = open();
  EXPECT_EQ(slots->left_behind().hand_overs.size(), 3u);
  EXPECT_FALSE(slots->take(LeaseToken{1}, JobId{1}));
  slots->begin();
  EXPECT_TRUE(slots->take(LeaseToken{1}, JobId{1}));
  slots->begin();
  EXPECT_TRUE(open()->left_behind().is_known);
  EXPECT_TRUE(open()->left_behind().hand_overs.empty());
}

// Too many recipients for one transaction: the mail needs several dots.
TEST_F(HandOverSlotsTest, KeepWhoWasTakenByAnEarlierDot) {
  {
    const auto slots = open();
    slots->begin();
    const int slot = *slots->take(LeaseToken{1}, JobId{1});
    slots->mark_dot(slot, {0, 1});
    slots->mark_reply(slot, 250);
    slots->mark_dot(slot, {2});
  }
  const HandOver left = open()->left_behind().hand_overs.at(0);
  EXPECT_EQ(left.stage, HandOverStage::dot);
  EXPECT_EQ(left.taken.to_ulong(), 0b011u);
  EXPECT_EQ(left.accepted.to_ulong(), 0b100u);
}

TEST_F(HandOverSlotsTest, OfABootNobodyKnowsAreNotBelieved) {
  open("")->begin();
  EXPECT_FALSE(open("")->left_behind().is_known);
}

TEST_F(HandOverSlotsTest, OfAnotherBootAreNotBelieved) {
  leave_all_stages();
  const auto slots = open("another-boot");
  EXPECT_FALSE(slots->left_behind().is_known);
  EXPECT_TRUE(slots->left_behind().hand_overs.empty());
}

TEST_F(HandOverSlotsTest, OfADamagedFileAreNotBelieved) {
  leave_all_stages();
  overwrite(64, "damaged!");  // the first slot's token
  EXPECT_FALSE(open()->left_behind().is_known);
  overwrite(0, "something else");
  EXPECT_FALSE(open()->left_behind().is_known);
  leave_all_stages();
  ASSERT_EQ(::truncate(path_.c_str(), 100), 0);
  EXPECT_FALSE(open()->left_behind().is_known);
}

TEST_F(HandOverSlotsTest, AreReadAlsoWhenTheirNumberChanged) {
  leave_all_stages();
  EXPECT_EQ(open(kBoot, 2)->left_behind().hand_overs.size(), 3u);
  leave_all_stages();
  EXPECT_EQ(open(kBoot, 100)->left_behind().hand_overs.size(), 3u);
}

TEST_F(HandOverSlotsTest, AreOfALimitedNumberAndUsedAgain) {
  const auto slots = open(kBoot, 2);
  slots->begin();
  const int first = *slots->take(LeaseToken{1}, JobId{1});
  ASSERT_TRUE(slots->take(LeaseToken{1}, JobId{2}));
  EXPECT_FALSE(slots->take(LeaseToken{1}, JobId{3}));
  slots->give_back(first);
  EXPECT_EQ(slots->take(LeaseToken{2}, JobId{4}), first);
}

TEST_F(HandOverSlotsTest, CannotBeMadeWhereThereIsNoFolder) {
  const auto opened = HandOverSlots::open(folder_ / "missing/slots", 8, kBoot);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("missing/slots"), std::string::npos);
}

TEST(RunningBootId, IsTheKernels) {
  EXPECT_EQ(running_boot_id().value_or("").size(), 36u);
}

}  // namespace
}  // namespace eilbote::test::hand_over_slots_test
