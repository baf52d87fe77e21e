// Everything that is private carries a mark: secrets, addresses, subjects, bodies, payloads, tokens in URLs. With the log at its
// lowest level mails and webhooks are sent, refused, lost and rejected; afterwards no mark is in the log, in the metrics or in a
// problem.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/temp_folder.h"

namespace eilbote::test {
namespace {

// Each mark is made of letters only, so that no encoding on the way can hide it.
const std::map<std::string, std::string> kMarks{
    {"sender", "zqsender"},        {"recipient", "zqrecipient"},   {"copy", "zqcopy"},
    {"display name", "zqperson"},  {"subject", "zqsubject"},       {"text", "zqtextbody"},
    {"html", "zqhtmlbody"},        {"attachment", "zqattachment"}, {"mail header", "zqheadervalue"},
    {"payload", "zqpayload"},      {"URL path", "zqpath"},         {"URL query", "zqquery"},
    {"hook header", "zqhookhead"}, {"metadata", "zqmetadata"},     {"answer", "zqanswer"},
    {"hook token", "zqhooktoken"}, {"hook key", "zqhookkey"},      {"user info", "zquserinfo"}};
const std::string& mark(const std::string& of) {
  return kMarks.at(of);
}

class Nothing : public testing::Test {
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
  std::string log() const {
    std::ifstream file(server_->log_file());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void expect_no_mark(const std::string& text, const char* where) {
    for (const auto& [what, word] : kMarks) {
      const auto at = text.find(word);
      if (at == std::string::npos) continue;
      const auto begin = text.rfind('\n', at) + 1;
      ADD_FAILURE() << "the " << what << " is in " << where << ": "
                    << text.substr(begin, text.find('\n', at) - begin);
    }
  }

  TempFolder folder_;
  std::unique_ptr<EilboteProcess> server_;
  std::string problems_;
  std::set<int> statuses_;
  int accepted_ = 0;
};

TEST_F(Nothing, private_is_in_the_log_the_metrics_or_a_problem) {
  const std::string address = mark("recipient") + "@example.org";
  ScriptedHttp good, bad({.scenes = {{.answer = http_answer(500, mark("answer"))}}}),
      rude({.scenes = {{.answer = "HTTP/1.1 200 OK\r\nX-Echo: " + mark("answer") + "\r\nContent-Le",
                        .then = HttpScene::Then::reset}}});
  const auto base = [](const ScriptedHttp& endpoint) {
    return "http://127.0.0.1:" + std::to_string(endpoint.port());
  };
  server_ = std::make_unique<EilboteProcess>(
      folder_ / "data", std::map<std::string, std::string>{{"EILBOTE_LOG_LEVEL", "debug"},
                                                           {"EILBOTE_CAPTURE_FAULTS", "by-address"},
                                                           {"ZQ_TOKEN", mark("hook token")},
                                                           {"ZQ_KEY", mark("hook key")}});
  server_->start();
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
  EXPECT_GT(log().size(), 1000U) << "there is something to search";
  expect_no_mark(log(), "the log");
  expect_no_mark(metrics, "the metrics");
  expect_no_mark(problems_, "a problem");
}

}  // namespace
}  // namespace eilbote::test
