// SIGTERM while a slow relay and slow endpoints are being served: whoever answers within the grace is waited for and gets nothing a
// second time; what hangs is given up at its end, without an attempt used up. The server exits with 0, and after the next start
// everything that was acknowledged is delivered.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/scripted_smtp.h"
#include "support/server_packages.h"
#include "support/test_store.h"

namespace eilbote::test::a_stop_ends_slow_deliveries_in_time {
namespace {

using namespace std::chrono_literals;

class AStopOfSlowOnes : public StoreScenario {
 protected:
  std::unique_ptr<EilboteProcess> start(std::chrono::seconds grace) const {
    return start_server({{"EILBOTE_MAIL_PROVIDER", "smtp"},
                         {"EILBOTE_SMTP_URL", relay_url(relay_.port(), "off")},
                         {"EILBOTE_SHUTDOWN_GRACE", std::to_string(grace.count()) + "s"}});
  }
  std::string hook(const std::string& path) const {
    return job_json("http://127.0.0.1:" + std::to_string(endpoint_.port()) + path);
  }
  // Clients that go on while the server stops.
  void begin_load(const EilboteProcess& server) {
    for (int client = 0; client < 4; ++client)
      clients_.emplace_back([this, url = server.url(), client](const std::stop_token& ended) {
        for (int n = 0; !ended.stop_requested(); ++n) {
          const bool mail = (client + n) % 2 == 0;
          const HttpReply reply =
              http_request("POST", url + (mail ? "/messages" : "/dispatch-jobs"),
                           mail ? mail_json("slow@example.org") : hook("/slow"), {}, 5000);
          if (reply.status != 202 && reply.status != 201) return;
          note(mail, text_at(json::parse(reply.body), mail ? "/messageId" : "/id"));
        }
      });
  }
  void note(bool mail, const std::string& id) {
    const std::lock_guard lock(mutex_);
    (mail ? mails_ : hooks_).insert(id);
  }
  // How often each mail and each webhook was answered with a yes, by its id.
  std::map<std::string, int> answered() const {
    std::map<std::string, int> times;
    for (const std::string& message : relay_.messages()) {
      const std::string id = header_of(message, "Message-ID");
      ++times[id.substr(1, id.find('@') - 1)];
    }
    const std::lock_guard lock(mutex_);
    for (const auto& [id, count] : hooks_answered_)
      times[id] += count;
    return times;
  }
  // Both channels are in the middle of something.
  bool is_busy() const {
    const std::lock_guard lock(mutex_);
    return hooks_answered_.size() >= 20 && relay_.messages().size() >= 20;
  }
  void expect_delivered(const EilboteProcess& server) const {
    const MailApi mail_api(server);
    const JobApi job_api(server);
    for (const std::string& id : mails_) {
      ASSERT_TRUE(mail_api.reaches(id, "SENT")) << id << ": " << mail_api.status(id);
      EXPECT_EQ(number_at(mail_api.message(id), "/details/retryCount"), 0) << id;
      EXPECT_EQ(mail_api.attempts(id).size(), 1U) << id;
    }
    for (const std::string& id : hooks_) {
      ASSERT_TRUE(job_api.reaches(id, "COMPLETED")) << id << ": " << job_api.status(id);
      EXPECT_EQ(number_at(job_api.job(id), "/attemptCount"), 1) << id;
    }
    const auto times = answered();
    for (const auto* ids : {&mails_, &hooks_})
      for (const std::string& id : *ids)
        EXPECT_EQ(times.contains(id) ? times.at(id) : 0, 1) << id;
  }

  mutable std::mutex mutex_;
  std::atomic<bool> hangs_{true};
  std::map<std::string, int> hooks_answered_;
  std::set<std::string> mails_, hooks_;  // that were acknowledged
  ScriptedSmtp relay_{[this] {
    SmtpScript script;
    script.before_dot_reply = 200ms;
    script.decide = [this](const std::string& line) -> std::optional<std::string> {
      if (hangs_ && line.starts_with("RCPT") && line.find("stuck") != std::string::npos) return "silence";
      return std::nullopt;
    };
    return script;
  }()};
  ScriptedHttp endpoint_{{.decide = [this](const HttpSeen& seen) -> HttpScene {
    if (hangs_ && seen.line.find("/stuck") != std::string::npos)
      return {.answer = "", .then = HttpScene::Then::silence};
    const std::lock_guard lock(mutex_);
    ++hooks_answered_[seen.headers.at("webhook-id")];
    return {.before_answer = 200ms};
  }}};
  std::vector<std::jthread> clients_;  // last: they end first
};
INSTANTIATE_TEST_SUITE_P(Stores, AStopOfSlowOnes, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(AStopOfSlowOnes, waits_for_those_who_answer_in_time) {
  const auto server = start(10s);
  begin_load(*server);
  ASSERT_TRUE(eventually([&] { return is_busy(); }));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(server->stop(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
  clients_.clear();
  EXPECT_EQ(read_text_file(server->log_file()).find("deliveries under way"), std::string::npos);
  server->start();
  expect_delivered(*server);
  EXPECT_EQ(MailApi(*server).metric("eilbote_lease_losses_total"), 0) << "handed back, not rescued";
}

TEST_P(AStopOfSlowOnes, gives_up_those_who_hang_when_the_grace_is_over) {
  const auto server = start(2s);
  for (int i = 0; i < 5; ++i) {
    note(true, MailApi(*server).accept(mail_json("stuck@example.org")));
    note(false, JobApi(*server).accept(hook("/stuck")));
  }
  begin_load(*server);
  ASSERT_TRUE(eventually([&] { return is_busy(); }));
  const auto began = std::chrono::steady_clock::now();
  server->process().signal(SIGTERM);
  ASSERT_TRUE(eventually([&] {
    return read_text_file(server->log_file()).find("\"event\":\"stopping\"") != std::string::npos;
  }));
  server->process().signal(SIGHUP);  // a reload that comes too late cuts nothing short
  EXPECT_EQ(server->process().wait(60s).value_or(-1), 0);
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_GE(took, 2s);
  EXPECT_LT(took, 7s) << "the grace, answers under way, the last settlements";
  clients_.clear();
  hangs_ = false;
  server->start();
  expect_delivered(*server);
}

}  // namespace
}  // namespace eilbote::test::a_stop_ends_slow_deliveries_in_time
