// Service accounts over HTTP and on the command line: the answer that makes a secret is the only one with it, before and
// after a restart, in the database, the logs and the data folder alike.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/program.h"
#include "support/test_store.h"

namespace eilbote::test::a_secret_of_a_service_account_is_shown_once {
namespace {

SCENARIO_ON_EACH_STORE(ASecretOfAServiceAccount);

HttpReply put(const EilboteProcess& server, const std::string& path, const std::string& body) {
  return http_request("PUT", server.url() + path, body, {{"Content-Type", "application/json"}});
}

json::value body_of(const HttpReply& reply) {
  return json::parse(reply.body);
}

// Everything that can be read of accounts, in one text.
std::string all_answers(const EilboteProcess& server, const std::string& id) {
  return server.get("/service-accounts").body + server.get("/service-accounts?code=acme").body +
         server.get("/service-accounts/" + id).body + server.get("/service-accounts/acme").body +
         put(server, "/service-accounts/acme", R"({"description":"again"})").body +
         server.post("/service-accounts/acme/activate", "").body +
         server.post("/service-accounts", R"({"code":"acme","name":"twin"})").body;
}

// Every file of the data folder, the database included.
std::string all_files(const std::string& folder) {
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) all += read_text_file(entry.path().string());
  return all;
}

TEST_P(ASecretOfAServiceAccount, is_shown_once_and_never_again) {
  const auto server = start_server();
  const HttpReply made =
      server->post("/service-accounts",
                   R"({"code":"acme","name":"Acme","clientIds":["local"],"roles":[{"roleName":"sender"}]})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.headers.at("cache-control"), "no-store");
  const json::value answer = body_of(made);
  const std::string id = text_at(answer, "/serviceAccount/id");
  EXPECT_EQ(made.headers.at("location"), "/service-accounts/" + id);
  const std::string token = text_at(answer, "/webhook/authToken");
  const std::string secret = text_at(answer, "/webhook/signingSecret");
  ASSERT_TRUE(token.starts_with("fc_")) << made.body;
  ASSERT_TRUE(secret.starts_with("whsec_")) << made.body;
  EXPECT_EQ(text_at(answer, "/serviceAccount/webhookCredentials/authTokenRef"), "encrypted://***");
  EXPECT_EQ(text_at(answer, "/serviceAccount/roles/0/roleName"), "sender");

  const auto nowhere = [&] {
    const std::string shown = all_answers(*server, id) + all_files(folder_.path());
    for (const std::string& text : {token, secret, secret.substr(6)})
      EXPECT_EQ(shown.find(text), std::string::npos) << "a secret was shown again";
  };
  nowhere();
  EXPECT_EQ(server->stop(), 0);
  nowhere();
  server->start();
  nowhere();
  const json::value read = body_of(server->get("/service-accounts/acme"));
  EXPECT_EQ(text_at(read, "/id"), id);
  EXPECT_EQ(text_at(read, "/webhookCredentials/signingSecretRef"), "encrypted://***");
  EXPECT_EQ(text_at(read, "/description"), "again");
}

TEST_P(ASecretOfAServiceAccount, can_be_renewed_unless_it_is_kept_outside) {
  const auto server = start_server();
  ASSERT_EQ(server->post("/service-accounts", R"({"code":"acme","name":"Acme"})").status, 201);
  const json::value token = body_of(server->post("/service-accounts/acme/regenerate-token", ""));
  const json::value secret = body_of(server->post("/service-accounts/acme/regenerate-secret", ""));
  EXPECT_TRUE(text_at(token, "/authToken").starts_with("fc_"));
  EXPECT_TRUE(text_at(secret, "/signingSecret").starts_with("whsec_"));
  EXPECT_FALSE(text_at(secret, "/previousSecretUntil").empty());
  const std::string shown = server->get("/service-accounts/acme").body;
  EXPECT_EQ(shown.find(text_at(secret, "/signingSecret")), std::string::npos);
  EXPECT_EQ(text_at(json::parse(shown), "/webhookCredentials/previousSecretRef"), "encrypted://***");

  const HttpReply outside = server->post(
      "/service-accounts", R"({"code":"outside","name":"O","webhookCredentials":{"authTokenRef":"env://A",
                              "signingSecretRef":"file:///run/secret"}})");
  ASSERT_EQ(outside.status, 201) << outside.body;
  EXPECT_EQ(text_at(body_of(outside), "/serviceAccount/webhookCredentials/authTokenRef"), "env://A");
  EXPECT_TRUE(body_of(outside).at_pointer("/webhook/authToken").is_null());
  EXPECT_EQ(server->post("/service-accounts/outside/regenerate-token", "").status, 409);
  EXPECT_EQ(server->post("/service-accounts/outside/regenerate-secret", "").status, 409);
}

TEST_P(ASecretOfAServiceAccount, cannot_be_kept_without_the_data_key_which_is_nobodys_fault) {
  const auto server = start_server();
  ASSERT_EQ(server->post("/service-accounts", R"({"code":"acme","name":"Acme"})").status, 201);
  std::ofstream(server->data_folder() + "/data.key", std::ios::trunc) << "no key";
  for (const auto& [path, body] : {std::pair{"/service-accounts", R"({"code":"other","name":"Other"})"},
                                   std::pair{"/service-accounts/acme/regenerate-token", ""},
                                   std::pair{"/service-accounts/acme/regenerate-secret", ""}}) {
    const HttpReply refused = server->post(path, body);
    EXPECT_EQ(refused.status, 503) << path << " " << refused.body;
    EXPECT_NE(refused.body.find("the data key cannot be used"), std::string::npos) << refused.body;
    const std::string trace = text_at(body_of(refused), "/traceId");
    EXPECT_TRUE(eventually([&] {
      const std::string log = read_text_file(server->log_file());
      const auto line = log.find("the data key cannot be used");
      return line != std::string::npos && log.find(trace, line) != std::string::npos;
    })) << path;
  }
  EXPECT_EQ(server->get("/service-accounts/other").status, 404);
}

TEST_P(ASecretOfAServiceAccount, is_of_no_use_to_two_who_change_the_account_at_once) {
  const auto server = start_server();
  const json::value made = body_of(server->post("/service-accounts", R"({"code":"acme","name":"Acme"})"));
  const std::string seen = text_at(made, "/serviceAccount/updatedAt");
  EXPECT_EQ(
      put(*server, "/service-accounts/acme", R"({"name":"First","updatedAt":")" + seen + R"("})").status,
      200);
  EXPECT_EQ(
      put(*server, "/service-accounts/acme", R"({"name":"Second","updatedAt":")" + seen + R"("})").status,
      409);
  EXPECT_EQ(text_at(body_of(server->get("/service-accounts/acme")), "/name"), "First");
  EXPECT_EQ(server->post("/service-accounts", R"({"code":"acme","name":"Twin"})").status, 409);
}

TEST_P(ASecretOfAServiceAccount, is_refused_where_its_reference_belongs) {
  const auto server = start_server();
  const auto post = [&](const std::string& credentials) {
    return server->post("/service-accounts",
                        R"({"code":"acme","name":"A","webhookCredentials":{)" + credentials + "}}");
  };
  for (const char* credentials :
       {R"("authTokenRef":"hunter2")", R"("signingSecretRef":"encrypted://aHVudGVyMg==")",
        R"("authToken":"hunter2")", R"("authTokenRef":7)"}) {
    const HttpReply refused = post(credentials);
    EXPECT_EQ(refused.status, 400) << refused.body;
    EXPECT_NE(refused.body.find("/webhookCredentials/"), std::string::npos) << refused.body;
    EXPECT_EQ(refused.body.find("hunter2"), std::string::npos) << refused.body;
  }
  EXPECT_EQ(server->get("/service-accounts/acme").status, 404);
}

TEST_P(ASecretOfAServiceAccount, is_printed_once_by_the_command_line) {
  const auto server = start_server();
  const auto cli = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program_under_test());
    return run_command(arguments,
                       {{"EILBOTE_SERVER", server->url()}, {"EILBOTE_DATA_DIR", server->data_folder()}});
  };
  const CommandResult made = cli({"accounts", "create", "acme", "--client", "shop", "--json"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string token = text_at(json::parse(made.out), "/webhook/authToken");
  const CommandResult listed = cli({"accounts", "list"});
  EXPECT_NE(listed.out.find("acme"), std::string::npos) << listed.out;
  const CommandResult shown = cli({"accounts", "show", "acme"});
  EXPECT_NE(shown.out.find("encrypted://***"), std::string::npos) << shown.out;
  EXPECT_EQ((listed.out + shown.out).find(token), std::string::npos);
  const CommandResult renewed = cli({"accounts", "regenerate-token", "acme"});
  EXPECT_NE(renewed.out.find("fc_"), std::string::npos) << renewed.out << renewed.err;
  EXPECT_EQ(cli({"accounts", "regenerate-secret", "acme", "--json"}).exit_code, 0);
  const CommandResult stopped = cli({"accounts", "deactivate", "acme", "--json"});
  EXPECT_FALSE(json::parse(stopped.out).at_pointer("/active").as_bool());
  EXPECT_EQ(cli({"accounts", "show", "nobody"}).exit_code, 4);
  EXPECT_EQ(cli({"accounts", "create", "Not A Code"}).exit_code, 1);
}

TEST_P(ASecretOfAServiceAccount, can_be_encrypted_beforehand) {
  const auto server = start_server();
  const auto encrypt = [&](const std::string& input) {
    return run_command(
        {"sh", "-c", "printf '" + input + "' | \"$0\" secret encrypt --json", program_under_test()},
        {{"EILBOTE_DATA_DIR", server->data_folder()}});
  };
  const CommandResult done = encrypt("hunter2\\n");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string reference = text_at(json::parse(done.out), "/reference");
  EXPECT_TRUE(reference.starts_with("encrypted://")) << done.out;
  const HttpReply made = server->post(
      "/service-accounts",
      R"({"code":"acme","name":"A","webhookCredentials":{"authTokenRef":")" + reference + R"("}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(text_at(body_of(made), "/serviceAccount/webhookCredentials/authTokenRef"), "encrypted://***");
  EXPECT_EQ(encrypt("").exit_code, 2) << "nothing is no secret";
}

}  // namespace
}  // namespace eilbote::test::a_secret_of_a_service_account_is_shown_once
