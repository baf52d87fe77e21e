// The migrator and the statements on PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <thread>

#include "domain/tsid.h"
#include "sql/postgres.h"
#include "store/postgres/postgres_store.h"
#include "support/postgres_server.h"

namespace eilbote::test::postgres_schema_test {
namespace {

using ::testing::HasSubstr;

class PostgresSchema : public ::testing::Test {
 protected:
  void SetUp() override { options_.url = PostgresServer::shared().create_database(); }
  void TearDown() override { PostgresServer::shared().drop_database(options_.url); }
  StoreOptions options_;
};

TEST_F(PostgresSchema, IsMadeOnceWhoeverRunsIt) {
  std::vector<std::size_t> applied(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < applied.size(); ++i)
    threads.emplace_back([&, i] {
      const auto report = postgres::migrate(options_);
      ASSERT_TRUE(report) << report.error().message;
      applied[i] = report->applied.size();
    });
  for (std::thread& thread : threads)
    thread.join();
  std::sort(applied.begin(), applied.end());
  EXPECT_EQ(applied, (std::vector<std::size_t>{0, 0, 0, sql::postgres::migrations.size()}));
}

TEST_F(PostgresSchema, OpenNeedsIt) {
  const auto opened = postgres::open(options_);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("eilbote migrate"));
}

TEST_F(PostgresSchema, ANewerOneThatWasOnlyAddedToIsUsed) {
  ASSERT_TRUE(postgres::migrate(options_));
  PostgresServer::sql(options_.url, "INSERT INTO schema_migrations (name) VALUES ('999_later')");
  const auto migrated = postgres::migrate(options_);
  ASSERT_TRUE(migrated) << migrated.error().message;
  EXPECT_EQ(migrated->version, "999_later");
  EXPECT_TRUE(migrated->applied.empty());
  const auto opened = postgres::open(options_);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(opened->outbox->check()) << "ready, while other instances are replaced";
}

TEST_F(PostgresSchema, ANewerOneThatLacksSomethingIsRefused) {
  ASSERT_TRUE(postgres::migrate(options_));
  PostgresServer::sql(options_.url, "INSERT INTO schema_migrations (name) VALUES ('999_contract_later')");
  const auto migrated = postgres::migrate(options_);
  ASSERT_FALSE(migrated);
  EXPECT_THAT(migrated.error().message, HasSubstr("newer"));
  const auto opened = postgres::open(options_);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("newer"));
}

TEST_F(PostgresSchema, EveryStatementCanBePrepared) {
  ASSERT_TRUE(postgres::migrate(options_));
  PGconn* conn = PQconnectdb(options_.url.c_str());
  ASSERT_EQ(PQstatus(conn), CONNECTION_OK);
  for (const sql::Text* query : sql::postgres::queries) {
    PGresult* result =
        PQprepare(conn, std::string(query->name).c_str(), std::string(query->text).c_str(), 0, nullptr);
    EXPECT_EQ(PQresultStatus(result), PGRES_COMMAND_OK) << query->name << ": " << PQerrorMessage(conn);
    PQclear(result);
  }
  PQfinish(conn);
}

// 011 writes outbox anew and gives most events another place.
class PostgresSchemaAt010 : public PostgresSchema {
 protected:
  void SetUp() override {
    PostgresSchema::SetUp();
    for (const sql::Text& migration : sql::postgres::migrations)
      if (migration.name < "011") sql(std::string(migration.text));
    sql("CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT "
        "now())");
    for (const sql::Text& migration : sql::postgres::migrations)
      if (migration.name < "011")
        sql("INSERT INTO schema_migrations (name) VALUES ('" + std::string(migration.name) + "')");
    // A mail that is sent, and one in line for its second attempt, as the version before left them.
    sql(R"(
INSERT INTO clients (name) VALUES ('shop');
INSERT INTO dispatch_pools (code, name) VALUES ('mail', 'Mail');
INSERT INTO lanes (pool_id, client_id, channel) VALUES (1, 1, 'mail');
INSERT INTO outbox (id, lane_id, client_id, channel, status, next_attempt_at, last_attempt_at, finished_at, attempts, retry_count)
VALUES (1, 1, 1, 'mail', 'sent', now(), now(), now(), 1, 0), (2, 1, 1, 'mail', 'queued', now(), now(), NULL, 1, 1);
INSERT INTO messages (id, client_id, bytes, on_uncertain, sender, recipients, meta, trace_id, mime)
SELECT n, 1, 1, 'retry', 's@example.org', '[["to", "r@example.org"]]', '{}', 'trace-' || n, 'x' FROM generate_series(1, 2) AS n;
INSERT INTO mail_status (job_id, to_state, reason, actor, trace_id)
VALUES (1, 'QUEUED', 'accepted', 'shop', 'trace-1'), (2, 'QUEUED', 'accepted', 'shop', 'trace-2');
INSERT INTO mail_status (job_id, from_state, to_state, reason, actor, trace_id)
VALUES (1, 'QUEUED', 'SENT', 'delivered', 'engine', 'trace-1'), (2, 'QUEUED', 'RETRY_PENDING', '450', 'engine', 'trace-2');
)");
  }
  std::string sql(const std::string& text) { return PostgresServer::sql(options_.url, text); }
};

TEST_F(PostgresSchemaAt010, IsBroughtUpToDateWithAllThatItHas) {
  const std::string role = "reader_" + options_.url.substr(options_.url.rfind('/') + 1);
  sql("CREATE ROLE " + role + "; GRANT SELECT, UPDATE ON mail_outbox TO " + role +
      "; GRANT SELECT, INSERT ON outbox, mail_status TO " + role);
  ASSERT_TRUE(postgres::migrate(options_));
  const auto store = postgres::open(options_);
  ASSERT_TRUE(store) << store.error().message;
  const auto record = store->outbox->find(JobId{2}, std::nullopt);
  ASSERT_TRUE(record && *record);
  EXPECT_EQ((*record)->job.status, JobStatus::queued);
  EXPECT_EQ((*record)->job.retry_count, 1);
  const auto history = store->outbox->history(JobId{1});
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->events.size(), 2U);
  EXPECT_EQ(history->events[0].reason, "accepted");
  EXPECT_EQ(history->events[1].to, "SENT");
  EXPECT_EQ(sql("SET ROLE " + role +
                "; UPDATE mail_outbox SET last_error = 'x' WHERE id = 2; SELECT count(*) FROM mail_outbox"),
            "2\n");
  EXPECT_EQ(
      sql("SET ROLE " + role +
          "; INSERT INTO mail_status (job_id, to_state, reason, actor) VALUES (2, 'SENT', '', 'engine');"
          "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM mail_status)"),
      "7\n");
  EXPECT_EQ(sql("SET ROLE " + role + "; SELECT nextval('status_changes_seq') > 0"), "t\n");
  sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

TEST_F(PostgresSchemaAt010, ServesTheVersionBeforeMeanwhile) {
  ASSERT_TRUE(postgres::migrate(options_));
  sql(R"(
INSERT INTO mail_status (job_id, from_state, to_state, reason, actor, trace_id, callback)
VALUES (2, 'RETRY_PENDING', 'SENT', 'delivered', 'engine', 'trace-2', true))");
  EXPECT_EQ(sql("SELECT s.job_id, s.to_state FROM mail_status s WHERE s.callback ORDER BY s.seq LIMIT 10"),
            "2|SENT\n");
  sql(R"(
UPDATE mail_status s
   SET callback = false
  FROM (SELECT job_id, seq FROM mail_status WHERE callback) AS x
 WHERE s.job_id = x.job_id AND s.seq = x.seq AND s.callback)");
  EXPECT_EQ(sql("SELECT count(*) FROM mail_status WHERE callback"), "0\n");
  EXPECT_EQ(sql("SELECT count(*) FROM mail_status WHERE job_id = 2"), "3\n");
  sql("DELETE FROM mail_status WHERE job_id = ANY ('{2}'::bigint[])");
  EXPECT_EQ(sql("SELECT count(*) FROM mail_status WHERE job_id = 2"), "0\n");
}

TEST_F(PostgresSchema, IdsReadTheSameInTheView) {
  ASSERT_TRUE(postgres::migrate(options_));
  for (const std::int64_t id : {0LL, 1LL, 31LL, 32LL, 910'000'000'000'000'123LL, 9'223'372'036'854'775'807LL})
    EXPECT_EQ(PostgresServer::sql(options_.url, "SELECT eilbote_tsid(" + std::to_string(id) + ")"),
              to_text(JobId{id}) + "\n");
}

}  // namespace
}  // namespace eilbote::test::postgres_schema_test
