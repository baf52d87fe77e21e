// Every fate of a mail and of a webhook, at level debug, as JSON and as text for people: refused, sent, tried again, bounced,
// suppressed, dead, cancelled, abandoned, queued again; the relay and the endpoints repeat whatever they were told. Everything private
// carries one mark, and the mark is nowhere in the log, in the metrics or in a problem. (Secrets and each kind of text by itself:
// nothing_private_is_in_logs_metrics_or_problems.)
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>

#include "support/bounce.h"
#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/scripted_smtp.h"
#include "support/server_packages.h"
#include "support/test_store.h"

namespace eilbote::test::nothing_private_is_told_of_any_fate {
namespace {

// Letters that no id, token or hash of ours has in a row; no encoding on the way changes them.
const std::string kMark = "zqmark";

class EveryFate : public StoreScenario {
 protected:
  void start(const std::string& format) {
    server_ = start_server({{"EILBOTE_LOG", format},
                            {"EILBOTE_LOG_LEVEL", "debug"},
                            {"EILBOTE_MAIL_PROVIDER", "smtp"},
                            {"EILBOTE_SMTP_URL", relay_url(relay_.port(), "off")}},
                           "data-" + format);
    api_ = std::make_unique<MailApi>(*server_);
  }
  static std::string address(const std::string& fate) { return kMark + "+" + fate + "@example.org"; }
  static std::string mail(const std::string& to, const std::string& extra = "") {
    return R"({"from":{"email":"sender@example.org","name":")" + kMark + R"("},"to":[{"email":")" + to +
           R"(","name":")" + kMark + R"("}],"subject":")" + kMark + R"(","body":{"text":")" + kMark +
           R"("},"metadata":{"k":")" + kMark + R"("},"retry":{"strategy":"immediate","maxAttempts":2})" +
           extra + "}";
  }
  std::string hook(const std::string& path, const std::string& extra = "") const {
    return job_json(
        "http://127.0.0.1:" + std::to_string(endpoint_.port()) + path + "/" + kMark + "?t=" + kMark,
        R"(,"headers":{"X-Case":")" + kMark + R"("},"metadata":{"k":")" + kMark +
            R"("},"maxRetries":2,"retryStrategy":"immediate")" + extra);
  }
  std::string sent(const std::string& fate, const std::string& state) const {
    const std::string id = api_->accept(mail(address(fate)));
    EXPECT_TRUE(api_->reaches(id, state)) << fate << ": " << api_->status(id);
    return id;
  }
  // What anybody is told who is refused.
  void refused(int status, const HttpReply& reply) {
    EXPECT_EQ(reply.status, status) << reply.body;
    problems_ += reply.body + "\n";
  }
  std::string message_id(const std::string& id) const {
    for (const std::string& message : relay_.messages())
      if (const std::string found = header_of(message, "Message-ID"); found.find(id) != std::string::npos)
        return found;
    return "";
  }
  void expect_no_mark(const std::string& text, const char* where) const {
    const auto at = text.find(kMark);
    if (at == std::string::npos) return;
    const auto begin = text.rfind('\n', at) + 1;
    ADD_FAILURE() << "something private is in " << where << ": "
                  << text.substr(begin, text.find('\n', at) - begin);
  }

  void mails() {
    refused(400, server_->post("/messages", mail(kMark + "@@example..org")));
    refused(400, server_->post("/messages", mail(address("sent"), R"(,"priority":")" + kMark + "\"")));
    const std::string bounces = sent("sent", "SENT");
    const HttpReply taken = server_->post("/webhooks/dsn", bounce({message_id(bounces), address("sent")}),
                                          {{"Content-Type", "message/rfc822"}});
    EXPECT_EQ(taken.status, 200) << taken.body;
    EXPECT_TRUE(api_->reaches(bounces, "BOUNCED"));
    sent("sent", "FAILED");  // suppressed
    const std::string suppression = "/suppressions/" + kMark + "%2Bsent%40example.org";
    EXPECT_EQ(server_->del(suppression).status, 204);
    refused(404, server_->del(suppression));
    sent("again", "SENT");
    const std::string dead = sent("never", "FAILED");
    sent("lost", "FAILED");
    refused(409, server_->del("/messages/" + dead));
    EXPECT_EQ(server_->post("/messages/" + dead + "/retry", "").status / 100, 2);
    const std::string later = api_->accept(mail(address("sent"), "," + due_in_a_month()));
    EXPECT_EQ(server_->del("/messages/" + later).status, 204);
    const std::string given_up = api_->accept(mail(address("sent"), "," + due_in_a_month()));
    EXPECT_EQ(server_->post("/messages/" + given_up + "/abandon", "").status / 100, 2);
    EXPECT_TRUE(api_->reaches(given_up, "FAILED"));
  }
  void webhooks() {
    const JobApi jobs(*server_);
    refused(422, server_->post("/dispatch-jobs", hook("/x", R"(,"serviceAccountId":")" + kMark + "\"")));
    EXPECT_TRUE(jobs.reaches(jobs.accept(hook("/good")), "COMPLETED"));
    const std::string dead = jobs.accept(hook("/bad"));
    EXPECT_TRUE(jobs.reaches(dead, "ERROR"));
    // ERROR is shown between its attempts as well, when there is nothing to repeat yet.
    EXPECT_TRUE(
        eventually([&] { return server_->post("/dispatch-jobs/" + dead + "/retry", "").status / 100 == 2; }));
    const std::string later = jobs.accept(hook("/good", "," + due_in_a_month()));
    EXPECT_EQ(server_->post("/dispatch-jobs/" + later + "/cancel", "").status / 100, 2);
  }

  std::atomic<int> dots_{0};
  // Repeats what it hears; the local part says what becomes of a mail.
  ScriptedSmtp relay_{[this] {
    SmtpScript script;
    script.decide = [this](const std::string& line) -> std::optional<std::string> {
      if (!line.starts_with("RCPT")) return std::nullopt;
      if (line.find("+never") != std::string::npos) return "550 5.1.1 unknown: " + line;
      if (line.find("+lost") != std::string::npos) return "451 4.3.0 not now: " + line + " " + kMark;
      if (line.find("+again") != std::string::npos && ++dots_ % 2 == 1) return "450 4.2.0 wait: " + line;
      return "250 2.1.5 " + line;
    };
    script.replies["DOT"] = {"250 2.0.0 taken: " + kMark};
    return script;
  }()};
  ScriptedHttp endpoint_{{.decide = [](const HttpSeen& seen) {
    const bool bad = seen.line.find("/bad") != std::string::npos;
    return HttpScene{.answer = http_answer(bad ? 500 : 200, "you said " + seen.line + seen.body)};
  }}};
  std::unique_ptr<EilboteProcess> server_;
  std::unique_ptr<MailApi> api_;
  std::string problems_;
};
INSTANTIATE_TEST_SUITE_P(Stores, EveryFate, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(EveryFate, is_told_without_anything_private) {
  for (const std::string format : {"json", "text"}) {
    SCOPED_TRACE(format);
    start(format);
    mails();
    webhooks();
    server_->process().signal(SIGHUP);
    const auto log = [&] { return read_text_file(server_->log_file()); };
    EXPECT_TRUE(
        eventually([&] { return log().find("the configuration was read again") != std::string::npos; }));
    const std::string metrics = server_->get("/metrics").body;
    EXPECT_EQ(server_->stop(), 0);
    // It was written down, in this form.
    for (const std::string event :
         {"mail sent", "mail attempt ended", "mail failed", "delivery report", "webhook delivered",
          "webhook attempt ended", "webhook failed", "request"})
      EXPECT_NE(log().find(format == "json" ? "\"event\":\"" + event + "\"" : " " + event + " "),
                std::string::npos)
          << event;
    expect_no_mark(log(), "the log");
    expect_no_mark(metrics, "the metrics");
    expect_no_mark(problems_, "a problem");
  }
}

}  // namespace
}  // namespace eilbote::test::nothing_private_is_told_of_any_fate
