// What /messages and /dispatch-jobs have of their own: whose job a record is, what is said when there is none, and what a
// requeue without a status means.
#include "api/job_resource.h"

#include <gtest/gtest.h>

namespace eilbote::test::job_resource_test {
namespace {

TEST(JobResource, says_what_is_missing) {
  EXPECT_EQ(kMessages.missing().status(), 404);
  EXPECT_EQ(kMessages.missing().detail, "there is no message with this id");
  EXPECT_EQ(kDispatchJobs.missing().status(), 404);
  EXPECT_EQ(kDispatchJobs.missing().detail, "there is no dispatch job with this id");
}

TEST(JobResource, holds_its_own_jobs_only) {
  JobRecord mail;
  mail.job.channel = ChannelKind::mail;
  EXPECT_TRUE(kMessages.holds(mail));
  EXPECT_FALSE(kDispatchJobs.holds(mail));

  JobRecord webhook;
  webhook.job.channel = ChannelKind::webhook;
  webhook.webhook.emplace();
  EXPECT_FALSE(kMessages.holds(webhook));
  EXPECT_TRUE(kDispatchJobs.holds(webhook));

  webhook.webhook.reset();  // without content it cannot be shown
  EXPECT_FALSE(kMessages.holds(webhook));
  EXPECT_FALSE(kDispatchJobs.holds(webhook));
}

TEST(JobResource, a_requeue_of_mails_means_what_failed_or_came_back) {
  struct Case {
    std::optional<MailState> given;
    std::optional<MailState> want;  // absent: refused
  };
  for (const Case& c : {Case{std::nullopt, MailState::FAILED}, Case{MailState::FAILED, MailState::FAILED},
                        Case{MailState::BOUNCED, MailState::BOUNCED}, Case{MailState::SENT, std::nullopt}}) {
    ListQuery query;
    query.state = c.given;
    const std::string wrong = kMessages.settle_state(query);
    EXPECT_EQ(wrong, c.want ? "" : "must be FAILED or BOUNCED: only those are sent again");
    if (c.want) {
      EXPECT_EQ(query.state, c.want);
    }
  }
}

TEST(JobResource, a_requeue_of_webhooks_means_what_is_dead) {
  for (const std::optional<WebhookState> given :
       {std::optional<WebhookState>(), std::optional(WebhookState::ERROR),
        std::optional(WebhookState::QUEUED)}) {
    ListQuery query;
    query.webhook.state = given;
    EXPECT_EQ(kDispatchJobs.settle_state(query),
              given == WebhookState::QUEUED ? "must be ERROR: only what failed is delivered again" : "");
    EXPECT_EQ(query.webhook.state, WebhookState::ERROR);
    EXPECT_TRUE(query.webhook.dead);
  }
}

}  // namespace
}  // namespace eilbote::test::job_resource_test
