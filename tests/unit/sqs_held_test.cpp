// What is held of an SQS queue: handles that change, times that are extended, messages that come again.
#include "transport/sqs_held.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eilbote::test::sqs_held_test {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

SqsMessage message(const std::string& id, const std::string& handle) {
  return {id, handle, "{}"};
}

struct SqsHeldBook : testing::Test {
  std::vector<std::string> handles_to_delete() {
    std::vector<std::string> handles;
    for (const auto& one : held.next_deletions(10))
      handles.push_back(one.handle);
    return handles;
  }

  Clock::Steady now{seconds{1000}};
  SqsHeld held{seconds{60}};
};

TEST_F(SqsHeldBook, an_acknowledged_message_is_deleted_once) {
  EXPECT_TRUE(held.take(message("m", "h1"), 1, now));
  EXPECT_EQ(held.size(), 1U);
  held.acknowledge(1);
  held.acknowledge(1);
  held.acknowledge(99);
  EXPECT_EQ(held.handed_over(), 0U);
  EXPECT_EQ(held.size(), 1U);
  EXPECT_THAT(handles_to_delete(), ElementsAre("h1"));
  EXPECT_EQ(held.size(), 1U);  // on its way
  held.deleted();
  EXPECT_EQ(held.size(), 0U);
  EXPECT_THAT(handles_to_delete(), IsEmpty());
}

TEST_F(SqsHeldBook, a_message_that_comes_again_has_its_newest_handle) {
  EXPECT_TRUE(held.take(message("m", "old"), 1, now));
  EXPECT_FALSE(held.take(message("m", "new"), 2, now + seconds{61}));
  EXPECT_EQ(held.handed_over(), 1U);
  EXPECT_EQ(held.handle(1), "new");
  held.acknowledge(1);
  EXPECT_THAT(handles_to_delete(), ElementsAre("new"));
}

TEST_F(SqsHeldBook, one_that_was_acknowledged_is_deleted_when_it_comes_again) {
  held.take(message("m", "old"), 1, now);
  held.acknowledge(1);
  EXPECT_THAT(handles_to_delete(), ElementsAre("old"));
  held.deleted();  // SQS said yes to an old handle, or did not know it
  EXPECT_FALSE(held.take(message("m", "new"), 2, now + seconds{61}));
  EXPECT_EQ(held.handed_over(), 0U);
  EXPECT_THAT(handles_to_delete(), ElementsAre("new"));
}

TEST_F(SqsHeldBook, a_deletion_that_failed_is_done_again_while_it_makes_sense) {
  held.take(message("m", "old"), 1, now);
  held.acknowledge(1);
  auto batch = held.next_deletions(10);
  held.delete_again(batch.at(0), now + seconds{1});
  batch = held.next_deletions(10);
  ASSERT_EQ(batch.size(), 1U);
  // Meanwhile it came again: its old handle is worth nothing.
  held.take(message("m", "new"), 2, now + seconds{2});
  held.delete_again(batch.at(0), now + seconds{3});
  batch = held.next_deletions(10);
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_EQ(batch.at(0).handle, "new");
  held.delete_again(batch.at(0), now + seconds{62});  // its time is over: it comes again
  EXPECT_EQ(held.size(), 0U);
}

TEST_F(SqsHeldBook, time_is_extended_at_half_of_it) {
  EXPECT_EQ(held.next_extension(), std::nullopt);
  held.take(message("a", "ha"), 1, now);
  held.take(message("b", "hb"), 2, now + seconds{10});
  EXPECT_EQ(held.next_extension(), now + seconds{30});
  EXPECT_THAT(held.to_extend(now + seconds{29}, 10), IsEmpty());
  EXPECT_THAT(held.to_extend(now + seconds{30}, 10), ElementsAre(1));
  EXPECT_THAT(held.to_extend(now + seconds{31}, 10), IsEmpty());  // it is being done
  held.extended(1, now + seconds{30});
  EXPECT_EQ(held.next_extension(), now + seconds{40});
  EXPECT_THAT(held.to_extend(now + seconds{60}, 1), ElementsAre(1));
  EXPECT_THAT(held.to_extend(now + seconds{60}, 1), ElementsAre(2));
}

TEST_F(SqsHeldBook, an_extension_without_an_answer_is_asked_for_again_in_time) {
  held.take(message("a", "ha"), 1, now);
  EXPECT_THAT(held.to_extend(now + seconds{30}, 10), ElementsAre(1));
  EXPECT_EQ(held.next_extension(), now + seconds{30} + seconds{60} / 8.0);
}

TEST_F(SqsHeldBook, what_sqs_forgot_is_not_extended_until_it_comes_again) {
  held.take(message("a", "ha"), 1, now);
  held.expired(1);
  EXPECT_EQ(held.next_extension(), std::nullopt);
  EXPECT_THAT(held.to_extend(now + seconds{60}, 10), IsEmpty());
  EXPECT_FALSE(held.take(message("a", "hb"), 2, now + seconds{70}));
  EXPECT_EQ(held.next_extension(), now + seconds{100});
}

TEST_F(SqsHeldBook, gives_up_what_was_not_acknowledged) {
  held.take(message("a", "ha"), 1, now);
  held.take(message("b", "hb"), 2, now);
  held.acknowledge(1);
  EXPECT_THAT(held.give_up(), ElementsAre("hb"));
  EXPECT_EQ(held.handed_over(), 0U);
  EXPECT_THAT(handles_to_delete(), ElementsAre("ha"));
}

}  // namespace
}  // namespace eilbote::test::sqs_held_test
