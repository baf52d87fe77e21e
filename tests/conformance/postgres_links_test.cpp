// Links to PostgreSQL: a database that is away answers `unavailable` soon, comes back by itself, and a pooler
// that loses prepared statements is lived with. On a server of its own, because it is stopped and started.
#include <gtest/gtest.h>

#include <chrono>

#include "store/postgres/connection_pool.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/sql_error.h"
#include "support/postgres_server.h"

namespace eilbote::test::postgres_links_test {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr sql::Text kForgetAll{"forget_all", "DEALLOCATE ALL"};

StoreOptions at(const std::string& url) {
  StoreOptions options;
  options.url = url;
  return options;
}

class PostgresLinks : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.url = server_.create_database();
    ASSERT_TRUE(postgres::migrate(options_));
    auto opened = postgres::open(options_);
    ASSERT_TRUE(opened) << opened.error().message;
    outbox_ = std::move(opened->outbox);
  }

  NewJob mail() {
    NewJob job;
    job.id = JobId{++last_id_};
    job.client = ClientName{"shop"};
    job.pool = "mail";
    job.mail.meta = "{}";
    return job;
  }

  PostgresServer server_;
  StoreOptions options_;
  std::unique_ptr<Outbox> outbox_;
  std::int64_t last_id_ = 0;
};

TEST_F(PostgresLinks, ADatabaseThatIsAwayIsUnavailableSoonAndBackByItself) {
  server_.stop();
  const NewJob job = mail();
  const auto started = Steady::now();
  const auto away = outbox_->accept(std::span(&job, 1), AcceptRun::first);
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().kind, ErrorKind::unavailable) << away.error().message;
  EXPECT_LT(Steady::now() - started, seconds{5});
  EXPECT_FALSE(outbox_->check());
  server_.start();
  const auto back = outbox_->accept(std::span(&job, 1), AcceptRun::first);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->front().kind, AcceptKind::accepted);
}

TEST_F(PostgresLinks, IdleConnectionsThatTheServerEndedAreReplaced) {
  for (int round = 0; round < 5; ++round) {
    EXPECT_GE(server_.terminate_backends(), 1);
    const NewJob job = mail();
    const auto accepted = outbox_->accept(std::span(&job, 1), AcceptRun::first);
    ASSERT_TRUE(accepted) << accepted.error().message;
  }
  server_.restart();
  const auto checked = outbox_->check();
  EXPECT_TRUE(checked) << checked.error().message;
}

TEST_F(PostgresLinks, NobodyListensThere) {
  const auto started = Steady::now();
  const auto opened = postgres::open(at("postgresql://eilbote@127.0.0.1:1/none"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::unavailable);
  EXPECT_LT(Steady::now() - started, seconds{5});
}

TEST_F(PostgresLinks, LostPreparedStatementsAreDoneWithout) {
  postgres::ConnectionPool pool({options_.url, {}}, 1);
  int runs = 0;
  const auto operation = [&](postgres::Connection& connection) -> Result<int> {
    ++runs;
    for (int i = 0; i < 2; ++i) {
      auto rows = connection.run(sql::postgres::find_clients);
      if (!rows) return fail(rows.error());
      // What a pooler does that lends another session to each transaction.
      if (auto forgot = connection.run(kForgetAll); !forgot) return fail(forgot.error());
    }
    return 1;
  };
  const auto done = pool.with_connection(operation);
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_EQ(runs, 2) << "once with names, once without";
  EXPECT_TRUE(pool.with_connection(operation));
  EXPECT_EQ(runs, 3) << "it is remembered";
}

TEST_F(PostgresLinks, ARefusedRowLeavesTheConnectionFit) {
  NewJob bad = mail();
  bad.mail.meta = "{broken";
  for (int round = 0; round < 10; ++round) {
    const auto refused = outbox_->accept(std::span(&bad, 1), AcceptRun::first);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data) << refused.error().message;
    EXPECT_EQ(refused.error().message.find("broken"), std::string::npos) << refused.error().message;
  }
  const NewJob good = mail();
  EXPECT_TRUE(outbox_->accept(std::span(&good, 1), AcceptRun::first));
}

TEST_F(PostgresLinks, ARefusalSaysNothingOfTheRow) {
  struct Case {
    sql::Text statement;
    const char* says;
  };
  static constexpr Case kCases[] = {
      {{"refused_check",
        "INSERT INTO dispatch_pools (code, name, status) VALUES ('zqvalue', 'zqvalue', 'NO')"},
       "check constraint"},
      {{"refused_null", "INSERT INTO dispatch_pools (code) VALUES ('zqvalue')"}, "null value in column"},
      {{"refused_twin", "INSERT INTO clients (name) VALUES ('zqvalue'), ('zqvalue')"}, "duplicate key"},
      {{"refused_json", "SELECT '{zqvalue'::jsonb"}, "invalid input syntax for type json"},
      {{"refused_number", "SELECT 'a \"zqvalue\" b'::int"}, "invalid input syntax for type integer: \"***\""},
  };
  postgres::ConnectionPool pool({options_.url, {}}, 1);
  for (const Case& c : kCases) {
    const auto refused =
        pool.with_connection([&](postgres::Connection& connection) { return connection.run(c.statement); });
    ASSERT_FALSE(refused) << c.statement.name;
    const std::string& message = refused.error().message;
    EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data) << message;
    EXPECT_NE(message.find(c.says), std::string::npos) << message;
    EXPECT_EQ(message.find("zqvalue"), std::string::npos) << message;
  }
}

TEST(PostgresWords, ALostLinkHasAReason) {
  EXPECT_EQ(postgres::lost_link(true, ""), "the connection was lost: no answer in 30 s");
  EXPECT_EQ(postgres::lost_link(false, "reset by peer"), "the connection was lost: reset by peer");
  EXPECT_EQ(postgres::lost_link(false, ""), "the connection was lost: the server ended it");
}

}  // namespace
}  // namespace eilbote::test::postgres_links_test
