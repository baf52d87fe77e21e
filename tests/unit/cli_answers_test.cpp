// What people read of an answer, to the byte, for each command that asks a server once; with --json it is the server's own
// words, and a refusal is told with what it is about.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/cli_fixture.h"

namespace eilbote::cli_answers_test {
namespace {

class CliAnswers : public test::CliFixture {};

struct Case {
  std::vector<std::string> words;
  std::string request;  // what the server is asked for
  std::string answer;
  std::string text;   // what is printed
  std::string about;  // in front of a refusal; empty: nothing
};

const Case kLists[] = {
    {{"pools"},
     "GET /dispatch-pools",
     R"({"data":[{"code":"mail","status":"ACTIVE","rateLimitPerMinute":null,"burst":1,"concurrency":10,"name":"Mail","id":"0A"},)"
     R"({"code":"bulk","status":"SUSPENDED","rateLimitPerMinute":600,"burst":5,"name":"Bulk\u0007","id":"0B"}],"nextCursor":"x"})",
     "CODE  STATUS     PER MINUTE  BURST  CONCURRENCY  NAME   ID\n"
     "mail  ACTIVE     unlimited   1      10           Mail   0A\n"
     "bulk  SUSPENDED  600         5                   Bulk   0B\n",
     ""},
    {{"pools", "list"}, "GET /dispatch-pools", R"({"data":[]})", "no pools\n", ""},
    {{"queue"},
     "GET /queue",
     R"({"observedAt":"2026-01-01T12:00:00.000Z","data":[{"pool":"bulk","waiting":10001,"due":{"under1m":10001,"under5m":0,)"
     R"("under15m":0,"under1h":7,"under4h":0,"longer":0},"oldestDueAt":"2026-01-01T11:30:30.000Z","lastError":"451 later",)"
     R"("lastErrorAt":"2026-01-01T11:59:00.000Z"},{"pool":"mail","waiting":2,"due":{"under1m":1,"under5m":0,"under15m":0,)"
     R"("under1h":0,"under4h":0,"longer":1},"oldestDueAt":"2026-01-01T02:00:00.000Z","lastError":null,"lastErrorAt":null}]})",
     "POOL   <1m     <5m  <15m  <1h  <4h  MORE  WAITING  OLDEST\n"
     "bulk   10000+  0    0     7    0    0     10000+   29m\n"
     "mail   1       0    0     0    0    1     2        10h\n"
     "total  10001+  0    0     7    0    1     10002+   10h\n"
     "last error in bulk (2026-01-01T11:59:00.000Z): 451 later\n",
     ""},
    {{"groups"}, "GET /message-groups?blocked=true&limit=50", R"({"data":[]})", "no blocked groups\n", ""},
    {{"groups", "list", "--limit", "2", "--client", "a/b"},
     "GET /message-groups?blocked=true&limit=2&clientId=a%2Fb",
     R"({"data":[{"group":"g","clientId":"a/b","channel":"mail","waiting":3,"since":"t","blockingJobId":"0J","lastError":"550 no"}]})",
     "GROUP  CLIENT  CHANNEL  WAITING  SINCE  BLOCKED BY  LAST ERROR\n"
     "g      a/b     mail     3        t      0J          550 no\n",
     ""},
    {{"suppressions"},
     "GET /suppressions?limit=50",
     R"({"data":[{"address":"ada@example.org","clientId":"shop","since":"t","messageId":"0M","reason":"bounced: 5.1.1"},)"
     R"({"address":"bob@example.org","clientId":"shop","since":"u","messageId":null,"reason":"asked"}],"nextCursor":"shop/bob%40example.org"})",
     "ADDRESS          CLIENT  SINCE  MESSAGE  REASON\n"
     "ada@example.org  shop    t      0M       bounced: 5.1.1\n"
     "bob@example.org  shop    u               asked\n"
     "there are more: --cursor shop/bob%40example.org\n",
     ""},
    {{"suppressions", "list", "--client", "a/b", "--address", "x@y.org", "--cursor", "s/b%40c"},
     "GET /suppressions?limit=50&address=x%40y.org&clientId=a%2Fb&cursor=s%2Fb%2540c",
     R"({"data":[],"nextCursor":null})",
     "no suppressed addresses\n",
     ""},
    {{"reports", "--unmatched", "--limit", "1"},
     "GET /reports?limit=1&matched=false",
     R"({"data":[{"id":"9","at":"t","source":"dsn","messageId":null,"report":{"key":"dsn:1","references":[],"recipients":[)"
     R"({"address":"ada@example.org","action":"failed","status":"5.1.1"},{"address":"bob@example.org","action":"delayed"}]}}],"nextCursor":"9"})",
     "AT  SOURCE  MESSAGE  SAYS\n"
     "t   dsn              ada@example.org failed 5.1.1, bob@example.org delayed\n"
     "there are more: --cursor 9\n",
     ""},
    {{"reports", "--message", "0M"},
     "GET /reports?limit=50&messageId=0M",
     R"({"data":[],"nextCursor":null})",
     "no reports\n",
     ""},
    {{"audit"}, "GET /audit?limit=50", R"({"data":[],"nextCursor":null})", "nothing on record\n", ""},
    {{"audit", "--action", "pool.suspend"},
     "GET /audit?limit=50&action=pool.suspend",
     R"({"data":[{"at":"t","actor":"ops","action":"pool.suspend","target":"pool:bulk","detail":{"after":{"status":"SUSPENDED"}}}],"nextCursor":"C1"})",
     "AT  WHO  WHAT          TO         DETAIL\n"
     "t   ops  pool.suspend  pool:bulk  {\"after\":{\"status\":\"SUSPENDED\"}}\n"
     "there is more: --cursor C1\n",
     ""},
    {{"accounts", "list"},
     "GET /service-accounts",
     R"({"data":[{"code":"acme","id":"0S","active":true,"clientIds":["a","b"],"lastUsedAt":null,"name":"Acme"},)"
     R"({"code":"free","id":"0T","active":false,"clientIds":[],"lastUsedAt":"t","name":"Free"}]})",
     "CODE  ID  ACTIVE  CLIENTS  LAST USED  NAME\n"
     "acme  0S  true    a,b                 Acme\n"
     "free  0T  false   (none)   t          Free\n",
     ""},
    {{"jobs", "list"}, "GET /dispatch-jobs?limit=50", R"({"data":[]})", "no jobs on this page\n", ""},
    {{"jobs", "list", "--source", "shop", "--status", "ERROR", "--metadata", "k=v"},
     "GET /dispatch-jobs?limit=50&status=ERROR&source=shop&metadata.k=v",
     R"({"data":[{"id":"0J","status":"ERROR","code":"order","targetUrl":"https://x","attemptCount":3,"createdAt":"t","lastError":"HTTP 500"}],"nextCursor":"C2"})",
     "ID  STATUS  CODE   TARGET     ATTEMPTS  CREATED  LAST ERROR\n"
     "0J  ERROR   order  https://x  3         t        HTTP 500\n"
     "there are more: --cursor C2\n",
     ""},
};

const Case kOne[] = {
    {{"pools", "show", "bulk"},
     "GET /dispatch-pools/bulk",
     R"({"code":"bulk","status":"SUSPENDED","rateLimitPerMinute":600,"burst":5,"concurrency":null,"name":"Bulk","id":"0B"})",
     "CODE  STATUS     PER MINUTE  BURST  CONCURRENCY  NAME  ID\n"
     "bulk  SUSPENDED  600         5                   Bulk  0B\n",
     "pool bulk: "},
    {{"pools", "activate", "bulk"},
     "POST /dispatch-pools/bulk/activate",
     R"({"code":"bulk","status":"ACTIVE","rateLimitPerMinute":600,"burst":5,"concurrency":2,"name":"Bulk","id":"0B"})",
     "CODE  STATUS  PER MINUTE  BURST  CONCURRENCY  NAME  ID\n"
     "bulk  ACTIVE  600         5      2            Bulk  0B\n",
     "pool bulk: "},
    {{"log-level"},
     "GET /log-level",
     R"({"level":"info","configured":"info","until":null})",
     "info\n",
     "log level: "},
    {{"log-level", "debug", "--for", "10m"},
     "PUT /log-level",
     R"({"level":"debug","configured":"info","until":"t"})",
     "debug until t; configured: info\n",
     "log level: "},
    {{"groups", "skip", "g"},
     "POST /message-groups/skip",
     R"({"jobId":"0J"})",
     "g: job 0J skipped\n",
     "group g: "},
    {{"suppressions", "add", "ada@example.org", "--reason", "asked", "--client", "shop"},
     "POST /suppressions",
     R"({"address":"ada@example.org","clientId":"shop","since":"t","messageId":null,"reason":"asked"})",
     "ADDRESS          CLIENT  SINCE  MESSAGE  REASON\n"
     "ada@example.org  shop    t               asked\n",
     "ada@example.org: "},
    {{"suppressions", "remove", "ada@example.org", "--client", "a/b"},
     "DELETE /suppressions/ada%40example.org?clientId=a%2Fb",
     "",
     "ada@example.org: mails go to it again\n",
     "ada@example.org: "},
    {{"accounts", "show", "acme"},
     "GET /service-accounts/acme",
     R"({"id":"0S","code":"acme","active":true,"clientIds":["a","b"],"webhookCredentials":{"authType":"BEARER","previousSecretUntil":"t"}})",
     "id                0S\n"
     "code              acme\n"
     "active            true\n"
     "clients           [\"a\",\"b\"]\n"
     "auth type         BEARER\n"
     "old secret until  t\n",
     "acme: "},
    {{"accounts", "create", "acme", "--client", "a"},
     "POST /service-accounts",
     R"({"serviceAccount":{"id":"0S","code":"acme"},"webhook":{"authToken":"fc_1","signingSecret":"s"}})",
     "id                0S\n"
     "code              acme\n"
     "auth token:     fc_1\n"
     "signing secret: s\n"
     "Keep them now: they are not shown again.\n",
     "acme: "},
    {{"accounts", "regenerate-token", "acme"},
     "POST /service-accounts/acme/regenerate-token",
     R"({"authToken":"fc_2"})",
     "auth token:     fc_2\nKeep them now: they are not shown again.\n",
     "acme: "},
    {{"jobs", "show", "0J"},
     "GET /dispatch-jobs/0J",
     R"({"id":"0J","status":"ERROR","dispatchPoolId":"webhook","attemptCount":1,"lastError":"HTTP\n500",)"
     R"("attempts":[{"attemptNumber":1,"attemptedAt":"t","durationMillis":12,"status":"FAILURE","responseCode":500,"errorMessage":"no"}]})",
     "id              0J\n"
     "status          ERROR\n"
     "dispatchPoolId  webhook\n"
     "attemptCount    1\n"
     "lastError       HTTP 500\n"
     "\n"
     "NO  AT  MILLIS  STATUS   CODE  ERROR\n"
     "1   t   12      FAILURE  500   no\n",
     "job 0J: "},
    {{"jobs", "why", "0J"}, "GET /jobs/0J/why", R"({"why":"it is dead"})", "it is dead\n", "job 0J: "},
};

std::vector<Case> all_cases() {
  std::vector<Case> cases(std::begin(kLists), std::end(kLists));
  cases.insert(cases.end(), std::begin(kOne), std::end(kOne));
  return cases;
}

TEST_F(CliAnswers, are_printed_for_people_or_as_they_came) {
  for (const Case& c : all_cases()) {
    handler_.answers = {{c.request, {200, "application/json", {}, c.answer}}};
    const auto plain = ask(c.words);
    EXPECT_EQ(plain.code, ExitCode::ok) << c.request << "\n" << plain.err;
    EXPECT_EQ(plain.out, c.text) << c.request;
    auto words = c.words;
    words.emplace_back("--json");
    const auto json = ask(words);
    EXPECT_EQ(json.code, ExitCode::ok) << c.request;
    EXPECT_EQ(json.out, c.answer + "\n");
  }
}

TEST_F(CliAnswers, that_refuse_say_what_it_is_about) {
  for (const Case& c : all_cases()) {
    const std::string problem = R"({"detail":"not now"})";
    handler_.answers = {{c.request, {409, "application/problem+json", {}, problem}}};
    const auto plain = ask(c.words);
    EXPECT_EQ(plain.code, ExitCode::failed) << c.request;
    EXPECT_EQ(plain.err, fmt::format("eilbote: {}not now\n", c.about));
    EXPECT_EQ(plain.out, "");
    auto words = c.words;
    words.emplace_back("--json");
    EXPECT_EQ(ask(words).out, problem + "\n") << c.request;
    handler_.answers.clear();
    EXPECT_EQ(ask(c.words).code, ExitCode::not_found) << c.request;
  }
}

TEST_F(CliAnswers, of_a_pool_that_is_made_when_there_is_none) {
  handler_.answers["POST /dispatch-pools"] = {
      201, "application/json", {}, R"({"code":"new","status":"ACTIVE","burst":1,"concurrency":2})"};
  const auto made = ask({"pools", "set", "new", "--rate", "none", "--concurrency", "2", "--create"});
  EXPECT_EQ(made.code, ExitCode::ok) << made.err;
  EXPECT_EQ(made.out,
            "CODE  STATUS  PER MINUTE  BURST  CONCURRENCY  NAME  ID\n"
            "new   ACTIVE  unlimited   1      2\n");
  EXPECT_EQ(handler_.asked(), (std::vector<std::string>{"PUT /dispatch-pools/new", "POST /dispatch-pools"}));
}

TEST_F(CliAnswers, list_the_states_and_exit_codes_of_the_tables) {
  const auto says = [this](std::vector<std::string> words, const std::string& text) {
    words.emplace_back("--help");
    std::string help = run(words).out;
    // The help is wrapped to the terminal: blanks do not count.
    std::erase_if(help, [](char c) { return c == ' ' || c == '\n'; });
    std::string want = text;
    std::erase(want, ' ');
    EXPECT_NE(help.find(want), std::string::npos) << text;
  };
  says({"jobs", "list"}, "State: PENDING, QUEUED, IN_PROGRESS, COMPLETED, ERROR, CANCELLED");
  says({"list"}, "State: QUEUED, RETRY_PENDING, SENT, DELIVERED, BOUNCED, FAILED, CANCELLED");
  says({"dead", "abandon"}, "Which waiting ones: RETRY_PENDING (default) or QUEUED");
  says({},
       "Exit codes: 0 done, 1 refused or failed, 2 usage or configuration, 3 server unreachable, 4 not "
       "found.");
}

}  // namespace
}  // namespace eilbote::cli_answers_test
