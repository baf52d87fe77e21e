// The commands themselves: what they ask a server for (a real HTTP server that answers from a table), what
// they print, and their exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "support/cli_fixture.h"
#include "support/scripted_http.h"

namespace eilbote::cli_command_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CliCommand : public test::CliFixture {};

TEST_F(CliCommand, serve_gets_what_its_flags_say) {
  EXPECT_EQ(run({"serve", "--listen", "127.0.0.1:9000", "--lease-seconds=3", "--data-dir", "/tmp/x"}).code,
            ExitCode::ok);
  ASSERT_TRUE(served_);
  EXPECT_EQ(served_->listen.port, 9000);
  EXPECT_EQ(served_->lease, std::chrono::seconds{3});
  EXPECT_EQ(served_->store_url, "sqlite:/tmp/x/eilbote.db");
}

TEST_F(CliCommand, a_bad_configuration_stops_the_start_with_all_faults) {
  const auto result = run({"serve", "--listen", "0.0.0.0:1", "--lease-seconds", "soon"});
  EXPECT_EQ(result.code, ExitCode::usage);
  EXPECT_FALSE(served_);
  EXPECT_THAT(result.err, AllOf(HasSubstr("EILBOTE_LISTEN"), HasSubstr("EILBOTE_LEASE_SECONDS")));
}

TEST_F(CliCommand, wrong_words_are_told_with_the_nearest_right_one) {
  struct Case {
    std::vector<std::string> words;
    const char* says;
  };
  const Case cases[] = {
      {{"serve", "--lsten", "x"}, "unknown flag --lsten for serve; did you mean --listen?"},
      {{"serve", "--store-ulr=x"}, "did you mean --store-url?"},
      {{"serv"}, "unknown argument serv; did you mean serve?"},
      {{"dead", "rety"}, "did you mean retry?"},
      {{"dead", "retry", "--x"}, "unknown flag --x for dead retry"},
      {{"pools", "set", "bulk", "--rat", "1"}, "See: eilbote pools set --help"},
      {{"describe", "state"}, "states"},
      {{"status"}, "id is required"},
      {{"list", "--limit", "1000"}, "--limit"},
      {{"log-level", "debug", "--for", "soon"}, "--for: must be a duration"},
      {{"log-level", "--for", "10m"}, "--for requires level"},
      {{}, "Usage: eilbote"},
  };
  for (const auto& c : cases) {
    const auto result = run(c.words);
    EXPECT_EQ(result.code, ExitCode::usage) << c.says;
    EXPECT_THAT(result.err, HasSubstr(c.says));
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST_F(CliCommand, every_command_has_help_with_an_example) {
  for (const char* name : {"serve", "migrate", "send", "status", "list", "retry", "cancel", "dead", "dsn",
                           "config", "describe"}) {
    const auto result = run({name, "--help"});
    EXPECT_EQ(result.code, ExitCode::ok) << name;
    EXPECT_THAT(result.out, HasSubstr("Example")) << name;
  }
}

TEST_F(CliCommand, config_shows_sources_and_a_sample) {
  EXPECT_THAT(run({"config", "--lease-seconds", "7"}).out, HasSubstr("= 7  (flag --lease-seconds)"));
  EXPECT_THAT(run({"config", "--sample"}).out, HasSubstr("[server]\n"));
  const auto json = boost::json::parse(run({"config", "--json"}).out);
  EXPECT_EQ(json.at_pointer("/options/EILBOTE_LISTEN/value").as_string(), "127.0.0.1:8925");
}

TEST_F(CliCommand, migrate_tells_what_it_did) {
  EXPECT_EQ(run({"migrate"}).out, "applied 001_first\nthe schema is at 001\n");
  EXPECT_EQ(run({"migrate", "--json"}).out, "{\"version\":\"001\",\"applied\":[\"001_first\"]}\n");
  actions_.migrate = [](const Config&) -> Result<MigrationReport> {
    return fail(ErrorKind::unavailable, "refused");
  };
  EXPECT_EQ(run({"migrate"}).code, ExitCode::unreachable);
}

TEST_F(CliCommand, send_posts_the_mail_with_its_key_and_prints_the_id) {
  handler_.answers["POST /messages"] = {202, "application/json", {}, R"({"messageId":"0HZX3T8Q6N2VB"})"};
  const auto sent = ask({"send", "--from", "a@example.org", "--to", "b@example.org", "--to", "c@example.org",
                         "--subject", "Hi", "--text", "Hello", "--idempotency-key", "order-4711"});
  EXPECT_EQ(sent.code, ExitCode::ok) << sent.err;
  EXPECT_EQ(sent.out, "0HZX3T8Q6N2VB\n");
  EXPECT_EQ(handler_.last().header("Idempotency-Key"), "order-4711");
  EXPECT_EQ(handler_.last().header("Content-Type"), "application/json");
  EXPECT_EQ(
      boost::json::parse(handler_.last().body),
      boost::json::parse(R"({"from":"a@example.org","to":["b@example.org","c@example.org"],"subject":"Hi",
                                   "body":{"text":"Hello"}})"));
  handler_.answers["POST /messages"].headers = {{"Idempotency-Replayed", "true"}};
  EXPECT_THAT(ask({"send", "--file", "/dev/null"}).err, HasSubstr("JSON"));
  EXPECT_THAT(ask({"send", "--subject", "x"}).out, HasSubstr("accepted before"));
}

TEST_F(CliCommand, a_refusal_tells_every_fault_once) {
  struct Case {
    int status;
    const char* body;
    const char* says;
  };
  const Case cases[] = {
      {400,
       R"({"detail":"2 faults","errors":[{"pointer":"/from","detail":"is required"},{"pointer":"/to","detail":"is empty"}]})",
       "eilbote: 2 faults\n  /from: is required\n  /to: is empty\n"},
      {400, R"({"detail":"/from: is required","errors":[{"pointer":"/from","detail":"is required"}]})",
       "eilbote: /from: is required\n"},
      {400,
       R"({"detail":"the body must be an object","errors":[{"pointer":"","detail":"must be an object"}]})",
       "eilbote: the body must be an object\n"},
      {400, R"({"detail":"2 faults","errors":[{"pointer":"","detail":"a"},{"pointer":"/b","detail":"c"}]})",
       "eilbote: 2 faults\n  a\n  /b: c\n"},
      {400, R"({"detail":"no","traceId":"abc"})", "eilbote: no\n"},
      {500, R"({"detail":"it failed","traceId":"abc"})",
       "eilbote: it failed\n  the server's log may have more under the trace id abc\n"},
  };
  for (const Case& c : cases) {
    handler_.answers["POST /messages"] = {c.status, "application/problem+json", {}, c.body};
    const auto refused = ask({"send", "--subject", "x"});
    EXPECT_EQ(refused.code, ExitCode::failed);
    EXPECT_EQ(refused.err, c.says);
  }
}

TEST_F(CliCommand, a_server_that_is_away_is_exit_code_3) {
  const int port = server_->port();
  server_->stop();
  const auto away = run({"list", "--server", "http://127.0.0.1:" + std::to_string(port)});
  EXPECT_EQ(away.code, ExitCode::unreachable);
  EXPECT_THAT(away.err, AllOf(HasSubstr("is the server running?"), HasSubstr("EILBOTE_SERVER")));
}

TEST_F(CliCommand, status_shows_attempts_and_events_when_asked) {
  handler_.answers["GET /messages/A"] = {200, "application/json", {}, R"({"messageId":"A","status":"SENT"})"};
  handler_.answers["GET /messages/A/attempts"] = {
      200, "application/json", {}, R"({"data":[{"attemptNumber":1,"status":"SUCCESS","route":"capture"}]})"};
  handler_.answers["GET /messages/A/events"] = {
      200,
      "application/json",
      {},
      R"({"data":[{"at":"t","from":"QUEUED","to":"SENT","reason":"sent","actor":"engine"}]})"};
  const auto plain = ask({"status", "A", "--attempts", "--events"});
  EXPECT_EQ(plain.code, ExitCode::ok);
  EXPECT_THAT(plain.out, AllOf(HasSubstr("SENT"), HasSubstr("capture"), HasSubstr("engine")));
  const auto json = boost::json::parse(ask({"status", "A", "--attempts", "--json"}).out);
  EXPECT_EQ(json.at_pointer("/attempts/0/route").as_string(), "capture");
  EXPECT_EQ(ask({"status", "B"}).code, ExitCode::not_found);
}

TEST_F(CliCommand, list_sends_its_filters_and_follows_pages) {
  handler_.answers["GET /messages?limit=2&status=FAILED&recipient=a%40example.org"] = {
      200, "application/json", {}, R"({"data":[{"messageId":"A","status":"FAILED"}],"nextCursor":"C1"})"};
  handler_.answers["GET /messages?limit=2&status=FAILED&recipient=a%40example.org&cursor=C1"] = {
      200, "application/json", {}, R"({"data":[{"messageId":"B","status":"FAILED"}],"nextCursor":null})"};
  const std::vector<std::string> words{"list",        "--limit",      "2", "--status", "FAILED",
                                       "--recipient", "a@example.org"};
  const auto one = ask(words);
  EXPECT_THAT(one.out, AllOf(HasSubstr("A "), HasSubstr("there are more: --cursor C1")));
  auto all = words;
  all.insert(all.end(), {"--all", "--json"});
  EXPECT_EQ(boost::json::parse(ask(all).out).at_pointer("/data").as_array().size(), 2U);
}

TEST_F(CliCommand, acts_go_to_each_id_and_one_failure_stops_nobody) {
  handler_.answers["DELETE /messages/A"] = {204, "application/json", {}, ""};
  handler_.answers["DELETE /messages/C"] = {204, "application/json", {}, ""};
  const auto result = ask({"cancel", "A", "B", "C"});
  EXPECT_EQ(result.code, ExitCode::not_found);
  EXPECT_EQ(result.out, "A cancelled\nC cancelled\n");
  EXPECT_THAT(handler_.asked(),
              ElementsAre("DELETE /messages/A", "DELETE /messages/B", "DELETE /messages/C"));
  handler_.answers["POST /messages/A/retry"] = {200, "application/json", {}, R"({"messageId":"A"})"};
  EXPECT_EQ(ask({"retry", "A"}).code, ExitCode::ok);
}

TEST_F(CliCommand, a_server_that_goes_away_midway_leaves_what_was_done_on_record) {
  using test::http_answer;
  test::HttpScript script;
  script.scenes = {{http_answer(200, "{}")}, {"", test::HttpScene::Then::close}};
  const std::string away = "is the server running?";
  for (const auto& [json, out] :
       {std::pair{false, "A cancelled\n"},
        std::pair{true, R"([{"messageId":"A","done":true,"status":200,"answer":{}}])"
                        "\n"}}) {
    const test::ScriptedHttp server(script);
    std::vector<std::string> words{"cancel", "A",        "B",
                                   "C",      "--server", "http://127.0.0.1:" + std::to_string(server.port())};
    if (json) words.push_back("--json");
    const auto result = run(words);
    EXPECT_EQ(result.code, ExitCode::unreachable);
    EXPECT_EQ(result.out, out);
    EXPECT_THAT(result.err, HasSubstr(away));
    EXPECT_EQ(server.seen().size(), 2U) << "nobody is asked any more";
  }
}

TEST_F(CliCommand, dead_lists_and_requeues_by_filter_or_ids) {
  handler_.answers["GET /messages?limit=50&status=FAILED"] = {
      200, "application/json", {}, R"({"data":[{"messageId":"A","status":"FAILED"}],"nextCursor":null})"};
  EXPECT_THAT(ask({"dead"}).out, HasSubstr("FAILED"));
  handler_.answers["POST /messages/requeue"] = {200, "application/json", {}, R"({"matched":3,"requeued":0})"};
  const auto dry = ask({"dead", "retry", "--tag", "x", "--dry-run"});
  EXPECT_EQ(dry.out, "matched: 3\nrequeued: 0\n");
  EXPECT_EQ(handler_.last().body, R"({"filter":{"tag":"x","status":"FAILED"},"dryRun":true})");
  EXPECT_EQ(ask({"dead", "retry", "A", "B"}).code, ExitCode::ok);
  EXPECT_EQ(handler_.last().body, R"({"ids":["A","B"]})");
  handler_.answers["POST /messages/requeue"].body = R"({"matched":1000,"more":true})";
  EXPECT_EQ(ask({"dead", "retry", "--all"}).out, "matched: 1000\nthere are more: run it again\n");
  EXPECT_EQ(ask({"dead", "retry", "--all", "--dry-run"}).out, "matched: 1000\nthere are more\n");
}

TEST_F(CliCommand, dead_acts_never_guess_what_is_meant) {
  EXPECT_EQ(ask({"dead", "retry"}).code, ExitCode::usage);
  EXPECT_EQ(ask({"dead", "abandon"}).code, ExitCode::usage);
  EXPECT_EQ(ask({"dead", "retry", "A", "--tag", "x"}).code, ExitCode::usage);
  EXPECT_THAT(handler_.asked(), IsEmpty());
}

TEST_F(CliCommand, dead_abandon_gives_up_what_waits) {
  handler_.answers["GET /messages?limit=200&status=RETRY_PENDING&campaignId=spring"] = {
      200, "application/json", {}, R"({"data":[{"messageId":"A"},{"messageId":"B"}],"nextCursor":null})"};
  EXPECT_EQ(ask({"dead", "abandon", "--campaign", "spring", "--dry-run"}).out,
            "A would be given up\nB would be given up\n");
  handler_.answers["POST /messages/A/abandon"] = {200, "application/json", {}, "{}"};
  handler_.answers["POST /messages/B/abandon"] = {
      409, "application/problem+json", {}, R"({"detail":"it is SENT"})"};
  const auto result = ask({"dead", "abandon", "--campaign", "spring"});
  EXPECT_EQ(result.code, ExitCode::failed);
  EXPECT_EQ(result.out, "A given up\n");
  EXPECT_THAT(result.err, HasSubstr("B: it is SENT"));
}

TEST_F(CliCommand, version_and_describe_print_from_the_programs_tables) {
  EXPECT_THAT(run({"version"}).out, testing::StartsWith("eilbote 0."));
  EXPECT_THAT(run({"version", "--json"}).out, HasSubstr("\"version\""));
  EXPECT_THAT(run({"describe", "routes"}).out, HasSubstr("get_x"));
  EXPECT_THAT(run({"describe", "states"}).out, HasSubstr("stateDiagram-v2"));
  const auto json = boost::json::parse(run({"describe", "metrics", "--json"}).out);
  EXPECT_EQ(json.at_pointer("/what").as_string(), "metrics");
}

}  // namespace
}  // namespace eilbote::cli_command_test
