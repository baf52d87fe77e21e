// People change pools while the server runs: suspend and activate, new limits, new pools. What they did holds within a
// moment, on every instance, and outlives a restart whatever the configuration says.
#include <gtest/gtest.h>

#include "base/time.h"
#include "support/eventually.h"
#include "support/program.h"
#include "support/test_store.h"

namespace eilbote::test::pools_are_changed_while_the_server_runs {
namespace {

SCENARIO_ON_EACH_STORE(Pools);

json::value put(const EilboteProcess& server, const std::string& pool, const std::string& body) {
  const HttpReply reply = http_request("PUT", server.url() + "/dispatch-pools/" + pool, body, {});
  EXPECT_EQ(reply.status, 200) << reply.body;
  return json::parse(reply.body);
}

json::value post(const EilboteProcess& server, const std::string& path, int status = 200,
                 const std::string& body = "") {
  const HttpReply reply = server.post(path, body);
  EXPECT_EQ(reply.status, status) << path << ": " << reply.body;
  return json::parse(reply.body);
}

// A mail that stays where it is. A change takes a moment until it holds: mails sent before that may go out.
std::string one_that_waits(const MailApi& api) {
  std::string id;
  EXPECT_TRUE(eventually([&] {
    id = api.accept(mail_json("a@example.org"));
    return throughout([&] { return api.status(id) == "QUEUED"; }, std::chrono::milliseconds{1500});
  })) << "the pool goes on";
  return id;
}

TEST_P(Pools, a_suspended_pool_starts_nothing_until_it_is_activated) {
  const auto server = start_server();
  const MailApi api(*server);
  EXPECT_EQ(text_at(post(*server, "/dispatch-pools/mail/suspend"), "/status"), "SUSPENDED");
  const std::string waits = one_that_waits(api);
  EXPECT_EQ(text_at(post(*server, "/dispatch-pools/mail/suspend"), "/status"), "SUSPENDED") << "once more";
  server->stop();
  server->start();
  EXPECT_EQ(text_at(api.read("/dispatch-pools/mail"), "/status"), "SUSPENDED");
  EXPECT_TRUE(throughout([&] { return api.status(waits) == "QUEUED"; }, std::chrono::milliseconds{1500}))
      << "a restart does not activate it";
  EXPECT_EQ(text_at(post(*server, "/dispatch-pools/mail/activate"), "/status"), "ACTIVE");
  EXPECT_TRUE(api.reaches(waits, "SENT"));
}

TEST_P(Pools, a_new_rate_holds_at_once) {
  const auto server = start_server();
  const MailApi api(*server);
  post(*server, "/dispatch-pools/mail/suspend");
  std::vector<std::string> ids{one_that_waits(api)};
  for (int i = 0; i < 3; ++i)
    ids.push_back(api.accept(mail_json("a@example.org")));
  put(*server, "mail", R"({"rateLimitPerMinute":60,"burst":1})");
  post(*server, "/dispatch-pools/mail/activate");
  std::vector<TimePoint> starts;
  for (const std::string& id : ids) {
    ASSERT_TRUE(api.reaches(id, "SENT"));
    starts.push_back(*parse_rfc3339(text_at(api.attempts(id).at(0), "/attemptedAt")));
  }
  std::sort(starts.begin(), starts.end());
  // Claimed a second apart; a busy machine may begin one late, and so two closer together.
  EXPECT_GE(starts.back() - starts.front(), std::chrono::milliseconds{2500});
}

TEST_P(Pools, are_made_and_found_by_code_and_by_id) {
  const auto server = start_server();
  const MailApi api(*server);
  const json::value made =
      post(*server, "/dispatch-pools", 201, R"({"code":"bulk","rateLimitPerMinute":600,"burst":10})");
  EXPECT_EQ(text_at(made, "/name"), "bulk");
  EXPECT_EQ(text_at(api.read("/dispatch-pools/" + text_at(made, "/id")), "/code"), "bulk");
  EXPECT_EQ(api.read("/dispatch-pools/bulk"), made);
  const json::value all = api.read("/dispatch-pools");
  EXPECT_EQ(text_at(all, "/data/0/code"), "bulk");
  EXPECT_EQ(text_at(all, "/data/1/code"), "mail");
  EXPECT_EQ(server->post("/dispatch-pools", R"({"code":"bulk"})").status, 409);
  EXPECT_EQ(number_at(put(*server, "bulk", R"({"concurrency":7})"), "/concurrency"), 7);
  EXPECT_EQ(number_at(api.read("/dispatch-pools/bulk"), "/rateLimitPerMinute"), 600);
  EXPECT_EQ(server->get("/dispatch-pools/none").status, 404);
  EXPECT_EQ(server->post("/dispatch-pools/none/suspend", "").status, 404);
}

TEST_P(Pools, from_the_command_line) {
  const auto server = start_server();
  const auto cli = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program_under_test());
    return run_command(arguments, {{"EILBOTE_SERVER", server->url()}});
  };
  EXPECT_EQ(cli({"pools", "set", "bulk", "--rate", "600"}).exit_code, 4) << "there is none";
  const CommandResult made =
      cli({"pools", "set", "bulk", "--rate", "600", "--burst", "10", "--create", "--json"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(number_at(json::parse(made.out), "/rateLimitPerMinute"), 600);
  const CommandResult freed = cli({"pools", "set", "bulk", "--rate", "none", "--json"});
  EXPECT_FALSE(has(json::parse(freed.out), "/rateLimitPerMinute")) << freed.out;
  EXPECT_EQ(cli({"pools", "set", "bulk", "--rate", "fast"}).exit_code, 2);
  EXPECT_EQ(cli({"pools", "set", "bulk"}).exit_code, 2) << "nothing to set";
  const CommandResult refused = cli({"pools", "set", "bulk", "--burst", "0"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("/burst"), std::string::npos) << refused.err;
  EXPECT_NE(cli({"pools", "suspend", "bulk"}).out.find("SUSPENDED"), std::string::npos);
  EXPECT_NE(cli({"pools", "show", "bulk"}).out.find("SUSPENDED"), std::string::npos);
  EXPECT_NE(cli({"pools", "activate", "bulk"}).out.find("ACTIVE"), std::string::npos);
  EXPECT_EQ(cli({"pools", "show", "none"}).exit_code, 4);
  EXPECT_EQ(cli({"pools"}).out, cli({"pools", "list"}).out);
  EXPECT_EQ(json::parse(cli({"pools", "list", "--json"}).out).at("data").as_array().size(), 3U);
}

struct BadCase {
  const char* method;
  const char* path;
  const char* body;
  int status;
  const char* names;  // somewhere in the problem
};

TEST_P(Pools, refuse_what_is_wrong_and_name_it) {
  const auto server = start_server();
  const std::vector<BadCase> table{
      {"POST", "/dispatch-pools", "{", 400, "malformed"},
      {"POST", "/dispatch-pools", "{}", 400, "/code"},
      {"POST", "/dispatch-pools", R"({"code":"Bulk"})", 400, "/code"},
      {"POST", "/dispatch-pools", R"({"code":"b","rateLimitPerMin":1})", 400,
       "did you mean 'rateLimitPerMinute'"},
      {"POST", "/dispatch-pools", R"({"code":"b","burst":1e9})", 400, "/burst"},
      {"POST", "/dispatch-pools", R"({"code":"b","code":"c"})", 400, "/code"},
      {"PUT", "/dispatch-pools/mail", R"({"code":"post"})", 400, "/code"},
      {"PUT", "/dispatch-pools/mail", R"({"concurrency":0,"burst":-1})", 400, "/burst"},
      {"PUT", "/dispatch-pools/none", R"({"burst":1})", 404, "no pool"},
      {"DELETE", "/dispatch-pools/mail", "", 405, "method"},
      {"GET", "/message-groups?blocked=false", "", 400, "blocked"},
      {"GET", "/message-groups?limit=201", "", 400, "limit"},
      {"GET", "/message-groups?limt=2", "", 400, "did you mean 'limit'"},
      {"GET", "/message-groups?clientId=", "", 400, "clientId"},
      {"POST", "/message-groups/skip", "", 400, "/group"},
      {"POST", "/message-groups/skip", R"({"group":""})", 400, "/group"},
      {"POST", "/message-groups/skip", R"({"group":1,"channel":"pigeon","clientId":null})", 400, "/channel"},
      {"POST", "/message-groups/retry", R"({"group":"g","channl":"mail"})", 400, "did you mean 'channel'"},
      {"POST", "/message-groups/retry", R"({"group":"g"})", 404, "blocked"},
  };
  for (const BadCase& row : table) {
    const HttpReply reply = http_request(row.method, server->url() + row.path, row.body, {});
    EXPECT_EQ(reply.status, row.status) << row.path << ' ' << row.body << '\n' << reply.body;
    EXPECT_NE(reply.body.find(row.names), std::string::npos) << row.path << ' ' << row.body << '\n'
                                                             << reply.body;
  }
  EXPECT_EQ(MailApi(*server).read("/dispatch-pools").at("data").as_array().size(), 2U) << "nothing was made";
}

}  // namespace
}  // namespace eilbote::test::pools_are_changed_while_the_server_runs
