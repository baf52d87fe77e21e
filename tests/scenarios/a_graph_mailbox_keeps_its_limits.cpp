// A mailbox with more mails than Exchange lets out keeps to its mails per minute and its requests at a time, and another mailbox
// is not slowed by it. The tenant counts.
#include <gtest/gtest.h>

#include "support/eventually.h"
#include "support/graph_scenario.h"
#include "support/test_scale.h"

namespace eilbote::test::a_graph_mailbox_keeps_its_limits {
namespace {

using namespace std::chrono_literals;

class AGraphMailbox : public GraphScenario {
 protected:
  static int left(const ScriptedGraph& tenant, const std::string& mailbox) {
    int count = 0;
    for (const SentMail& mail : tenant.sent_items())
      count += mail.mailbox == mailbox ? 1 : 0;
    return count;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, AGraphMailbox, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

// 300 mails at 30 a minute take nine minutes, which is EILBOTE_TEST_SCALE=4; else at 120 a minute, two. A small scale only looks
// at the first seconds: a minute cannot be made shorter.
TEST_P(AGraphMailbox, and_does_not_slow_another) {
  const int per_minute = std::max(30, 120 / scaled(1)),
            mails = scaled(300, 150) > 300 ? 300 : scaled(300, 150);
  ScriptedGraph tenant(
      {.mailboxes = mailboxes(2), .leaves_after = 20ms, .think = 20ms, .sends_per_minute = per_minute});
  const auto server = start_with(tenant, {{"EILBOTE_GRAPH_MAILBOX_PER_MINUTE", std::to_string(per_minute)},
                                          {"EILBOTE_GRAPH_MAILBOX_CONCURRENCY", "4"}});
  const MailApi api(*server);
  for (int n = 0; n < mails; ++n)
    api.accept(mail_of("box1@example.org", "busy" + std::to_string(n) + "@example.net"));
  const int others = std::min(50, per_minute);
  for (int n = 0; n < others; ++n)
    api.accept(mail_of("box2@example.org", "calm" + std::to_string(n) + "@example.net"));
  EXPECT_TRUE(eventually([&] { return left(tenant, "box2@example.org") == others; }, 30s))
      << "of the other mailbox " << left(tenant, "box2@example.org") << " of " << others << " mails left";
  EXPECT_LT(left(tenant, "box1@example.org"), mails) << "the other mailbox waited for all of the busy one";
  const bool all = mails == 300;
  const auto patience = all ? std::chrono::minutes{mails / per_minute + 1} : std::chrono::minutes{0} + 10s;
  const bool done = eventually([&] { return left(tenant, "box1@example.org") == mails; }, patience, 200ms);
  EXPECT_EQ(done, all) << left(tenant, "box1@example.org") << " of " << mails << " mails left in time";
  for (const std::string& mailbox : tenant.options().mailboxes) {
    EXPECT_LE(tenant.most_open(mailbox), 4) << mailbox;
    EXPECT_LE(tenant.most_sends(mailbox), per_minute) << mailbox;
  }
  EXPECT_EQ(tenant.all_violations(), "");
  EXPECT_EQ(api.metric("eilbote_messages_failed_total"), 0);
}

}  // namespace
}  // namespace eilbote::test::a_graph_mailbox_keeps_its_limits
