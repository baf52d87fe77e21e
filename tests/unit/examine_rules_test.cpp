// What the doctor says about a database, made of facts alone.
#include "store/examine_rules.h"

#include <gmock/gmock.h>

namespace eilbote::test::examine_rules_test {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using ::testing::HasSubstr;

const TimePoint kNow = *parse_rfc3339("2026-01-31T12:00:00Z");

TEST(ExamineRules, a_schema_fits_or_somebody_has_to_do_something) {
  struct Case {
    const char* name;
    std::vector<std::string> applied;
    bool migrates_itself;
    Severity severity;
    const char* advice;
  };
  const Case cases[] = {
      {"as wanted", {"002_b", "003_c"}, false, Severity::ok, ""},
      {"newer, and both can run on it", {"003_c", "004_d"}, false, Severity::warning, "Finish the upgrade"},
      {"newer, and this one cannot", {"003_c", "004_contract_d"}, false, Severity::error, "newer one"},
      {"older", {"002_b"}, false, Severity::error, "eilbote migrate"},
      {"older, and the server migrates", {"002_b"}, true, Severity::warning, "eilbote backup"},
      {"none", {}, false, Severity::error, "eilbote migrate"},
  };
  for (const Case& c : cases) {
    const Finding finding = judge_schema(c.applied, "003_c", c.migrates_itself);
    EXPECT_EQ(finding.severity, c.severity) << c.name;
    EXPECT_THAT(finding.advice, HasSubstr(c.advice)) << c.name;
  }
}

TEST(ExamineRules, a_clock_may_be_off_by_two_seconds) {
  EXPECT_EQ(judge_clock(1999ms).severity, Severity::ok);
  EXPECT_EQ(judge_clock(-1999ms).severity, Severity::ok);
  EXPECT_EQ(judge_clock(2s).severity, Severity::warning);
  EXPECT_EQ(judge_clock(-30s).severity, Severity::error);
  EXPECT_EQ(judge_clock(42500ms).seen, "42s ahead of the database's");
  EXPECT_EQ(judge_clock(-3s).seen, "3s behind the database's");
}

TEST(ExamineRules, a_plan_goes_by_the_index_of_the_claim) {
  for (const char* good : {"Limit\n  ->  Index Scan using outbox_ready on outbox o\n",
                           "Index Only Scan using outbox_ready on outbox\n",
                           "Bitmap Heap Scan on outbox o\n  ->  Bitmap Index Scan on outbox_ready\n"})
    EXPECT_EQ(judge_plan(good).severity, Severity::ok) << good;
  for (const char* bad : {"", "Seq Scan on outbox o\n", "Index Scan using outbox_ready_mail on outbox o\n",
                          "  ->  Bitmap Index Scan on outbox_ready_mail\n",
                          "Index Scan using outbox_ready on outbox\nSeq Scan on outbox o\n"}) {
    EXPECT_EQ(judge_plan(bad).severity, Severity::error) << bad;
    EXPECT_THAT(judge_plan(bad).advice, HasSubstr("REINDEX")) << bad;
  }
}

TEST(ExamineRules, instances_that_are_gone_may_have_been_stopped) {
  const InstanceFact early{"a", kNow - 2h}, late{"b", kNow - 1h}, running{"c", kNow + 15s};
  EXPECT_EQ(judge_instances({running}, kNow).seen, "1 running");
  EXPECT_EQ(judge_instances({}, kNow).seen, "none runs");
  const Finding stopped = judge_instances({late, early}, kNow);
  EXPECT_EQ(stopped.severity, Severity::warning);
  EXPECT_EQ(stopped.seen, "none runs; the last lease ended at 2026-01-31T11:00:00.000Z");
  const Finding mixed = judge_instances({running, late}, kNow);
  EXPECT_EQ(mixed.severity, Severity::warning);
  EXPECT_EQ(mixed.seen, "1 running, the lease of 1 more is over");
  EXPECT_THAT(mixed.advice, HasSubstr("Unless they were stopped"));
}

TEST(ExamineRules, the_queue_is_what_waits_in_the_database) {
  PoolStats pool;
  pool.pool = "mail";
  pool.depth = 3;
  EXPECT_EQ(judge_queue({pool}, kNow).seen, "nothing is due, 3 wait in the database");
  pool.oldest = kNow - 1min;
  EXPECT_EQ(judge_queue({pool}, kNow).severity, Severity::ok);
  pool.oldest = kNow - 16min;
  const Finding late = judge_queue({pool}, kNow);
  EXPECT_EQ(late.severity, Severity::warning);
  EXPECT_THAT(late.seen, HasSubstr("3 wait in the database, the oldest is due since 16m in pool 'mail'"));
}

}  // namespace
}  // namespace eilbote::test::examine_rules_test
