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

TEST_F(PostgresSchema, IdsReadTheSameInTheView) {
  ASSERT_TRUE(postgres::migrate(options_));
  for (const std::int64_t id : {0LL, 1LL, 31LL, 32LL, 910'000'000'000'000'123LL, 9'223'372'036'854'775'807LL})
    EXPECT_EQ(PostgresServer::sql(options_.url, "SELECT eilbote_tsid(" + std::to_string(id) + ")"),
              to_text(JobId{id}) + "\n");
}

}  // namespace
}  // namespace eilbote::test::postgres_schema_test
