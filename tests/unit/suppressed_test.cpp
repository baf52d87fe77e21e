// Recipients on the suppression list: what they are told, when nobody is left to send to, and that after_attempt makes the
// right end of it.
#include "domain/suppressed.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "domain/after_attempt.h"
#include "domain/delivery_codes.h"

namespace eilbote::test::suppressed_test {
namespace {

using enum RecipientStatus;

std::vector<Recipient> recipients(std::initializer_list<RecipientStatus> statuses) {
  std::vector<Recipient> all;
  for (const RecipientStatus status : statuses)
    all.push_back({RecipientKind::to, "r" + std::to_string(all.size()) + "@example.org", status,
                   status == suppressed ? "suppressed: it bounced on 2026-11-18 (5.1.1 no such user)" : ""});
  return all;
}

TEST(Suppressed, says_why_and_what_to_do) {
  const std::pair<const char*, const char*> cases[] = {
      {"suppressed: it bounced on 2026-11-18 (5.1.1 no such user)",
       "suppressed: it bounced on 2026-11-18 (5.1.1 no such user); remove it from the suppression list to "
       "send to it "
       "again"},
      {"asked not to be written to",
       "suppressed: asked not to be written to; remove it from the suppression list to send to it again"},
      {"", "suppressed: it is on the list; remove it from the suppression list to send to it again"},
  };
  for (const auto& [reason, want] : cases) {
    EXPECT_EQ(suppressed_reply(reason), want);
    EXPECT_EQ(suppressed_reply(suppressed_reply(reason)), want) << "it is not said twice";
  }
  const std::string long_one = suppressed_reply(std::string(5000, 'x'));
  EXPECT_LE(long_one.size(), kErrorTextMax);
  EXPECT_TRUE(long_one.ends_with("to send to it again"));
}

TEST(Suppressed, leaves_nobody_or_somebody) {
  struct Case {
    const char* name;
    std::vector<Recipient> recipients;
    std::vector<int> suppressed_now;
    std::optional<Verdict> verdict;  // nothing: somebody is sent to
  };
  const Case cases[] = {
      {"nobody is on the list", recipients({waiting, waiting}), {}, {}},
      {"one of two", recipients({suppressed, waiting}), {0}, {}},
      {"the only one", recipients({suppressed}), {0}, Verdict::permanent},
      {"all", recipients({suppressed, suppressed}), {0, 1}, Verdict::permanent},
      {"the rest, after one was taken", recipients({taken, suppressed}), {1}, Verdict::delivered},
      {"the rest, after one was taken and bounced",
       recipients({bounced, suppressed}),
       {1},
       Verdict::delivered},
      {"the rest, after one was refused", recipients({refused, suppressed}), {1}, Verdict::permanent},
      {"on the list since an earlier attempt", recipients({suppressed, waiting}), {}, {}},
  };
  for (const Case& one : cases) {
    const auto results = suppressed_results(one.recipients, one.suppressed_now);
    EXPECT_EQ(results.size(), one.suppressed_now.size()) << one.name;
    const auto result = nobody_left(one.recipients, results);
    ASSERT_EQ(result.has_value(), one.verdict.has_value()) << one.name;
    if (!result) continue;
    EXPECT_EQ(result->verdict, *one.verdict) << one.name;
    EXPECT_EQ(result->code, *one.verdict == Verdict::permanent ? code::suppressed : "") << one.name;
  }
}

TEST(Suppressed, is_put_beside_what_the_channel_says) {
  const auto all = recipients({waiting, suppressed, waiting});
  const auto left_out = suppressed_results(all, {1});
  DeliveryResult result;
  result.verdict = Verdict::delivered;
  result.recipients = {{0, taken, "250 ok"}, {2, refused, "550 no"}};
  const DeliveryResult merged = with_suppressed(result, left_out);
  ASSERT_EQ(merged.recipients.size(), 3U);
  EXPECT_EQ(merged.recipients[2].index, 1);
  EXPECT_EQ(merged.recipients[2].status, suppressed);
  EXPECT_TRUE(merged.recipients[2].reply.starts_with("suppressed: it bounced on 2026-11-18 (5.1.1"));
  result.verdict = Verdict::released;
  EXPECT_EQ(with_suppressed(result, left_out).recipients.size(), 2U) << "nothing happened, nothing is said";
}

class Ends : public testing::Test {
 protected:
  // What becomes of the job when the channel says `result` of those it was given.
  Decision after(const std::vector<Recipient>& all, const std::vector<int>& now, DeliveryResult result) {
    Job job;
    job.status = JobStatus::dispatching;
    const auto left_out = suppressed_results(all, now);
    if (auto nobody = nobody_left(all, left_out)) result = std::move(*nobody);
    return after_attempt(job, all, with_suppressed(std::move(result), left_out), {}, random_);
  }
  static DeliveryResult handed_over(std::vector<RecipientResult> results) {
    DeliveryResult result;
    result.verdict = Verdict::delivered;
    result.recipients = std::move(results);
    return result;
  }
  SystemRandom random_;
};

TEST_F(Ends, sent_when_the_others_were_taken) {
  const Decision sent = after(recipients({waiting, suppressed}), {1}, handed_over({{0, taken, "250"}}));
  EXPECT_EQ(sent.status, JobStatus::sent);
  EXPECT_EQ(sent.recipients.size(), 2U);
}

TEST_F(Ends, failed_at_once_when_nobody_is_left) {
  const Decision failed = after(recipients({suppressed}), {0}, {});
  EXPECT_EQ(failed.status, JobStatus::failed);
  EXPECT_EQ(failed.dead_reason, DeadReason::PermanentFailure);
  EXPECT_EQ(failed.last_error,
            "suppressed: it bounced on 2026-11-18 (5.1.1 no such user); remove it from the suppression list "
            "to send to it again");
  ASSERT_EQ(failed.recipients.size(), 1U);
  EXPECT_EQ(failed.recipients[0].status, suppressed) << "and not refused";
}

TEST_F(Ends, sent_when_others_were_taken_earlier) {
  const Decision sent = after(recipients({taken, suppressed}), {1}, {});
  EXPECT_EQ(sent.status, JobStatus::sent);
  EXPECT_EQ(sent.last_error, "");
}

TEST_F(Ends, a_failed_attempt_keeps_who_was_left_out) {
  DeliveryResult later;
  later.verdict = Verdict::transient;
  later.text = "451 later";
  const Decision waits = after(recipients({waiting, suppressed}), {1}, later);
  EXPECT_EQ(waits.status, JobStatus::queued);
  ASSERT_EQ(waits.recipients.size(), 1U);
  EXPECT_EQ(waits.recipients[0].status, suppressed);
}

}  // namespace
}  // namespace eilbote::test::suppressed_test
