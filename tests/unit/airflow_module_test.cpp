// The Python part of Airflow's dispatch (deploy/airflow) keeps its rules: its own tests, in tests/airflow, are run here. What it
// does with a running server and a real issuer is in scenarios/airflow_delivers_what_is_due.cpp.
#include <gtest/gtest.h>

#include <fstream>

#include "api/limits.h"
#include "api/route_table.h"
#include "domain/identity.h"
#include "support/child_process.h"

namespace eilbote::test::airflow_module_test {
namespace {

TEST(AirflowModule, keeps_its_rules) {
  const CommandResult result = run_command(
      {"python3", "-m", "unittest", "discover", "-s", EILBOTE_SOURCE_DIR "/tests/airflow", "-p", "*_test.py"},
      {{"PYTHONDONTWRITEBYTECODE", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err.find("Ran 0 tests"), std::string::npos) << result.err;
}

TEST(AirflowModule, asks_for_what_the_server_has) {
  std::ifstream in(EILBOTE_SOURCE_DIR "/deploy/airflow/eilbote_dispatch.py");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string path = "/internal/dispatch/batch";
  const RouteMatch match = find_route("POST", path);
  ASSERT_NE(match.route, nullptr);
  EXPECT_TRUE(match.route->scopes.has(Scope::mailer_worker));
  for (const std::string& said :
       {"PATH = \"" + path + "\"", "BATCH_MAX = " + std::to_string(kDispatchBatchMax) + " ",
        "scope: str = \"" + std::string(kScopeNames.text(Scope::mailer_worker)) + "\""})
    EXPECT_NE(text.find(said), std::string::npos) << said << ": the module says something else";
}

}  // namespace
}  // namespace eilbote::test::airflow_module_test
