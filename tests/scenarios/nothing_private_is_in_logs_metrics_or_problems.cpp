// Everything that is private carries a mark: secrets, addresses, subjects, bodies, payloads, tokens in URLs. With the log at its
// lowest level mails and webhooks are sent, refused, lost and rejected; afterwards no mark is in the log, in the metrics or in a
// problem. A relay that repeats whatever it was told changes nothing of that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "base/base64.h"
#include "support/captured_mail.h"
#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/scripted_smtp.h"
#include "support/server_packages.h"
#include "support/test_store.h"

namespace eilbote::test::nothing_private_is_in_logs_metrics_or_problems {
namespace {

// Each mark is made of letters only, so that no encoding on the way can hide it.
const std::map<std::string, std::string> kMarks{
    {"sender", "zqsender"},        {"recipient", "zqrecipient"},   {"copy", "zqcopy"},
    {"display name", "zqperson"},  {"subject", "zqsubject"},       {"text", "zqtextbody"},
    {"html", "zqhtmlbody"},        {"attachment", "zqattachment"}, {"mail header", "zqheadervalue"},
    {"payload", "zqpayload"},      {"URL path", "zqpath"},         {"URL query", "zqquery"},
    {"hook header", "zqhookhead"}, {"metadata", "zqmetadata"},     {"answer", "zqanswer"},
    {"hook token", "zqhooktoken"}, {"hook key", "zqhookkey"},      {"user info", "zquserinfo"},
    {"password", "zqpassword"}};
const std::string& mark(const std::string& of) {
  return kMarks.at(of);
}

class Nothing : public StoreScenario {
 protected:
  // What a client reads is searched too, where it is a problem.
  void send(const std::string& path, const std::string& body, const HttpHeaders& headers = {}) {
    const HttpReply reply = server_->post(path, body, headers);
    if (reply.status >= 400) problems_ += reply.body + "\n";
    statuses_.insert(reply.status);
    if (reply.status == 202 || reply.status == 201) ++accepted_;
  }
  static std::string mail(const std::string& to, const std::string& extra = "") {
    return R"({"from":{"email":")" + mark("sender") + R"(@example.org","name":")" + mark("display name") +
           R"("},"to":[")" + to + R"("],"cc":[")" + mark("copy") + R"(@example.org"],"subject":")" +
           mark("subject") + R"(","body":{"text":")" + mark("text") + R"(","html":"<p>)" + mark("html") +
           R"(</p>"},"headers":{"X-Case":")" + mark("mail header") +
           R"("},"attachments":[{"name":"a.txt","contentType":"text/plain","content":")" +
           "enFhdHRhY2htZW50" + R"("}])" + extra + "}";
  }
  static std::string hook(const std::string& url, const std::string& extra = "") {
    return R"({"source":"s","code":"c","targetUrl":")" + url + "/" + mark("URL path") +
           "?token=" + mark("URL query") + R"(","payload":"{\"x\":\")" + mark("payload") +
           R"(\"}","headers":{"X-Case":")" + mark("hook header") + R"("},"metadata":{"case":")" +
           mark("metadata") + R"("},"maxRetries":2,"retryStrategy":"immediate")" + extra + "}";
  }
  std::string log() const { return read_text_file(server_->log_file()); }
  static void expect_no_mark(const std::string& text, const char* where) {
    for (const auto& [what, word] : kMarks) {
      const auto at = text.find(word);
      if (at == std::string::npos) continue;
      const auto begin = text.rfind('\n', at) + 1;
      ADD_FAILURE() << "the " << what << " is in " << where << ": "
                    << text.substr(begin, text.find('\n', at) - begin);
    }
  }

  // After the server's end.
  void expect_no_mark_anywhere(const std::string& metrics) const {
    EXPECT_GT(log().size(), 1000U) << "there is something to search";
    expect_no_mark(log(), "the log");
    expect_no_mark(metrics, "the metrics");
    expect_no_mark(problems_, "a problem");
  }
  // A server with a login at this relay.
  void start_with(const ScriptedSmtp& relay, const std::string& name) {
    write_text_file(folder_ / "ca.pem", identity_.certificate());
    server_ = start_server({{"EILBOTE_LOG_LEVEL", "debug"},
                            {"EILBOTE_MAIL_PROVIDER", "smtp"},
                            {"EILBOTE_SMTP_URL", relay_url(relay.port(), "required", "shop")},
                            {"EILBOTE_SMTP_CA_FILE", folder_ / "ca.pem"},
                            {"EILBOTE_SMTP_PASSWORD_REF", "env://ZQ_PASSWORD"},
                            {"ZQ_PASSWORD", mark("password")},
                            {"EILBOTE_SMTP_CONNECT_RETRIES", "10ms,10ms"}},
                           name);
  }

  const TlsIdentity identity_{"localhost"};
  std::unique_ptr<EilboteProcess> server_;
  std::string problems_;
  std::set<int> statuses_;
  int accepted_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, Nothing, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(Nothing, private_is_in_the_log_the_metrics_or_a_problem) {
  const std::string address = mark("recipient") + "@example.org";
  ScriptedHttp good, bad({.scenes = {{.answer = http_answer(500, mark("answer"))}}}),
      rude({.scenes = {{.answer = "HTTP/1.1 200 OK\r\nX-Echo: " + mark("answer") + "\r\nContent-Le",
                        .then = HttpScene::Then::reset}}});
  const auto base = [](const ScriptedHttp& endpoint) {
    return "http://127.0.0.1:" + std::to_string(endpoint.port());
  };
  server_ = start_server({{"EILBOTE_LOG_LEVEL", "debug"},
                          {"EILBOTE_CAPTURE_FAULTS", "by-address"},
                          {"ZQ_TOKEN", mark("hook token")},
                          {"ZQ_KEY", mark("hook key")}});
  const JobApi api(*server_);
  const HttpReply account = server_->post(
      "/service-accounts",
      R"({"code":"local","name":"Local","clientIds":["local"],"webhookCredentials":{"authType":"BEARER","authTokenRef":"env://ZQ_TOKEN","signingSecretRef":"env://ZQ_KEY"}})");
  ASSERT_EQ(account.status, 201) << account.body;
  expect_no_mark(account.body, "the account");

  // The address says what becomes of it: sent, tried again, refused.
  for (const std::string fate : {"", "+transient1", "+permanent"})
    send("/messages", mail(mark("recipient") + fate + "@example.org",
                           R"(,"retry":{"strategy":"immediate","maxAttempts":3},"callback":{"url":")" +
                               base(bad) + "/" + mark("URL path") + "\"}"));
  ASSERT_EQ(accepted_, 3) << problems_;
  for (const ScriptedHttp* endpoint : {&good, &bad, &rude})
    send("/dispatch-jobs", hook(base(*endpoint), R"(,"serviceAccountId":"local")"));
  send("/dispatch-jobs", hook("http://127.0.0.1:1"));  // a blocked port
  send("/dispatch-jobs", hook("http://127.0.0.1:9999"));
  // What is refused is not repeated.
  send("/messages", mail(mark("recipient") + "@@example..org"));
  send("/messages", mail(address, R"(,"priority":")" + mark("text") + "\""));
  send("/messages", mail(address).substr(0, 60) + "\x01");
  send("/messages", mail(address), {{"Idempotency-Key", std::string(300, 'k') + mark("subject")}});
  send("/messages/batch", "[" + mail(mark("recipient")) + "]");
  send("/dispatch-jobs", hook("http://" + mark("user info") + ":x@example.org"));
  send("/dispatch-jobs", hook("http://169.254.169.254"));
  send("/dispatch-jobs", hook("http://10.0.0.1"));
  send("/dispatch-jobs", hook(base(good), R"(,"payloadContentType":"application/json","schemaId":"none")"));
  send("/dispatch-jobs", hook(base(good), R"(,"serviceAccountId":"nobody")"));
  ASSERT_TRUE(statuses_.contains(400) && statuses_.contains(422)) << problems_;

  EXPECT_TRUE(eventually([&] { return MailApi(*server_).metric("eilbote_messages_sent_total") >= 2; }))
      << log();
  EXPECT_TRUE(
      eventually([&] { return !good.seen().empty() && bad.seen().size() >= 3 && !rude.seen().empty(); }));
  const std::string metrics = server_->get("/metrics").body;
  EXPECT_EQ(server_->stop(), 0);
  expect_no_mark_anywhere(metrics);
}

// What a relay repeats of a mail is for the mail's owner to read, and for nobody else.
TEST_P(Nothing, private_that_a_relay_repeats_is_in_the_log_the_metrics_or_a_problem) {
  SmtpScript script;
  script.tls = &identity_;
  script.replies["EHLO"] = {"250-relay.example.org\r\n250-STARTTLS\r\n250-AUTH PLAIN\r\n250 PIPELINING"};
  const std::string told = mark("subject") + " " + mark("text") + " " + mark("sender") + "@example.org";
  script.replies["DOT"] = {"250 2.0.0 Ok: " + told, "451 4.3.0 not now: " + told, "554 5.6.0 never: " + told,
                           "250 2.0.0 Ok: " + told};
  script.decide =
      [times = std::make_shared<std::atomic<int>>()](const std::string& line) -> std::optional<std::string> {
    if (line.starts_with("RCPT") && line.find("+refused") != std::string::npos)
      return "550 5.1.1 no such user: " + line;
    if (line.starts_with("RCPT") && line.find("+lost") != std::string::npos)
      return ++*times < 3 ? "close" : "421 4.3.2 closing at " + line;
    return std::nullopt;
  };
  const ScriptedSmtp relay(std::move(script));
  start_with(relay, "data");
  const MailApi api(*server_);
  const auto send_to = [&](const std::string& fate) {
    const std::string id = api.accept(mail(mark("recipient") + fate + "@example.org"));
    EXPECT_TRUE(eventually([&] { return !api.attempts(id).empty(); })) << log();
    return id;
  };
  for (const std::string fate : {"", "", "", "+refused"})
    send_to(fate);
  const std::string last = send_to("+lost");
  EXPECT_NE(json::serialize(api.message(last)).find(mark("recipient")), std::string::npos);
  const std::vector<std::string> commands = relay.commands();
  EXPECT_TRUE(std::any_of(commands.begin(), commands.end(), [](const std::string& one) {
    return one.starts_with("AUTH PLAIN ") && base64_decode(one.substr(11))->ends_with(mark("password"));
  }));
  send("/messages/" + last + "/retry", "");  // it is not dead
  const std::string metrics = server_->get("/metrics").body;
  EXPECT_EQ(server_->stop(), 0);
  expect_no_mark_anywhere(metrics);
}

TEST_P(Nothing, of_the_credentials_that_an_endpoint_repeats_is_anywhere) {
  ScriptedHttp echo({.decide = [](const HttpSeen& seen) {
    return HttpScene{.answer = http_answer(200, "you said: " + seen.headers.at("authorization"))};
  }});
  server_ = start_server({{"ZQ_TOKEN", mark("hook token")}, {"ZQ_LOGIN", "shop:" + mark("password")}});
  const JobApi api(*server_);
  std::string answers;
  for (const auto& [code, type, variable] :
       {std::tuple{"by-token", "BEARER", "ZQ_TOKEN"}, std::tuple{"by-login", "BASIC", "ZQ_LOGIN"}}) {
    const json::value credentials{{"authType", type}, {"authTokenRef", fmt::format("env://{}", variable)}};
    api.post("/service-accounts", json::serialize(json::value{{"code", code},
                                                              {"name", code},
                                                              {"clientIds", json::array{"local"}},
                                                              {"webhookCredentials", credentials}}));
    const std::string id = api.accept(hook("http://127.0.0.1:" + std::to_string(echo.port()),
                                           fmt::format(R"(,"serviceAccountId":"{}")", code)));
    ASSERT_TRUE(api.reaches(id, "COMPLETED")) << api.job(id);
    answers += json::serialize(api.job(id)) + server_->get("/dispatch-jobs/" + id + "/attempts").body;
  }
  EXPECT_NE(answers.find("you said: Bearer ***"), std::string::npos) << answers;
  EXPECT_NE(answers.find("you said: Basic ***"), std::string::npos) << answers;
  const std::string metrics = server_->get("/metrics").body;
  EXPECT_EQ(server_->stop(), 0);
  expect_no_mark_anywhere(metrics);
}

TEST_P(Nothing, of_a_login_that_a_relay_repeats_is_anywhere) {
  for (const std::string mechanism : {"PLAIN", "LOGIN"}) {
    SCOPED_TRACE(mechanism);
    SmtpScript script;
    script.tls = &identity_;
    script.replies["EHLO"] = {"250-relay.example.org\r\n250-STARTTLS\r\n250 AUTH " + mechanism};
    const std::string login = base64_encode(mark("password"));
    script.decide = [login](const std::string& line) -> std::optional<std::string> {
      if (line == "AUTH LOGIN") return "334 VXNlcm5hbWU6";
      if (line == base64_encode("shop")) return "334 UGFzc3dvcmQ6";
      if (line.starts_with("AUTH PLAIN") || line == login)
        return "535-5.7.8 not understood: " + line + "\r\n535 5.7.8 " + mark("password") + " is wrong";
      return std::nullopt;
    };
    const ScriptedSmtp relay(std::move(script));
    start_with(relay, "data-" + mechanism);
    const MailApi api(*server_);
    const std::string id = api.accept(mail(mark("recipient") + "@example.org"));
    ASSERT_TRUE(eventually([&] { return !api.attempts(id).empty(); })) << log();
    EXPECT_TRUE(eventually(
        [&] { return text_at(api.read("/breakers"), "/data/0/reason").find("535") != std::string::npos; }));
    const std::string answers = json::serialize(api.message(id)) + json::serialize(api.attempts(id)) +
                                json::serialize(api.read("/breakers")) +
                                server_->get("/jobs/" + id + "/why").body;
    EXPECT_NE(answers.find("not understood"), std::string::npos) << answers;
    for (const std::string& form :
         {mark("password"), login, base64_encode(std::string("\0shop\0", 6) + mark("password"))})
      EXPECT_EQ((answers + log()).find(form), std::string::npos) << answers;
    EXPECT_EQ(server_->del("/messages/" + id).status, 204);  // for the next server's sake
    const std::string metrics = server_->get("/metrics").body;
    EXPECT_EQ(server_->stop(), 0);
    expect_no_mark_anywhere(metrics);
  }
}

}  // namespace
}  // namespace eilbote::test::nothing_private_is_in_logs_metrics_or_problems
