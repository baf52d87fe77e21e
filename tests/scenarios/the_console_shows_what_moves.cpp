// The console: its page is there for everybody, what it shows only for those who may see it; the overview counts what was sent and what
// failed, and tells those who watch within a second; what a mail says is shown to administrators, and that they looked is on
// record. Those who watch hold up neither a load nor a stop.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/eventually.h"
#include "support/job_api.h"
#include "support/mail_api.h"
#include "support/overview_stream.h"
#include "support/real_issuer.h"
#include "support/test_store.h"

namespace eilbote::test::the_console_shows_what_moves {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

SCENARIO_ON_EACH_STORE(TheConsole);
SCENARIO_ON_POSTGRES(TheConsoleOfSeveral);

std::string header_of(const HttpReply& reply, const std::string& name) {
  const auto found = reply.headers.find(name);
  return found == reply.headers.end() ? "" : found->second;
}

HttpReply get(const EilboteProcess& server, const std::string& path, const HttpHeaders& headers = {}) {
  return http_request("GET", server.url() + path, "", headers);
}

TEST_P(TheConsole, is_a_page_under_a_strict_policy) {
  const auto server = start_server();
  const HttpReply page = get(*server, "/console");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(header_of(page, "content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(header_of(page, "cache-control"), "no-cache");
  EXPECT_NE(page.body.find("/console/app.js?v="), std::string::npos) << page.body;
  for (const char* path :
       {"/console", "/console/messages?status=FAILED", "/console/messages/0PXKQ8ZT3M001", "/console/login",
        "/console/app.js", "/console/app.css?v=1", "/console/icon.svg"}) {
    const HttpReply reply = get(*server, path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_NE(header_of(reply, "content-security-policy").find("default-src 'none'; script-src 'self'"),
              std::string::npos);
    EXPECT_NE(header_of(reply, "content-security-policy").find("connect-src 'self';"), std::string::npos);
    EXPECT_EQ(header_of(reply, "x-content-type-options"), "nosniff") << path;
    EXPECT_EQ(header_of(reply, "referrer-policy"), "no-referrer") << path;
    EXPECT_EQ(header_of(reply, "cross-origin-opener-policy"), "same-origin") << path;
  }
  EXPECT_EQ(get(*server, "/console/messages/0PXKQ8ZT3M001").body, page.body) << "a path of the page's own";
  EXPECT_EQ(header_of(get(*server, "/console/app.css?v=1"), "cache-control"),
            "public, max-age=31536000, immutable");
  const HttpReply script = get(*server, "/console/app.js"),
                  packed = get(*server, "/console/app.js", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(header_of(script, "content-type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(header_of(script, "cache-control"), "no-cache");
  EXPECT_EQ(header_of(packed, "content-encoding"), "gzip");
  EXPECT_NE(header_of(packed, "etag"), header_of(script, "etag"));
  const HttpReply known = get(*server, "/console/app.js", {{"If-None-Match", header_of(script, "etag")}});
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body, "");
  const json::value settings = json::parse(get(*server, "/console/settings").body);
  EXPECT_EQ(text_at(settings, "/auth"), "off");
  EXPECT_FALSE(has(settings, "/issuer"));
}

TEST_P(TheConsole, is_not_there_when_it_is_off) {
  const auto server = start_server({{"EILBOTE_CONSOLE", "off"}});
  for (const char* path : {"/console", "/console/settings", "/console/app.js", "/console/messages/1"})
    EXPECT_EQ(get(*server, path).status, 404) << path;
  EXPECT_EQ(get(*server, "/overview").status, 200) << "that is the API's";
}

TEST_P(TheConsole, shows_data_to_those_with_a_scope_only) {
  const RealIssuer issuer;
  auto environment = takes_tokens_of(issuer.url());
  environment["EILBOTE_CONSOLE_CLIENT_ID"] = "eilbote-console";
  const auto server = start_server(environment);
  const HttpReply page = get(*server, "/console");
  EXPECT_EQ(page.status, 200) << "the page itself is no secret";
  EXPECT_NE(header_of(page, "content-security-policy").find("connect-src 'self' " + issuer.url() + ";"),
            std::string::npos);
  const json::value settings = json::parse(get(*server, "/console/settings").body);
  EXPECT_EQ(text_at(settings, "/auth"), "oidc");
  EXPECT_EQ(text_at(settings, "/issuer"), issuer.url());
  EXPECT_EQ(text_at(settings, "/clientId"), "eilbote-console");
  EXPECT_EQ(text_at(settings, "/scope"), "openid ops.read ops.admin");
  EXPECT_EQ(text_at(settings, "/audience"), "eilbote");

  const auto as = [&](const std::string& client, const std::string& scope) {
    return bearer(issuer.token(client, scope));
  };
  for (const char* path : {"/overview", "/overview/stream", "/messages/0PXKQ8ZT3M001/content"}) {
    EXPECT_EQ(get(*server, path).status, 401) << path;
    EXPECT_EQ(get(*server, path, as("shop", "mail.status:read")).status, 403) << path;
  }
  EXPECT_EQ(get(*server, "/overview", as("shop", "ops.read")).status, 200);
  OverviewStream stream(server->url(), issuer.token("shop", "ops.read"));
  EXPECT_TRUE(stream.next());

  const HttpReply sent =
      http_request("POST", server->url() + "/messages",
                   mail_json("ada@example.org", "A private subject line"), as("shop", "mail.send"));
  ASSERT_EQ(sent.status, 202) << sent.body;
  const std::string content = "/messages/" + text_at(json::parse(sent.body), "/messageId") + "/content";
  EXPECT_EQ(get(*server, content, as("shop", "ops.read")).status, 403)
      << "reading what people write is for administrators";
  EXPECT_EQ(get(*server, content, as("shop", "ops.admin")).status, 200);
  EXPECT_EQ(get(*server, "/messages?clientId=shop", as("shop", "mail.status:read")).status, 400);
  EXPECT_EQ(json::parse(get(*server, "/messages?clientId=shop", as("shop", "ops.read")).body)
                .at("data")
                .as_array()
                .size(),
            1U);
  EXPECT_EQ(json::parse(get(*server, "/messages?clientId=other", as("shop", "ops.read")).body)
                .at("data")
                .as_array()
                .size(),
            0U);
}

TEST_P(TheConsole, counts_what_was_sent_and_what_failed) {
  const auto server = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const MailApi api(*server);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(api.reaches(api.accept(mail_json("ada@example.org")), "SENT"));
  ASSERT_TRUE(api.reaches(api.accept(mail_json("ada+permanent@example.org")), "FAILED"));
  api.accept(mail_json("later@example.org", "A word for later", due_in_a_month()));
  const auto seen = [&] { return api.read("/overview"); };
  EXPECT_TRUE(eventually(
      [&] { return number_at(seen(), "/totals/delivered") == 3 && number_at(seen(), "/dead/count") == 1; }));
  const json::value overview = seen();
  EXPECT_EQ(number_at(overview, "/totals/accepted"), 5) << json::serialize(overview);
  EXPECT_EQ(number_at(overview, "/totals/failed"), 1);
  EXPECT_EQ(number_at(overview, "/dead/byReason/PermanentFailure"), 1);
  EXPECT_EQ(number_at(overview, "/instances"), 1);
  EXPECT_EQ(text_at(overview, "/attention/0/code"), "dead_letters");
  EXPECT_EQ(number_at(overview, "/attention/0/count"), 1);
  EXPECT_EQ(text_at(overview, "/pools/0/pool"), "mail");
  EXPECT_EQ(number_at(overview, "/pools/0/waiting"), 1);
  EXPECT_EQ(number_at(overview, "/pools/0/due"), 0);
  EXPECT_EQ(text_at(overview, "/routes/0/state"), "closed");
  ASSERT_FALSE(overview.at("minutes").as_array().empty());
  std::int64_t accepted = 0;
  for (const json::value& minute : overview.at("minutes").as_array())
    accepted += number_at(minute, "/accepted");
  EXPECT_EQ(accepted, 5);
  EXPECT_TRUE(eventually([&] { return !seen().at("seconds").as_array().empty(); })) << "one a second";
}

TEST_P(TheConsole, tells_who_watches_within_a_second) {
  const auto server = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const MailApi api(*server);
  OverviewStream stream(server->url());
  EXPECT_NE(stream.header().find("Content-Type: text/event-stream\r\n"), std::string::npos)
      << stream.header();
  const auto first = stream.next();
  ASSERT_TRUE(first);
  EXPECT_TRUE(has(*first, "/seconds") && has(*first, "/minutes"));
  EXPECT_EQ(number_at(*first, "/dead/count"), 0);
  ASSERT_TRUE(api.reaches(api.accept(mail_json("ada+permanent@example.org")), "FAILED"));
  const auto failed = Clock::now();
  std::optional<json::value> event;
  do
    event = stream.next();
  while (event && number_at(*event, "/dead/count") == 0);
  ASSERT_TRUE(event);
  EXPECT_LT(Clock::now() - failed, 2s) << "an event a second, and what it takes on a busy machine";
  EXPECT_FALSE(has(*event, "/minutes")) << "the past comes once";
  EXPECT_EQ(number_at(*event, "/totals/failed"), 1);
}

TEST_P(TheConsole, shows_what_a_mail_says_and_records_that_it_did) {
  const auto server = start_server();
  const MailApi api(*server);
  const std::string id =
      api.accept(R"({"from":{"email":"shop@example.org","name":"The Shop"},"to":["ada@example.org"],
    "replyTo":["help@example.org"],"subject":"Größe <b>","body":{"text":"plain words","html":"<p>marked words</p>"},
    "headers":{"X-Order":"4711"},"attachments":[{"name":"a.txt","contentType":"text/plain","content":"SGVsbG8"}]})");
  const json::value content = api.read("/messages/" + id + "/content");
  EXPECT_EQ(text_at(content, "/from"), "The Shop <shop@example.org>");
  EXPECT_EQ(text_at(content, "/replyTo/0"), "help@example.org");
  EXPECT_EQ(text_at(content, "/subject"), "Größe <b>");
  EXPECT_NE(text_at(content, "/text").find("plain words"), std::string::npos);
  EXPECT_NE(text_at(content, "/html").find("<p>marked words</p>"), std::string::npos);
  EXPECT_EQ(text_at(content, "/headers/X-Order"), "4711");
  EXPECT_EQ(text_at(content, "/attachments/0/name"), "a.txt");
  EXPECT_EQ(number_at(content, "/attachments/0/bytes"), 5);
  EXPECT_FALSE(has(content, "/attachments/0/content"));
  const json::value audit = api.read("/audit?target=" + id);
  EXPECT_EQ(text_at(audit, "/data/0/action"), "message.read_content");
  EXPECT_EQ(text_at(audit, "/data/0/target"), id);
  EXPECT_EQ(get(*server, "/messages/0PXKQ8ZT3M001/content").status, 404);
}

TEST_P(TheConsole, may_be_open_ten_times_through_a_load_and_a_stop) {
  auto server = start_server({{"EILBOTE_SHUTDOWN_GRACE", "5s"}});
  const MailApi api(*server);
  std::atomic<int> events{0}, good_ends{0};
  std::vector<std::jthread> watchers;
  for (int i = 0; i < 10; ++i)
    watchers.emplace_back([&] {
      OverviewStream stream(server->url());
      while (stream.next())
        ++events;
      if (stream.has_ended_well()) ++good_ends;
    });
  ASSERT_TRUE(eventually([&] { return events >= 10; }));
  for (int i = 0; i < 200; ++i)
    api.accept(mail_json("ada@example.org"));
  ASSERT_TRUE(eventually([&] { return number_at(api.read("/overview"), "/totals/delivered") == 200; }));
  ASSERT_TRUE(eventually([&, n = events.load()] { return events >= n + 10; }));
  EXPECT_EQ(good_ends, 0) << "all of them are still open";
  const auto began = Clock::now();
  EXPECT_EQ(server->stop(), 0);
  EXPECT_LT(Clock::now() - began, 5s);
  watchers.clear();
  EXPECT_EQ(good_ends, 10);
}

TEST_P(TheConsole, takes_no_more_watchers_than_it_can_serve) {
  const auto server = start_server();
  std::vector<std::unique_ptr<OverviewStream>> streams;
  for (int i = 0; i < 64; ++i)
    streams.push_back(std::make_unique<OverviewStream>(server->url()));
  for (const auto& stream : streams)
    EXPECT_TRUE(stream->header().starts_with("HTTP/1.1 200 ")) << stream->header();
  EXPECT_TRUE(OverviewStream(server->url()).header().starts_with("HTTP/1.1 429 "));
  EXPECT_EQ(get(*server, "/overview").status, 200);
  streams.pop_back();
  EXPECT_TRUE(
      eventually([&] { return OverviewStream(server->url()).header().starts_with("HTTP/1.1 200 "); }));
}

// One takes jobs, another delivers them: the first one's overview counts what both did.
TEST_P(TheConsoleOfSeveral, adds_up_what_all_of_them_did) {
  const auto front = start_server({{"EILBOTE_ROLE", "api"}, {"EILBOTE_LEASE_SECONDS", "3"}}, "front");
  const MailApi api(*front);
  EXPECT_TRUE(
      eventually([&] { return text_at(api.read("/overview"), "/attention/0/code") == "nothing_delivers"; }));
  const auto worker = start_server({{"EILBOTE_ROLE", "worker"}, {"EILBOTE_LEASE_SECONDS", "3"}}, "worker");
  EXPECT_TRUE(eventually([&] { return api.read("/overview").at("attention").as_array().empty(); }));
  EXPECT_EQ(number_at(api.read("/overview"), "/instances"), 2);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(api.reaches(api.accept(mail_json("ada@example.org")), "SENT"));
  EXPECT_TRUE(eventually([&] { return number_at(api.read("/overview"), "/totals/delivered") == 5; }));
  EXPECT_EQ(number_at(api.read("/overview"), "/totals/accepted"), 5);
  EXPECT_EQ(get(*worker, "/overview").status, 404);
  EXPECT_EQ(get(*worker, "/console").status, 404);
  EXPECT_EQ(worker->stop(), 0);
  EXPECT_EQ(front->stop(), 0);
  front->start();
  EXPECT_EQ(number_at(api.read("/overview"), "/totals/delivered"), 5) << "a stop writes what was counted";
  EXPECT_EQ(number_at(api.read("/overview"), "/totals/accepted"), 5);
}

}  // namespace
}  // namespace eilbote::test::the_console_shows_what_moves
