// A store for one scenario: a SQLite file in the server's data folder, or a fresh migrated database on the PostgreSQL
// server of this test program, which a scenario may stop and restart.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/eilbote_process.h"
#include "support/mail_api.h"
#include "support/mail_history.h"
#include "support/postgres_server.h"
#include "support/temp_folder.h"

namespace eilbote::test {

enum class StoreKind { sqlite, postgres };
void PrintTo(StoreKind kind, std::ostream* out);  // for GoogleTest
std::string store_name(const testing::TestParamInfo<StoreKind>& info);

// Environment variables for a server.
using Settings = std::map<std::string, std::string>;

class StoreScenario : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override;
  void TearDown() override;

  bool on_postgres() const { return GetParam() == StoreKind::postgres; }
  // A server on this scenario's store, not started. Instances on one store have different names, and so their own
  // data and capture folders.
  std::unique_ptr<EilboteProcess> make_server(Settings settings = {}, const std::string& name = "data") const;
  // The same, started.
  std::unique_ptr<EilboteProcess> start_server(Settings settings = {},
                                               const std::string& name = "data") const;
  PostgresServer& postgres() const { return PostgresServer::shared(); }
  const std::string& database_url() const { return database_url_; }

  TempFolder folder_;
  std::string database_url_;
};

// The URL of a fresh database of the shared server that `eilbote migrate` has made ready.
std::string create_migrated_database();

// Every message of a server's store with its state.
std::vector<StoredMail> stored_mails(const MailApi& api);

// Waits until what was acknowledged is captured and nothing waits any more, then judges.
Judgement judge_when_done(const MailHistory& history, const EilboteProcess& server, MailHistory::Rules rules,
                          const std::vector<std::string>& capture_folders,
                          std::chrono::milliseconds patience = std::chrono::seconds{90});

}  // namespace eilbote::test

// A scenario on both stores: SCENARIO_ON_EACH_STORE(AMailIsSent); TEST_P(AMailIsSent, at_once) {...}
#define SCENARIO_ON_EACH_STORE(Name)                                                               \
  class Name : public ::eilbote::test::StoreScenario {};                                           \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      Stores, Name,                                                                                \
      ::testing::Values(::eilbote::test::StoreKind::sqlite, ::eilbote::test::StoreKind::postgres), \
      ::eilbote::test::store_name)
// Where only PostgreSQL makes sense (several instances, its own restarts).
#define SCENARIO_ON_POSTGRES(Name)                                                                \
  class Name : public ::eilbote::test::StoreScenario {};                                          \
  INSTANTIATE_TEST_SUITE_P(Stores, Name, ::testing::Values(::eilbote::test::StoreKind::postgres), \
                           ::eilbote::test::store_name)
// Where the store makes no difference.
#define SCENARIO_ON_SQLITE(Name)                                                                \
  class Name : public ::eilbote::test::StoreScenario {};                                        \
  INSTANTIATE_TEST_SUITE_P(Stores, Name, ::testing::Values(::eilbote::test::StoreKind::sqlite), \
                           ::eilbote::test::store_name)
