// The tables between enums and texts: every enumerator has one text, no text is used twice, both ways agree.
#include "base/enum_names.h"

#include <gtest/gtest.h>

#include <set>

#include "domain/acts.h"
#include "domain/breaker.h"
#include "domain/names.h"
#include "domain/states.h"

namespace eilbote::enum_names_test {
namespace {

template <class Enum, std::size_t N>
void expect_one_to_one(const char* table, const EnumNames<Enum, N>& names) {
  SCOPED_TRACE(table);
  std::set<std::string_view> texts;
  for (const auto& [value, text] : names.entries) {
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(texts.insert(text).second) << text << " is there twice";
    EXPECT_EQ(names.text(value), text);
    EXPECT_EQ(names.parse(text), value);
  }
  EXPECT_TRUE(names.complete());
  EXPECT_FALSE(names.parse("").has_value());
  EXPECT_FALSE(names.parse("no such text").has_value());
  EXPECT_EQ(names.text(static_cast<Enum>(N)), "?") << "an enumerator without a text?";
}

TEST(EnumNames, every_table_is_one_to_one) {
  expect_one_to_one("channel", kChannelNames);
  expect_one_to_one("job status", kJobStatusNames);
  expect_one_to_one("mail state", kMailStateNames);
  expect_one_to_one("webhook state", kWebhookStateNames);
  expect_one_to_one("email log state", kEmailLogStateNames);
  expect_one_to_one("dead reason", kDeadReasonNames);
  expect_one_to_one("report", kReportNames);
  expect_one_to_one("recipient kind", kRecipientKindNames);
  expect_one_to_one("recipient status", kRecipientStatusNames);
  expect_one_to_one("attempt status", kAttemptStatusNames);
  expect_one_to_one("error type", kErrorTypeNames);
  expect_one_to_one("retry strategy", kRetryStrategyNames);
  expect_one_to_one("on uncertain", kOnUncertainNames);
  expect_one_to_one("group mode", kGroupModeNames);
  expect_one_to_one("pool status", kPoolStatusNames);
  expect_one_to_one("verdict", kVerdictNames);
  expect_one_to_one("job event", kJobEventNames);
  expect_one_to_one("act", kActNames);
  expect_one_to_one("breaker state", kBreakerStateNames);
}

// The words of the product, spelled out once more and by hand: a change here breaks clients and databases.
TEST(EnumNames, spells_the_words_clients_know) {
  EXPECT_EQ(kJobStatusNames.list(),
            "queued, blocked, publishing, published, dispatching, in_flight, sent, failed, cancelled");
  EXPECT_EQ(kMailStateNames.list(), "QUEUED, RETRY_PENDING, SENT, DELIVERED, BOUNCED, FAILED, CANCELLED");
  EXPECT_EQ(kWebhookStateNames.list(), "PENDING, QUEUED, IN_PROGRESS, COMPLETED, ERROR, CANCELLED");
  EXPECT_EQ(kEmailLogStateNames.list(), "Pending, Failed, RetryQueued, Sending, Sent, Cancelled, Dead");
  EXPECT_EQ(kDeadReasonNames.list(), "MaxAttemptsExceeded, PermanentFailure, Expired, Abandoned, Uncertain");
  EXPECT_EQ(kRecipientStatusNames.list(), "waiting, taken, refused, suppressed, delivered, bounced");
  EXPECT_EQ(kAttemptStatusNames.list(), "SUCCESS, CLIENT_ERROR, SERVER_ERROR, TIMEOUT, CONNECTION_ERROR");
  EXPECT_EQ(kErrorTypeNames.list(), "TRANSIENT, PERMANENT, UNKNOWN");
  EXPECT_EQ(kRetryStrategyNames.list(), "exponential, schedule, fixed, immediate, linear");
  EXPECT_EQ(kOnUncertainNames.list(), "retry, hold");
  EXPECT_EQ(kGroupModeNames.list(), "IMMEDIATE, NEXT_ON_ERROR, BLOCK_ON_ERROR");
  EXPECT_EQ(kPoolStatusNames.list(), "ACTIVE, SUSPENDED");
  EXPECT_EQ(kRecipientKindNames.list(), "to, cc, bcc");
  EXPECT_EQ(kChannelNames.list(), "mail, webhook");
  EXPECT_EQ(kReportNames.list(), "delivered, bounced");
}

enum class Gap { a, b, c };

TEST(EnumNames, notices_a_missing_or_swapped_enumerator) {
  constexpr auto kMissing = enum_names<Gap>({{Gap::a, "a"}, {Gap::c, "c"}});
  constexpr auto kSwapped = enum_names<Gap>({{Gap::b, "b"}, {Gap::a, "a"}, {Gap::c, "c"}});
  EXPECT_FALSE(kMissing.complete());
  EXPECT_FALSE(kSwapped.complete());
  EXPECT_EQ(kMissing.text(Gap::b), "?");
}

}  // namespace
}  // namespace eilbote::enum_names_test
