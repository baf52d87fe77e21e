// The audit log on both databases: what is written comes back, newest first, page by page, by every filter.
#include <gtest/gtest.h>

#include "support/outbox_fixture.h"

namespace eilbote::test::audit_log_test {
namespace {

EILBOTE_ON_BOTH_STORES(AuditLog);

AuditEntry entry(const std::string& actor, const std::string& act, const std::string& target) {
  return {actor, act, R"({"after":{"n":1}})", "trace-1", target};
}

std::vector<std::string> acts_of(const std::vector<AuditRecord>& records) {
  std::vector<std::string> acts;
  for (const AuditRecord& record : records)
    acts.push_back(record.entry.act);
  return acts;
}

using Acts = std::vector<std::string>;

TEST_P(AuditLog, gives_back_what_was_written_newest_first) {
  ASSERT_TRUE(registry().add_audit(entry("console/ada", "breaker.reset", "breaker:mail")));
  ASSERT_TRUE(registry().add_audit(entry("cli", "pool.change", "pool:mail")));
  const auto all = must(registry().audit({}));
  ASSERT_EQ(acts_of(all), (Acts{"pool.change", "breaker.reset"}));
  const AuditRecord& first = all[1];
  EXPECT_EQ(first.entry.actor, "console/ada");
  EXPECT_EQ(first.entry.target, "breaker:mail");
  EXPECT_EQ(first.entry.trace_id, "trace-1");
  EXPECT_NE(first.entry.detail.find("\"after\""), std::string::npos);
  EXPECT_FALSE(first.entry.job);
  EXPECT_TRUE(about(first.at, now()));
  EXPECT_LT(first.number, all[0].number);
}

TEST_P(AuditLog, has_acts_on_jobs_with_the_job) {
  const JobId id = accepted(new_mail());
  ASSERT_EQ(act(id, Act::abandon).kind, ActKind::done);
  const auto all = must(registry().audit({.job = id}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].entry.job, id);
  EXPECT_EQ(all[0].entry.act, "abandon");
  EXPECT_EQ(all[0].entry.target, "");
  EXPECT_TRUE(must(registry().audit({.job = new_id()})).empty());
}

TEST_P(AuditLog, is_filtered_by_every_part_and_paged_by_number) {
  for (int i = 0; i < 6; ++i)
    ASSERT_TRUE(registry().add_audit(
        entry(i % 2 == 0 ? "a" : "b", "act." + std::to_string(i), i < 3 ? "pool:x" : "pool:y")));
  const auto ask = [&](const AuditQuery& query) { return acts_of(must(registry().audit(query))); };
  EXPECT_EQ(ask({.actor = "a"}), (Acts{"act.4", "act.2", "act.0"}));
  EXPECT_EQ(ask({.act = "act.3"}), (Acts{"act.3"}));
  EXPECT_EQ(ask({.actor = "b", .target = "pool:x"}), (Acts{"act.1"}));
  EXPECT_EQ(ask({.target = "pool:"}), Acts{}) << "whole targets only";
  EXPECT_EQ(ask({.from = now() - hours{1}, .to = now() + hours{1}}).size(), 6U);
  EXPECT_EQ(ask({.from = now() + hours{1}}), Acts{});
  EXPECT_EQ(ask({.to = now() - hours{1}}), Acts{});
  const auto page = must(registry().audit({.limit = 4}));
  ASSERT_EQ(page.size(), 4U);
  EXPECT_EQ(ask({.before = page.back().number, .limit = 4}), (Acts{"act.1", "act.0"}));
}

}  // namespace
}  // namespace eilbote::test::audit_log_test
