// Plans on PostgreSQL: with a million finished and a million future rows every hot statement is an index
// scan, with fresh statistics and with statistics from before a burst of 100,000. Both kinds of plan are
// looked at: the generic one a prepared statement ends up with, and the one made for its parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "sql/postgres.h"
#include "store/postgres/postgres_store.h"
#include "support/child_process.h"
#include "support/postgres_server.h"
#include "support/temp_folder.h"

namespace eilbote::test::postgres_plans_test {
namespace {

namespace q = sql::postgres;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// What a dispatcher outside of Eilbote runs, word by word.
constexpr const char* kForeignClaim = R"(
BEGIN;

WITH candidates AS (
  SELECT id
  FROM mail_outbox
  WHERE status = 'queued'
    AND next_attempt_at <= NOW()
    AND retry_count < :max_attempts
  ORDER BY next_attempt_at ASC, id ASC
  LIMIT :batch_size
  FOR UPDATE SKIP LOCKED
)
UPDATE mail_outbox
SET status = 'dispatching',
    last_attempt_at = NOW()
FROM candidates
WHERE mail_outbox.id = candidates.id
RETURNING mail_outbox.*;

COMMIT;
)";

// Three clients with a lane each; client 1 has the weight. Finished rows are old, dead ones told, future ones come in a year.
constexpr const char* kFill = R"(
INSERT INTO clients (name) VALUES ('one'), ('two'), ('three');
INSERT INTO dispatch_pools (code, name) VALUES ('mail', 'mail');
INSERT INTO lanes (pool_id, client_id, channel) SELECT 1, id, 'mail' FROM clients;
ALTER TABLE outbox SET (autovacuum_enabled = off);
ALTER TABLE messages SET (autovacuum_enabled = off);
INSERT INTO outbox (id, lane_id, client_id, channel, status, next_attempt_at, created_at, finished_at, expires_at, report,
                    told_dead_at)
SELECT n, 1 + (n % 3), 1 + (n % 3), 'mail', CASE n % 200 WHEN 0 THEN 'failed' WHEN 1 THEN 'cancelled' ELSE 'sent' END,
       now() - interval '1 day', now() - interval '1 day', now() - interval '1 day', now() + interval '4 days',
       CASE WHEN n % 200 = 7 THEN 'delivered' WHEN n % 200 = 8 THEN 'bounced' END, CASE WHEN n % 200 = 0 THEN now() END
  FROM generate_series(1, 1000000) AS n;
INSERT INTO outbox (id, lane_id, client_id, channel, status, next_attempt_at, expires_at, retry_count)
SELECT n, 1 + (n % 3), 1 + (n % 3), 'mail', 'queued', now() + interval '1 year', now() + interval '2 years',
       CASE WHEN n % 100 = 0 THEN 1 ELSE 0 END
  FROM generate_series(1000001, 2000000) AS n;
INSERT INTO messages (id, client_id, bytes, on_uncertain, sender, recipients, meta, trace_id, mime)
SELECT n, 1 + (n % 3), 1, 'retry', 's@example.org', '[]', '{}', '', ''
  FROM generate_series(1900001, 2000000) AS n;
INSERT INTO attempts (job_id, token, attempted_at, completed_at, duration_ms, number, status)
SELECT n, 1, now(), now(), 1, 1, 'SUCCESS' FROM generate_series(1, 100000) AS n;
INSERT INTO facets SELECT n, n FROM generate_series(1900001, 2000000) AS n;
INSERT INTO webhooks (id, client_id, job, trace_id, payload) SELECT n, 1, '{}', '', '' FROM generate_series(1, 100000) AS n;
INSERT INTO status_changes (job_id, to_state, reason, actor) SELECT n, 'SENT', '', '' FROM generate_series(1, 100000) AS n;
)";

// 100,000 due rows in one go, some of them leased, some in groups and some with the broker.
constexpr const char* kBurst = R"(
INSERT INTO outbox (id, lane_id, client_id, channel, status, next_attempt_at, expires_at, lease_token, last_attempt_at,
                    group_id, group_mode, place, last_queued_at)
SELECT n, 1 + (n % 3), 1 + (n % 3), 'mail',
       CASE n % 20 WHEN 0 THEN 'dispatching' WHEN 1 THEN 'blocked' WHEN 2 THEN 'publishing' WHEN 3 THEN 'published'
                   ELSE 'queued' END, now(), now() + interval '5 days',
       CASE WHEN n % 20 IN (0, 2) THEN (7::bigint << 32) + n END, CASE WHEN n % 20 = 0 THEN now() END,
       CASE WHEN n % 20 = 1 THEN n END, CASE WHEN n % 20 = 1 THEN 'NEXT_ON_ERROR' END, n,
       CASE WHEN n % 20 = 3 THEN now() END
  FROM generate_series(2000001, 2100000) AS n;
)";

StoreOptions at(const std::string& url) {
  StoreOptions options;
  options.url = url;
  return options;
}

struct Hot {
  const sql::Text* statement;
  std::string arguments;
  std::string index;  // one the plan must use
};

std::vector<Hot> hot_statements() {
  const std::string token = "30064771073", last = "34359738367", day = "86400000000::bigint";
  return {
      {&q::claim_due, "'{1,2,3}', '{50,50,50}', '{-infinity,-infinity,-infinity}', " + token, "outbox_ready"},
      {&q::claim_due, "'{1}', '{200}', ARRAY[now() - interval '150 ms'], " + token, "outbox_ready"},
      {&q::claim_offered, "'{2000003,2000005}', '{1,NULL}', " + token, "outbox_pkey"},
      {&q::claim_one, "2000003, " + token, "outbox_pkey"},
      {&q::settle,
       "'{2000020,2000040}', '{30064771093,30064771113}', '{sent,sent}', '{0,0}', '{1,1}', '{0,0}', '{f,f}', "
       "'{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}', '{t,t}', '{1,1}', '{now,now}', '{now,now}', '{5,5}', "
       "'{SUCCESS,SUCCESS}', '{smtp,smtp}', '{OK,OK}', '{delivered,delivered}', '{250,250}', "
       "'{2.0.0,2.0.0}', '{0,0}', "
       "'{x,x}', '{NULL,NULL}', '{f,f}', '{a,b}', '{x,x}', '{x,x}', '{QUEUED,QUEUED}', '{SENT,SENT}', "
       "'{why,why}', "
       "'engine', 'QUEUED', 'CANCELLED', 'why'",
       "outbox_pkey"},
      {&q::find_events_of, "1999999", "messages_pkey"},
      {&q::active_lanes, "", "outbox_ready"},
      {&q::find_many, "'{1999999,2000003}'", "outbox_pkey"},
      {&q::load_mails, "'{1999999,1999998}'", "messages_pkey"},
      {&q::lock_groups_of, "'{2000001,2000021}'", "outbox_pkey"},
      {&q::promote_groups, "'{2000001,2000021}'", "outbox_line"},
      {&q::lines_due, "500", "outbox_line"},
      {&q::dead_instances, "", "outbox_leased"},
      {&q::rescue_dead, token + ", " + last + ", 500, 10, 'lost', false, '{}'", "outbox_leased"},
      {&q::orphans, token + ", " + last + ", 500", "outbox_leased"},
      {&q::rescue_foreign, day + ", 500, 10, 'lost'", "outbox_leased"},
      {&q::leased_by_epoch, token + ", " + last, "outbox_leased"},
      {&q::release_rows, "'{2000020,2000040}', " + token + ", " + last, "outbox_pkey"},
      {&q::unpublish_stale, day + ", 500", "outbox_published"},
      {&q::expire_due, "500", "outbox_expiry"},
      {&q::exhaust_due, "500", "outbox_exhausted"},
      {&q::find_finished, day + ", " + day + ", 500", "outbox_finished"},
      {&q::delete_finished_outbox, "'{1,2}'", "outbox_pkey"},
      {&q::delete_finished_messages, "'{1999999}'", "messages_pkey"},
      {&q::list_ids_all_mails, "'{1,2,3}', 9223372036854775807, 0, 200", "messages_client"},
      {&q::list_ids_ended, "'{1}', 9223372036854775807, 0, 200, 'failed'", "outbox_ended"},
      {&q::list_ids_ended, "'{1,2,3}', 9223372036854775807, 0, 200, 'cancelled'", "outbox_ended"},
      {&q::list_ids_retrying, "'{1}', 9223372036854775807, 0, 200", "outbox_retrying"},
      {&q::list_ids_reported, "'{1}', 9223372036854775807, 0, 200, 'delivered'", "outbox_reported"},
      {&q::list_ids_reported, "'{2}', 9223372036854775807, 0, 200, 'bounced'", "outbox_reported"},
      {&q::list_ids_facet, "'{1950000}', 9223372036854775807, 0, 200", "facets_pkey"},
      {&q::list_ids_due, "NULL, 1000", "outbox_ready_mail"},
      {&q::pool_depth, "10001", "outbox_ready"},
      {&q::queue_ages, "10001, 60000000, 300000000", "outbox_ready"},
      {&q::queue_errors, "", "outbox_errors"},
      {&q::retries_due, "10000", "outbox_retry_due"},
      {&q::lock_job, "2000003", "outbox_pkey"},
      {&q::mark_cancelling, "2000003", "outbox_pkey"},
      {&q::lock_job, "2000003", "outbox_pkey"},
      {&q::find_mail_by_provider_id, "'ABC123'", "attempts_provider_id"},
      {&q::apply_report, "1999999, 'sent', 'bounced', NULL, 0, false, NULL, NULL, true", "outbox_pkey"},
      {&q::report_sent, "'{1999999,2000003}', 'SENT', 'DELIVERED', 'BOUNCED', 'why', 'engine'",
       "outbox_pkey"},
      {&q::note_drafts, "'{2000020,2000040}', '{30064771093,30064771113}', '{a,b}', '{m,m}', '{x,y}'",
       "outbox_pkey"},
      {&q::claim_publish, "'{1,2,3}', '{50,50,50}', '{-infinity,-infinity,-infinity}', " + token,
       "outbox_ready"},
      {&q::claim_publish, "'{1}', '{200}', ARRAY[now() - interval '150 ms'], " + token, "outbox_ready"},
      {&q::mark_published, "'{2000002,2000022}', '{30064771075,30064771095}', '{t,f}', '{NULL,5000000}'",
       "outbox_pkey"},
      {&q::release_publishing, token + ", " + last + ", '{2000002}'", "outbox_leased"},
      {&q::untold_dead, "100", "outbox_untold"},
      {&q::told_dead, "'{200,400}', '{2026-01-01,2026-01-02}'", "outbox_pkey"},
      {&q::blocked_groups, "NULL, '', 100, 10001", "outbox_blocking"},
      {&q::count_blocked_groups, "10001", "outbox_blocking"},
      {&q::dead_counts, "10001, '{Expired,Abandoned}'", "outbox_dead_reason"},
      {&q::dead_lately, "10001, " + day, "outbox_dead"},
      {&q::route_depth, "10001, 'mail', ''", "outbox_ready"},
  };
}

CommandResult run_file(const std::string& url, const std::string& file, int batch_size) {
  return run_command({"psql", "-X", "-Atq", "-v", "ON_ERROR_STOP=1", "-v", "max_attempts=5", "-v",
                      "batch_size=" + std::to_string(batch_size), "-d", url, "-f", file});
}

class PostgresPlans : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    url_ = PostgresServer::shared().create_database();
    const auto migrated = postgres::migrate(at(url_));
    ASSERT_TRUE(migrated) << migrated.error().message;
    PostgresServer::sql(url_, kFill);
    PostgresServer::sql(url_, "VACUUM ANALYZE");
  }
  static void TearDownTestSuite() { PostgresServer::shared().drop_database(url_); }

  static std::string plan(const Hot& hot, const std::string& mode) {
    const std::string call = hot.arguments.empty() ? "hot" : "hot(" + hot.arguments + ")";
    return PostgresServer::sql(url_, "SET plan_cache_mode = " + mode + "; PREPARE hot AS " +
                                         std::string(hot.statement->text) + "; EXPLAIN (COSTS OFF) EXECUTE " +
                                         call);
  }
  static void expect_index_scans() {
    for (const Hot& hot : hot_statements()) {
      for (const char* mode : {"force_generic_plan", "force_custom_plan"}) {
        const std::string text = plan(hot, mode);
        EXPECT_THAT(
            text, Not(ContainsRegex("Seq Scan on (outbox|messages|webhooks|facets|attempts|status_changes)")))
            << hot.statement->name;
        EXPECT_THAT(text, HasSubstr(hot.index)) << hot.statement->name << ' ' << mode;
        if (hot.statement == &q::claim_due || hot.statement == &q::claim_publish) expect_range_scan(text);
      }
    }
  }
  // The claim reads its lane's due rows in index order: no sort, the whole range in the index condition.
  static void expect_range_scan(const std::string& text) {
    EXPECT_THAT(text, Not(HasSubstr("Sort"))) << text;
    EXPECT_THAT(text, ContainsRegex("Index Scan using outbox_ready on outbox q")) << text;
    EXPECT_THAT(text, ContainsRegex("Index Cond: .*lane_id = .*next_attempt_at >= .*next_attempt_at <= now"))
        << text;
    EXPECT_THAT(text, HasSubstr("Tid Scan on outbox o")) << text;
  }

  inline static std::string url_;
};

TEST_F(PostgresPlans, AreIndexScansWithFreshStatisticsAndWithOldOnes) {
  expect_index_scans();
  PostgresServer::sql(url_, kBurst);
  expect_index_scans();
  PostgresServer::sql(url_, "ANALYZE");
  expect_index_scans();
}

TEST_F(PostgresPlans, TheForeignClaimIsAnIndexScanToo) {
  std::string explained = kForeignClaim;
  explained.replace(explained.find("WITH"), 0, "EXPLAIN (COSTS OFF) ");
  const TempFolder folder;
  const std::string file = folder / "claim.sql";
  std::ofstream(file) << explained;
  const CommandResult done = run_file(url_, file, 50);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, Not(HasSubstr("Seq Scan on outbox"))) << done.out;
  EXPECT_THAT(done.out, HasSubstr("Index Scan using outbox_ready_mail")) << done.out;
}

// The same SQL, run: it takes what is due in order, Eilbote leaves it alone, and when its worker never comes
// back the rows are free after the foreign lease.
TEST_F(PostgresPlans, AForeignClaimWordByWordWorksAndIsRecovered) {
  const std::string url = PostgresServer::shared().create_database();
  ASSERT_TRUE(postgres::migrate(at(url)));
  auto store = postgres::open(at(url));
  ASSERT_TRUE(store) << store.error().message;
  Outbox* const outbox = store->outbox.get();
  std::vector<NewJob> jobs(5);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].id = JobId{static_cast<std::int64_t>(100 + i)};
    jobs[i].client = ClientName{"shop"};
    jobs[i].pool = "mail";
    jobs[i].mail.meta = "{}";
  }
  ASSERT_TRUE(outbox->accept(jobs, AcceptRun::first));
  const TempFolder folder;
  const std::string file = folder / "claim.sql";
  std::ofstream(file) << kForeignClaim;
  const CommandResult done = run_file(url, file, 3);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 3) << done.out;
  EXPECT_EQ(PostgresServer::sql(
                url, "SELECT string_agg(id::text, ',' ORDER BY id) FROM outbox WHERE status = 'dispatching'"),
            "100,101,102\n");

  auto early = store->care->sweep({.sweep = Sweep::rescue_foreign});
  ASSERT_TRUE(early);
  EXPECT_EQ(early->changed, 0);
  PostgresServer::sql(
      url, "UPDATE outbox SET last_attempt_at = last_attempt_at - interval '6 minutes' WHERE id = 101");
  auto rescued = store->care->sweep({.sweep = Sweep::rescue_foreign});
  ASSERT_TRUE(rescued);
  EXPECT_EQ(rescued->changed, 1);
  auto found = outbox->find(JobId{101}, std::nullopt);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->job.status, JobStatus::queued);
  EXPECT_EQ((*found)->job.retry_count, 0) << "a lost worker burns no attempt";
  *store = Store{};
  PostgresServer::shared().drop_database(url);
}

}  // namespace
}  // namespace eilbote::test::postgres_plans_test
