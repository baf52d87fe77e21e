// The scripted Graph tenant is what the Graph scenarios are judged by, so it is tested itself, by plain requests: ids that move,
// the moment between `send` and Sent Items, limits, upload sessions, $batch, subscriptions, delta, faults.
#include "support/scripted_graph.h"

#include <gtest/gtest.h>

#include <future>

#include "base/base64.h"
#include "base/url_escape.h"
#include "support/eventually.h"
#include "support/mail_api.h"

namespace eilbote::test::scripted_graph_test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUser = "/users/sender%40example.org";
constexpr const char* kProperty = "String {11111111-2222-3333-4444-555555555555} Name EilboteId";

// A client that does one request at a time and knows nothing of Graph.
class Client {
 public:
  explicit Client(ScriptedGraph& tenant) : tenant_(tenant) {}

  int log_in(const std::string& secret = "graph-first-secret") {
    const HttpReply reply = http_request(
        "POST", tenant_.token_url(),
        "grant_type=client_credentials&scope=https%3A%2F%2Fgraph.microsoft.com%2F.default&client_id=" +
            tenant_.options().client_id + "&client_secret=" + secret,
        {{"Content-Type", "application/x-www-form-urlencoded"}});
    if (reply.status == 200) token_ = text_at(json::parse(reply.body), "/access_token");
    return reply.status;
  }
  HttpReply ask(const std::string& method, const std::string& path, const std::string& body = "",
                const std::string& type = "application/json") const {
    HttpHeaders headers{{"Authorization", "Bearer " + token_}};
    if (immutable) headers.emplace_back("Prefer", "IdType=\"ImmutableId\"");
    if (!body.empty()) headers.emplace_back("Content-Type", type);
    return http_request(method, path.starts_with("http") ? path : tenant_.base_url() + path, body, headers,
                        2000);
  }
  std::string draft(const std::string& id = "0ABCDEFGHJKMN") const {
    const HttpReply reply = ask("POST", std::string(kUser) + "/messages", message(id));
    EXPECT_EQ(reply.status, 201) << reply.body;
    return text_at(json::parse(reply.body), "/id");
  }
  int send(const std::string& id) const {
    return ask("POST", kUser + ("/messages/" + url_escaped(id) + "/send")).status;
  }
  HttpReply look(const std::string& id) const {
    return ask("GET", kUser + ("/messages/" + url_escaped(id) + "?$select=isDraft,parentFolderId"));
  }
  static std::string message(const std::string& id) {
    return R"({"subject":"A word","toRecipients":[{"emailAddress":{"address":"ann@example.net"}}],)"
           R"("body":{"contentType":"text","content":"Guten Tag"},"internetMessageId":"<)" +
           id + R"(@example.org>","singleValueExtendedProperties":[{"id":")" + kProperty + R"(","value":")" +
           id + R"("}]})";
  }
  // How many the folder has with this id as its property.
  std::size_t found(const std::string& folder, const std::string& id) const {
    const HttpReply reply =
        ask("GET", kUser + ("/mailFolders/" + folder + "/messages?$filter=" +
                            url_escaped("singleValueExtendedProperties/Any(ep: ep/id eq '" +
                                        std::string(kProperty) + "' and ep/value eq '" + id + "')")));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body).at("value").as_array().size();
  }

  bool immutable = true;

 private:
  ScriptedGraph& tenant_;
  std::string token_ = "none";
};

std::string code_of(const HttpReply& reply) {
  return text_at(json::parse(reply.body), "/error/code");
}

TEST(ScriptedGraph, gives_tokens_for_the_secrets_it_takes_now) {
  ScriptedGraph tenant;
  Client client(tenant);
  EXPECT_EQ(client.log_in("wrong-secret-of-mine"), 401);
  EXPECT_EQ(client.log_in(), 200);
  tenant.set_secrets({"graph-second-secret"});
  EXPECT_EQ(client.log_in(), 401);
  EXPECT_EQ(client.look("x").status, 404) << "the token outlives the secret";
  tenant.revoke_tokens();
  EXPECT_EQ(client.look("x").status, 401);
  EXPECT_EQ(client.log_in("graph-second-secret"), 200);
  EXPECT_EQ(tenant.tokens_given(), 2);
  EXPECT_EQ(tenant.secrets_refused(), 2);
}

TEST(ScriptedGraph, lets_a_token_end) {
  ScriptedGraph tenant({.token_seconds = 0});
  Client client(tenant);
  EXPECT_EQ(client.log_in(), 200);
  EXPECT_EQ(code_of(client.look("x")), "InvalidAuthenticationToken");
}

TEST(ScriptedGraph, moves_what_was_sent_and_changes_its_id) {
  ScriptedGraph tenant({.leaves_after = 150ms});
  Client client(tenant);
  client.log_in();
  client.immutable = false;
  const std::string moving = client.draft("0AAAAAAAAAAAA");
  client.immutable = true;
  const std::string staying = client.draft("0BBBBBBBBBBBB");
  EXPECT_EQ(client.found("drafts", "0BBBBBBBBBBBB"), 1U);
  EXPECT_EQ(client.send(moving), 202);
  EXPECT_EQ(client.send(staying), 202);
  EXPECT_EQ(text_at(json::parse(client.look(staying).body), "/isDraft"), "true") << "it has not left yet";
  EXPECT_EQ(client.found("sentitems", "0BBBBBBBBBBBB"), 0U);
  EXPECT_TRUE(
      eventually([&] { return text_at(json::parse(client.look(staying).body), "/isDraft") == "false"; }));
  EXPECT_EQ(client.look(moving).status, 404) << "its id was not immutable";
  EXPECT_EQ(client.found("sentitems", "0AAAAAAAAAAAA"), 1U);
  EXPECT_EQ(code_of(client.ask("POST", kUser + ("/messages/" + url_escaped(staying) + "/send"))),
            "ErrorItemNotFound");
  ASSERT_EQ(tenant.sent_items().size(), 2U);
  EXPECT_EQ(tenant.sent_items()[1].eilbote_id, "0BBBBBBBBBBBB");
  EXPECT_EQ(tenant.sent_items()[1].to, std::vector<std::string>{"ann@example.net"});
  EXPECT_EQ(tenant.all_violations(), "");
}

TEST(ScriptedGraph, counts_a_mail_twice_that_is_sent_again_while_it_leaves) {
  ScriptedGraph tenant({.leaves_after = 10s});
  Client client(tenant);
  client.log_in();
  const std::string id = client.draft();
  EXPECT_EQ(client.send(id), 202);
  EXPECT_EQ(client.send(id), 202);
  EXPECT_EQ(tenant.sent_items().size(), 2U);
  EXPECT_EQ(tenant.violations().size(), 1U);
}

TEST(ScriptedGraph, knows_immutable_ids_only_where_they_are_preferred) {
  ScriptedGraph tenant;
  Client client(tenant);
  client.log_in();
  const std::string id = client.draft();
  client.immutable = false;
  EXPECT_EQ(client.look(id).status, 404);
  EXPECT_EQ(tenant.violations().size(), 1U);
}

TEST(ScriptedGraph, takes_mime_and_finds_it_by_its_message_id) {
  ScriptedGraph tenant;
  Client client(tenant);
  client.log_in();
  const std::string mime =
      "From: <sender@example.org>\r\nTo: \"Ann, B\" <ann@example.net>,\r\n bob@example.net\r\nBcc: "
      "cid@example.net\r\n"
      "Subject: A word\r\nMessage-ID: <0CCCCCCCCCCCC@example.org>\r\n\r\nHi\r\n";
  const std::string coded = base64_encode(mime);
  const HttpReply made = client.ask("POST", std::string(kUser) + "/messages",
                                    coded.substr(0, 76) + "\r\n" + coded.substr(76), "text/plain");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(text_at(json::parse(made.body), "/internetMessageId"), "<0CCCCCCCCCCCC@example.org>");
  const HttpReply found = client.ask(
      "GET",
      kUser + ("/messages?$filter=" + url_escaped("internetMessageId eq '<0CCCCCCCCCCCC@example.org>'")));
  EXPECT_EQ(json::parse(found.body).at("value").as_array().size(), 1U) << found.body;
  EXPECT_EQ(client.send(text_at(json::parse(made.body), "/id")), 202);
  const SentMail sent = tenant.sent_items().at(0);
  EXPECT_EQ(sent.eilbote_id, "0CCCCCCCCCCCC");
  EXPECT_EQ(sent.to, (std::vector<std::string>{"ann@example.net", "bob@example.net"}));
  EXPECT_EQ(sent.bcc, std::vector<std::string>{"cid@example.net"});
  EXPECT_EQ(client.ask("POST", std::string(kUser) + "/messages", "***", "text/plain").status, 400);
}

TEST(ScriptedGraph, sends_in_one_phase) {
  ScriptedGraph tenant;
  Client client(tenant);
  client.log_in();
  const std::string mail = Client::message("0DDDDDDDDDDDD");
  const std::string path = std::string(kUser) + "/sendMail";
  EXPECT_EQ(client.ask("POST", path, R"({"message":)" + mail + R"(,"saveToSentItems":true})").status, 202);
  EXPECT_EQ(client.found("sentitems", "0DDDDDDDDDDDD"), 1U);
  EXPECT_EQ(client.ask("POST", path, mail).status, 400) << "the message is not wrapped";
  EXPECT_TRUE(tenant.sent_items().at(0).one_phase);
}

TEST(ScriptedGraph, takes_the_chunks_of_an_upload_in_order_and_without_a_token) {
  ScriptedGraph tenant;
  Client client(tenant);
  client.log_in();
  const std::string id = client.draft();
  const std::string path = kUser + ("/messages/" + url_escaped(id) + "/attachments/createUploadSession");
  const auto wanted = [](int size) {
    return R"({"AttachmentItem":{"attachmentType":"file","name":"a.bin","size":)" + std::to_string(size) +
           "}}";
  };
  EXPECT_EQ(code_of(client.ask("POST", path, wanted(1000))),
            "ErrorAttachmentSizeShouldNotBeLessThanMinimumSize");
  const std::string half(2'000'000, 'a'), rest(2'000'000, 'b');
  const HttpReply opened = client.ask("POST", path, wanted(4'000'000));
  ASSERT_EQ(opened.status, 201) << opened.body;
  const std::string url = text_at(json::parse(opened.body), "/uploadUrl");
  const auto put = [&](const std::string& bytes, const std::string& range) {
    return http_request("PUT", url, bytes,
                        {{"Content-Type", "application/octet-stream"}, {"Content-Range", range}});
  };
  EXPECT_EQ(put(rest, "bytes 2000000-3999999/4000000").status, 416) << "out of order";
  const HttpReply first = put(half, "bytes 0-1999999/4000000");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(text_at(json::parse(first.body), "/nextExpectedRanges/0"), "2000000");
  EXPECT_EQ(tenant.all_violations(), "");
  EXPECT_EQ(put(rest, "bytes 2000000-3999998/4000000").status, 400) << "not as long as it says";
  EXPECT_EQ(client.ask("PUT", url, rest).status, 401) << "with a token";
  EXPECT_EQ(tenant.violations().size(), 2U) << tenant.all_violations();
  EXPECT_EQ(put(rest, "bytes 2000000-3999999/4000000").status, 201);
  EXPECT_EQ(put(rest, "bytes 2000000-3999999/4000000").status, 404) << "it is complete";
  EXPECT_EQ(client.send(id), 202);
  ASSERT_EQ(tenant.sent_items().at(0).attachments.size(), 1U);
  EXPECT_EQ(tenant.sent_items().at(0).attachments[0].bytes, half + rest);
}

TEST(ScriptedGraph, runs_a_batch_by_the_same_rules) {
  ScriptedGraph tenant({}, every_time(GraphStep::remove, GraphFault::throttled(7)));
  Client client(tenant);
  client.log_in();
  const std::string id = client.draft();
  const std::string url = kUser + ("/messages/" + url_escaped(id));
  const auto member = [&](const std::string& name, const std::string& method, const std::string& to) {
    return R"({"id":")" + name + R"(","method":")" + method + R"(","url":")" + to +
           R"(","headers":{"Prefer":"IdType=\"ImmutableId\""}})";
  };
  const HttpReply reply =
      client.ask("POST", "/$batch",
                 R"({"requests":[)" + member("1", "GET", url) + "," + member("2", "DELETE", url) + "," +
                     member("3", "POST", url + "/send") + "]}");
  ASSERT_EQ(reply.status, 200) << reply.body;
  std::map<std::string, json::value> answers;
  const json::value said = json::parse(reply.body);
  for (const json::value& one : said.at("responses").as_array())
    answers[text_at(one, "/id")] = one;
  EXPECT_EQ(text_at(answers["1"], "/body/isDraft"), "true");
  EXPECT_EQ(number_at(answers["2"], "/status"), 429);
  EXPECT_EQ(text_at(answers["2"], "/headers/Retry-After"), "7");
  EXPECT_EQ(number_at(answers["3"], "/status"), 202);
  EXPECT_EQ(tenant.sent_items().size(), 1U);
  EXPECT_EQ(
      client.ask("POST", "/$batch", R"({"requests":[)" + member("1", "GET", "/v1.0" + url) + "]}").status,
      400);
  EXPECT_EQ(tenant.violations().size(), 1U);
  EXPECT_EQ(tenant.most_open("sender@example.org"), 3) << "each member counts";
}

TEST(ScriptedGraph, refuses_what_is_over_its_limits_and_remembers_it) {
  ScriptedGraph tenant({.think = 300ms, .open_max = 1, .sends_per_minute = 1});
  Client client(tenant);
  client.log_in();
  auto other = std::async(std::launch::async, [&] { return client.look("x").status; });
  ASSERT_TRUE(eventually([&] { return tenant.most_open("sender@example.org") == 1; }));
  const HttpReply refused = client.look("x");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(other.get(), 404);
  EXPECT_EQ(client.send(client.draft("0AAAAAAAAAAAA")), 202);
  EXPECT_EQ(client.send(client.draft("0BBBBBBBBBBBB")), 429);
  EXPECT_EQ(tenant.most_sends("sender@example.org"), 2);
  EXPECT_EQ(tenant.violations().size(), 2U) << tenant.all_violations();
  EXPECT_EQ(tenant.sent_items().size(), 1U);
}

TEST(ScriptedGraph, plays_faults_before_and_after_the_work) {
  struct Case {
    const char* name;
    GraphFault fault;
    int status;
    std::size_t sent;
  };
  const Case kCases[] = {
      {"throttled", GraphFault::throttled(), 429, 0},
      {"403", GraphFault::refused(403, "ErrorAccessDenied"), 403, 0},
      {"503 before", GraphFault::broken(503, false), 503, 0},
      {"504 after", GraphFault::broken(504, true), 504, 1},
      {"reset before", GraphFault::reset(false), 0, 0},
      {"reset after", GraphFault::reset(true), 0, 1},
      {"hang before", GraphFault::hang(false), 0, 0},
      {"hang after", GraphFault::hang(true), 0, 1},
      {"slow down", GraphFault::slow_down(), 202, 1},
  };
  for (const Case& one : kCases) {
    ScriptedGraph tenant({}, first_time(GraphStep::send, one.fault));
    Client client(tenant);
    client.log_in();
    const std::string id = client.draft();
    // On a connection of its own: on a kept one curl would ask again by itself.
    EXPECT_EQ(std::async(std::launch::async, [&] { return client.send(id); }).get(), one.status) << one.name;
    EXPECT_EQ(tenant.sent_items().size(), one.sent) << one.name;
    EXPECT_EQ(client.send(id), one.sent == 0 ? 202 : 404) << one.name << ", again";
    EXPECT_EQ(tenant.all_violations(), "") << one.name;
  }
}

// Says the validation token back, as a subscriber has to.
HttpScene subscriber(const HttpSeen& seen) {
  const GraphRequest request = read_graph_request(seen);
  const auto token = request.query.find("validationToken");
  if (token == request.query.end()) return {.answer = http_answer(202)};
  return {.answer = http_answer(200, token->second, "Content-Type: text/plain\r\n")};
}

std::string subscription(const std::string& url) {
  return R"({"changeType":"created","resource":"users/sender@example.org/mailFolders('inbox')/messages",)"
         R"("clientState":"a-secret-client-state","expirationDateTime":")" +
         to_rfc3339(std::chrono::time_point_cast<TimePoint::duration>(std::chrono::system_clock::now()) +
                    24h) +
         R"(","notificationUrl":")" + url + R"("})";
}

TEST(ScriptedGraph, shakes_hands_before_it_notifies) {
  ScriptedGraph tenant;
  ScriptedHttp deaf, listening({.decide = subscriber});
  Client client(tenant);
  client.log_in();
  EXPECT_EQ(client.ask("POST", "/subscriptions", subscription(deaf.url())).status, 400);
  EXPECT_EQ(tenant.violations().size(), 1U);
  EXPECT_FALSE(tenant.is_subscribed("sender@example.org"));
  const HttpReply made = client.ask("POST", "/subscriptions", subscription(listening.url()));
  ASSERT_EQ(made.status, 201) << made.body << tenant.all_violations();
  EXPECT_EQ(client.ask("POST", "/subscriptions", subscription(listening.url())).status, 409);
  const std::string path = "/subscriptions/" + text_at(json::parse(made.body), "/id");
  EXPECT_EQ(client.ask("POST", path + "/reauthorize").status, 204);
  EXPECT_EQ(tenant.notify(json::array{tenant.notice("sender@example.org", "one")}).status, 202);
  const json::value told = json::parse(listening.seen().back().body);
  EXPECT_EQ(text_at(told, "/value/0/clientState"), "a-secret-client-state");
  EXPECT_EQ(text_at(told, "/value/0/resourceData/id"), "one");
  tenant.drop_subscription("sender@example.org");
  EXPECT_EQ(client.ask("PATCH", path, R"({"expirationDateTime":"2026-01-01T00:00:00Z"})").status, 404);
}

TEST(ScriptedGraph, tells_arrivals_page_by_page_and_their_class) {
  ScriptedGraph tenant({.page = 2});
  Client client(tenant);
  client.log_in();
  const SentMail sent{.mailbox = "sender@example.org", .internet_message_id = "<a@example.org>"};
  for (const char* action : {"failed", "delivered", "relayed"})
    tenant.deliver("sender@example.org", ndr_for(sent, "ann@example.net", action));
  const std::string start =
      std::string(kUser) + "/mailFolders('inbox')/messages/delta?changeType=created&$select=id";
  const json::value first = json::parse(client.ask("GET", start).body);
  ASSERT_EQ(first.at("value").as_array().size(), 2U);
  const json::value second = json::parse(client.ask("GET", text_at(first, "/@odata.nextLink")).body);
  ASSERT_EQ(second.at("value").as_array().size(), 1U);
  const std::string link = text_at(second, "/@odata.deltaLink");
  EXPECT_TRUE(json::parse(client.ask("GET", link).body).at("value").as_array().empty());
  tenant.deliver("sender@example.org", ndr_for(sent, "ann@example.net"));
  EXPECT_EQ(json::parse(client.ask("GET", link).body).at("value").as_array().size(), 1U);
  const std::string id = text_at(first, "/value/0/id");
  const json::value shown = json::parse(
      client
          .ask("GET", kUser + ("/messages/" + url_escaped(id) + "?$select=id&$expand=" +
                               url_escaped("singleValueExtendedProperties($filter=id eq 'String 0x001A')")))
          .body);
  EXPECT_EQ(text_at(shown, "/singleValueExtendedProperties/0/value"), "REPORT.IPM.Note.NDR");
  const HttpReply raw = client.ask("GET", kUser + ("/messages/" + url_escaped(id) + "/$value"));
  EXPECT_EQ(mime_header(raw.body, "In-Reply-To"), "<a@example.org>");
  tenant.forget_deltas();
  EXPECT_EQ(code_of(client.ask("GET", link)), "SyncStateNotFound");
}

TEST(ScriptedGraph, shows_the_trace_of_a_sender) {
  ScriptedGraph tenant;
  Client client(tenant);
  client.log_in();
  const SentMail sent{.mailbox = "sender@example.org", .internet_message_id = "<a@example.org>"};
  tenant.trace(sent, "ann@example.net", "delivered");
  const auto rows = [&](const std::string& filter) {
    const HttpReply reply =
        client.ask("GET", "/admin/exchange/tracing/messageTraces?$filter=" + url_escaped(filter));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body).at("value").as_array().size();
  };
  const std::string sender = "senderAddress eq 'sender@example.org'";
  EXPECT_EQ(
      rows(sender +
           " and receivedDateTime ge 2026-01-01T00:00:00Z and receivedDateTime le 2099-01-01T00:00:00Z"),
      1U);
  EXPECT_EQ(rows(sender + " and receivedDateTime ge 2098-01-01T00:00:00Z"), 0U);
  EXPECT_EQ(rows("messageId eq '<a@example.org>'"), 1U);
  EXPECT_EQ(rows("senderAddress eq 'other@example.org'"), 0U);
}

}  // namespace
}  // namespace eilbote::test::scripted_graph_test
