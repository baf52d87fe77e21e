// A store and a real broker for one scenario, and servers on them with the roles they are given. RabbitMQ or SQS, PostgreSQL or
// SQLite; where a broker cannot be had the scenario is skipped and says why. Everything is gone with the test.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/history_checker.h"
#include "support/raw_sql.h"
#include "support/test_broker.h"
#include "support/test_store.h"

namespace eilbote::test {

struct BrokerCase {
  BrokerKind broker = BrokerKind::rabbitmq;
  StoreKind store = StoreKind::postgres;
};
void PrintTo(const BrokerCase& one, std::ostream* out);  // for GoogleTest
std::string broker_case_name(const testing::TestParamInfo<BrokerCase>& info);

class BrokerScenario : public testing::TestWithParam<BrokerCase> {
 protected:
  void SetUp() override;
  void TearDown() override;

  bool on_postgres() const { return GetParam().store == StoreKind::postgres; }
  // A server on this scenario's store and broker, not started. `role`: what EILBOTE_ROLE says. It looks for work each second,
  // and its lease is short, so that no test waits for a minute.
  std::unique_ptr<EilboteProcess> make_server(const std::string& role = "all", Settings settings = {},
                                              const std::string& name = "data") const;
  std::unique_ptr<EilboteProcess> start_server(const std::string& role = "all", Settings settings = {},
                                               const std::string& name = "data") const;

  PostgresServer& postgres() const { return PostgresServer::shared(); }
  const std::string& database_url() const { return database_url_; }
  // A link of the test's own to the store. SQLite: of the server with that name, which has run before.
  std::unique_ptr<RawSql> open_sql(const std::string& name = "data") const;
  TestBroker& broker() { return *broker_; }
  RabbitServer& rabbit() { return broker_->rabbit(); }

  TempFolder folder_;
  std::string database_url_;
  std::unique_ptr<TestBroker> broker_;
};

// Waits until the server can publish (true), or has noticed that it cannot (false); whether it came to that.
bool gets_connected(const EilboteProcess& server, bool connected = true);

// Judges, and makes every violation a failure of the running test; the history is kept in a file then, and the failure names it.
HistoryVerdict expect_history_holds(const History& history, const HistoryRules& rules = {});

// `outbox.status` of a job, by the id people see.
std::string row_status(RawSql& sql, const std::string& id);
// One column of it; `column` may be an expression.
std::string row_value(RawSql& sql, const std::string& id, const std::string& column);

}  // namespace eilbote::test

// A scenario with every broker on every store.
#define SCENARIO_WITH_EACH_BROKER(Name)                                                    \
  class Name : public ::eilbote::test::BrokerScenario {};                                  \
  INSTANTIATE_TEST_SUITE_P(                                                                \
      Brokers, Name,                                                                       \
      ::testing::Values(::eilbote::test::BrokerCase{::eilbote::test::BrokerKind::rabbitmq, \
                                                    ::eilbote::test::StoreKind::postgres}, \
                        ::eilbote::test::BrokerCase{::eilbote::test::BrokerKind::rabbitmq, \
                                                    ::eilbote::test::StoreKind::sqlite},   \
                        ::eilbote::test::BrokerCase{::eilbote::test::BrokerKind::sqs,      \
                                                    ::eilbote::test::StoreKind::postgres}, \
                        ::eilbote::test::BrokerCase{::eilbote::test::BrokerKind::sqs,      \
                                                    ::eilbote::test::StoreKind::sqlite}),  \
      ::eilbote::test::broker_case_name)
// With RabbitMQ, on PostgreSQL.
#define SCENARIO_WITH_RABBITMQ(Name)                                                        \
  class Name : public ::eilbote::test::BrokerScenario {};                                   \
  INSTANTIATE_TEST_SUITE_P(                                                                 \
      Brokers, Name,                                                                        \
      ::testing::Values(::eilbote::test::BrokerCase{::eilbote::test::BrokerKind::rabbitmq,  \
                                                    ::eilbote::test::StoreKind::postgres}), \
      ::eilbote::test::broker_case_name)
