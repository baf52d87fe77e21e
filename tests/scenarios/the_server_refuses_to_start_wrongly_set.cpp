// What must not run does not start, and says why: an open listener without identity, an option nobody knows, a data
// folder in use, a store that cannot be, a schema that is not there. `eilbote migrate` makes the schema, twice without harm.
#include <gtest/gtest.h>

#include <fstream>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/program.h"
#include "support/test_store.h"

namespace eilbote::test::the_server_refuses_to_start_wrongly_set {
namespace {

using namespace std::chrono_literals;

SCENARIO_ON_SQLITE(TheServer);
SCENARIO_ON_POSTGRES(TheServerOnPostgres);

CommandResult serve(Settings settings, const std::string& folder,
                    const std::vector<std::string>& arguments = {}) {
  settings.try_emplace("EILBOTE_LISTEN", "127.0.0.1:0");
  settings.try_emplace("EILBOTE_DATA_DIR", folder);
  std::vector<std::string> command{program_under_test(), "serve"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_command(command, settings, 30s);
}

void expect_refused(const CommandResult& result, const std::vector<std::string>& words) {
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.exit_code, -1) << "it runs";
  EXPECT_EQ(result.out.find("ready"), std::string::npos) << result.out;
  for (const std::string& word : words)
    EXPECT_NE(result.err.find(word), std::string::npos) << "no '" << word << "' in: " << result.err;
}

TEST_P(TheServer, refuses_an_open_listener_without_identity) {
  expect_refused(serve({{"EILBOTE_LISTEN", "0.0.0.0:0"}}, folder_ / "d"),
                 {"EILBOTE_LISTEN", "EILBOTE_AUTH", "127.0.0.1"});
  expect_refused(serve({{"EILBOTE_LISTEN", "[::]:0"}}, folder_ / "d"), {"EILBOTE_LISTEN"});
}

TEST_P(TheServer, refuses_identity_that_is_half_set_up) {
  expect_refused(serve({{"EILBOTE_AUTH", "oidc"}}, folder_ / "d"),
                 {"EILBOTE_OIDC_ISSUER", "EILBOTE_OIDC_AUDIENCE"});
  Settings plain{{"EILBOTE_AUTH", "oidc"},
                 {"EILBOTE_OIDC_ISSUER", "http://idp.example.org"},
                 {"EILBOTE_OIDC_AUDIENCE", "eilbote"}};
  expect_refused(serve(plain, folder_ / "d"), {"EILBOTE_OIDC_ISSUER", "https://"});
  expect_refused(serve({{"EILBOTE_OIDC_ISSUER", "https://idp.example.org"}}, folder_ / "d"),
                 {"EILBOTE_OIDC_ISSUER", "EILBOTE_AUTH"});
  Settings no_file{{"EILBOTE_AUTH", "oidc"},
                   {"EILBOTE_OIDC_ISSUER", "https://idp.example.org"},
                   {"EILBOTE_OIDC_AUDIENCE", "eilbote"},
                   {"EILBOTE_OIDC_CA_FILE", "/nowhere/ca.pem"}};
  expect_refused(serve(no_file, folder_ / "d"), {"EILBOTE_OIDC_CA_FILE", "/nowhere/ca.pem"});
}

TEST_P(TheServer, names_the_nearest_option_of_one_it_does_not_know) {
  expect_refused(serve({{"EILBOTE_LEASE_SECOND", "5"}}, folder_ / "d"),
                 {"EILBOTE_LEASE_SECOND", "EILBOTE_LEASE_SECONDS"});
  expect_refused(serve({{"DISPATCH_MAX_ATTEMTS", "5"}}, folder_ / "d"), {"DISPATCH_MAX_ATTEMPTS"});
  std::ofstream(folder_ / "bad.toml") << "[dispatch]\nlease_secconds = 4\n";
  expect_refused(serve({}, folder_ / "d", {"--config", folder_ / "bad.toml"}),
                 {"lease_secconds", "lease_seconds"});
  const CommandResult flag = serve({}, folder_ / "d", {"--lease-secnds", "4"});
  expect_refused(flag, {"lease-secnds"});
}

TEST_P(TheServer, refuses_a_data_key_that_is_none) {
  std::ofstream(folder_ / "short.key") << "c2hvcnQ=\n";
  expect_refused(serve({{"EILBOTE_DATA_KEY_REF", "file://" + (folder_ / "short.key")}}, folder_ / "d"),
                 {"EILBOTE_DATA_KEY_REF", "32 bytes"});
  expect_refused(
      serve({{"EILBOTE_DATA_KEY_PREVIOUS_REF", "file://" + (folder_ / "none.key")}}, folder_ / "d"),
      {"EILBOTE_DATA_KEY_PREVIOUS_REF", "none.key"});
  expect_refused(serve({{"EILBOTE_DATA_KEY_REF", "hunter2"}}, folder_ / "d"),
                 {"EILBOTE_DATA_KEY_REF", "env://NAME"});
}

TEST_P(TheServer, refuses_secrets_from_where_they_may_not_come) {
  const Settings vault{{"EILBOTE_SECRET_SCHEMES", "vault"},
                       {"EILBOTE_VAULT_ADDR", "http://127.0.0.1:1"},
                       {"EILBOTE_VAULT_TOKEN_REF", "env://TOKEN"},
                       {"TOKEN", "t"}};
  Settings by_variable = vault;
  by_variable.insert({{"EILBOTE_DATA_KEY_REF", "env://KEY"}, {"KEY", "x"}});
  expect_refused(serve(by_variable, folder_ / "d"), {"EILBOTE_DATA_KEY_REF", "EILBOTE_SECRET_SCHEMES"});
  Settings literal = vault;
  literal.insert({"EILBOTE_STORE_URL", "postgresql://me:hunter2@127.0.0.1:1/x"});
  const CommandResult refused = serve(literal, folder_ / "d");
  expect_refused(refused, {"EILBOTE_STORE_URL: has a password in it", "EILBOTE_SECRET_SCHEMES"});
  EXPECT_EQ(refused.err.find("hunter2"), std::string::npos);
}

TEST_P(TheServer, names_every_bad_value_at_once) {
  expect_refused(
      serve(
          {{"EILBOTE_LEASE_SECONDS", "soon"}, {"EILBOTE_DISPATCH", "sometimes"}, {"EILBOTE_LISTEN", "here"}},
          folder_ / "d"),
      {"EILBOTE_LEASE_SECONDS", "EILBOTE_DISPATCH", "EILBOTE_LISTEN"});
}

TEST_P(TheServer, refuses_a_dangling_reference_and_a_bad_store) {
  expect_refused(serve({{"EILBOTE_STORE_URL", "mysql://localhost/x"}}, folder_ / "d"), {"EILBOTE_STORE_URL"});
  expect_refused(serve({{"EILBOTE_STORE_URL", "postgresql://someone@127.0.0.1:1/nowhere"},
                        {"EILBOTE_STORE_PASSWORD_REF", "file:///nowhere/at/all"}},
                       folder_ / "d"),
                 {"EILBOTE_STORE_PASSWORD_REF"});
  expect_refused(serve({{"EILBOTE_MAIL_PROVIDER", "smtp"},
                        {"EILBOTE_SMTP_URL", "smtp://me@127.0.0.1:1"},
                        {"EILBOTE_SMTP_PASSWORD_REF", "file:///nowhere/at/all"}},
                       folder_ / "d"),
                 {"EILBOTE_SMTP_PASSWORD_REF"});
  expect_refused(serve({{"EILBOTE_STORE_URL", "sqlite:/proc/no/such/folder/x.db"}}, folder_ / "d"),
                 {"cannot start: EILBOTE_STORE_URL: "});
}

TEST_P(TheServer, refuses_a_data_folder_that_another_one_uses) {
  const auto first = start_server();
  expect_refused(serve({}, first->data_folder()), {"EILBOTE_DATA_DIR", "in use"});
  EXPECT_EQ(first->get("/health/live").status, 200);
  EXPECT_EQ(first->stop(), 0);
  EXPECT_NO_THROW(first->start());
}

TEST_P(TheServer, refuses_a_port_that_is_taken) {
  const auto first = start_server();
  const std::string place = first->url().substr(std::string("http://").size());
  expect_refused(serve({{"EILBOTE_LISTEN", place}}, folder_ / "other"), {"EILBOTE_LISTEN: ", place});
}

TEST_P(TheServerOnPostgres, refuses_a_schema_that_is_not_there_until_migrate_made_it) {
  const std::string url = postgres().create_database();
  const Settings settings{{"EILBOTE_STORE_URL", url}, {"EILBOTE_DATA_DIR", folder_ / "m"}};
  expect_refused(serve(settings, folder_ / "m"), {"eilbote migrate"});
  const CommandResult first = run_command({program_under_test(), "migrate"}, settings);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_FALSE(first.out.empty());
  const CommandResult second = run_command({program_under_test(), "migrate"}, settings);
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(first.out, second.out) << "the second run has nothing to do and says so";
  EilboteProcess server(folder_ / "m", {{"EILBOTE_STORE_URL", url}});
  ASSERT_NO_THROW(server.start());
  const MailApi api(server);
  EXPECT_TRUE(api.reaches(api.accept(mail_json("a@example.org")), "SENT"));
}

TEST_P(TheServerOnPostgres, refuses_a_database_that_does_not_answer) {
  const std::string url = database_url();
  postgres().stop();
  expect_refused(serve({{"EILBOTE_STORE_URL", url}}, folder_ / "d"), {"cannot start: EILBOTE_STORE_URL: "});
  postgres().start();
}

}  // namespace
}  // namespace eilbote::test::the_server_refuses_to_start_wrongly_set
