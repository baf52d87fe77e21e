// Airflow's part (deploy/airflow/eilbote_dispatch.py, run as the program it also is) against a running server in triggered mode
// and a real issuer: a backlog is delivered, runs that overlap do no harm, and what goes wrong ends in the documented words.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <set>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/real_issuer.h"
#include "support/test_store.h"
#include "support/tls_identity.h"

namespace eilbote::test::airflow_delivers_what_is_due {
namespace {

using namespace std::chrono_literals;

// Exit codes of the module, as docs/airflow.md tells them.
constexpr int kDone = 0, kTryLater = 75, kRefused = 77;

class Airflow : public StoreScenario {
 protected:
  void start(Settings settings = {}) {
    settings.merge(takes_tokens_of(issuer_.url()));
    settings["EILBOTE_DISPATCH"] = "triggered";
    server_ = start_server(settings);
    std::ofstream(folder_ / "secret") << "airflow-secret\n";
  }
  std::vector<std::string> ids_of_new_mails(int count) const {
    const MailApi api(*server_);
    const std::string token = issuer_.token("shop", "mail.send");
    std::vector<std::string> ids;
    for (int n = 0; n < count; ++n)
      ids.push_back(api.accept(mail_json("reader" + std::to_string(n) + "@example.org"), bearer(token)));
    return ids;
  }
  std::vector<std::string> command(const std::vector<std::string>& more,
                                   const std::string& secret = "secret") const {
    std::vector<std::string> all{"python3",       EILBOTE_SOURCE_DIR "/deploy/airflow/eilbote_dispatch.py",
                                 "--server",      server_->url(),
                                 "--token-url",   issuer_.url() + "/token",
                                 "--client-id",   "airflow",
                                 "--secret-file", folder_ / secret};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  CommandResult run(const std::vector<std::string>& more) const { return run_command(command(more)); }
  // Each of them is captured once, and nothing else is.
  void expect_captured_once(const std::vector<std::string>& ids) const {
    std::multiset<std::string> captured;
    for (const CapturedMail& mail : captured_mails(server_->capture_folder()))
      captured.insert(mail.id);
    EXPECT_EQ(captured, std::multiset<std::string>(ids.begin(), ids.end()));
  }
  static void expect_end(const CommandResult& result, int exit_code, const std::string& words) {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.find("Traceback"), std::string::npos) << result.err;
  }

  RealIssuer issuer_;
  std::unique_ptr<EilboteProcess> server_;
};
INSTANTIATE_TEST_SUITE_P(Stores, Airflow, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(Airflow, delivers_a_backlog_batch_by_batch) {
  start();
  const auto ids = ids_of_new_mails(120);
  const CommandResult result = run({"--batch-size", "50"});
  ASSERT_EQ(result.exit_code, kDone) << result.err;
  const json::value told = json::parse(result.out);
  EXPECT_EQ(number_at(told, "/dispatched"), 120) << result.out;
  EXPECT_EQ(number_at(told, "/by_status/SENT"), 120) << result.out;
  EXPECT_GE(number_at(told, "/rounds"), 4) << "three with mails, and one that found nothing";
  EXPECT_EQ(text_at(told, "/complete"), "true");
  expect_captured_once(ids);
  const std::string log = read_text_file(server_->log_file());
  EXPECT_NE(log.find(text_at(told, "/trace_id")), std::string::npos)
      << "the run is found in the server's log";

  const CommandResult idle = run({});
  EXPECT_EQ(idle.exit_code, kDone) << idle.err;
  EXPECT_EQ(number_at(json::parse(idle.out), "/dispatched"), 0);
}

// Both have started and wait for their secret when it is written; then they go at the same mails.
TEST_P(Airflow, in_two_runs_at_once_delivers_each_mail_once) {
  start();
  const auto ids = ids_of_new_mails(200);
  std::vector<std::unique_ptr<ChildProcess>> runs;
  std::vector<std::unique_ptr<std::ofstream>> secrets;
  for (const char* name : {"first", "second"}) {
    ASSERT_EQ(::mkfifo((folder_ / name).c_str(), 0600), 0);
    runs.push_back(std::make_unique<ChildProcess>(
        ChildOptions{command({"--batch-size", "5"}, name), {}, folder_ / (std::string(name) + ".err"), ""}));
  }
  for (const char* name : {"first", "second"})
    secrets.push_back(std::make_unique<std::ofstream>(folder_ / name));  // waits for its reader
  for (auto& secret : secrets)
    *secret << "airflow-secret\n" << std::flush;
  secrets.clear();
  std::int64_t dispatched = 0;
  for (auto& one : runs) {
    const std::string out = one->read_all(60s);
    EXPECT_EQ(one->wait(10s), kDone);
    EXPECT_GT(number_at(json::parse(out), "/dispatched"), 0) << out;
    dispatched += number_at(json::parse(out), "/dispatched");
  }
  EXPECT_EQ(dispatched, 200);
  expect_captured_once(ids);
}

class AirflowInTrouble : public Airflow {};
INSTANTIATE_TEST_SUITE_P(Stores, AirflowInTrouble, testing::Values(StoreKind::sqlite), store_name);

TEST_P(AirflowInTrouble, is_told_which_scope_is_missing) {
  start();
  const CommandResult result = run({"--scope", "mail.send"});
  expect_end(result, kRefused, "ScopeMissing: ");
  EXPECT_NE(result.err.find("scope=\"mailer.worker\""), std::string::npos) << result.err;
}

TEST_P(AirflowInTrouble, is_told_that_its_secret_is_wrong) {
  start();
  std::ofstream(folder_ / "secret") << "yesterdays-secret";
  expect_end(run({}), kRefused, "TokenDenied: the issuer gives airflow no token (401): invalid_client");
}

TEST_P(AirflowInTrouble, replaces_a_token_that_has_ended_once) {
  start();
  const auto ids = ids_of_new_mails(3);
  issuer_.give_stale(1);
  const CommandResult healed = run({});
  EXPECT_EQ(healed.exit_code, kDone) << healed.err;
  expect_captured_once(ids);
  issuer_.give_stale(2);
  expect_end(run({}), kRefused, "TokenInvalid: ");
}

TEST_P(AirflowInTrouble, trusts_the_authority_it_is_given) {
  const TlsIdentity identity("127.0.0.1");
  std::ofstream(folder_ / "cert.pem") << identity.certificate();
  std::ofstream(folder_ / "key.pem") << identity.key();
  start({{"EILBOTE_LISTEN_TLS_CERT", folder_ / "cert.pem"}, {"EILBOTE_LISTEN_TLS_KEY", folder_ / "key.pem"}});
  expect_end(run({}), kRefused, "has a certificate that is not trusted");
  const CommandResult trusted = run({"--ca-file", folder_ / "cert.pem"});
  EXPECT_EQ(trusted.exit_code, kDone) << trusted.err;
}

TEST_P(AirflowInTrouble, tries_later_when_nobody_is_there) {
  start();
  const auto ids = ids_of_new_mails(3);
  server_->kill_hard();
  expect_end(run({"--budget-seconds", "4"}), kTryLater, "Unreachable: Eilbote at 127.0.0.1:");
  issuer_.stop();
  expect_end(run({"--budget-seconds", "4"}), kTryLater, "Unreachable: the issuer at 127.0.0.1:");
}

TEST_P(AirflowInTrouble, has_had_enough_of_a_server_that_does_not_answer) {
  start();
  const auto ids = ids_of_new_mails(3);
  server_->process().signal(SIGSTOP);
  const auto began = std::chrono::steady_clock::now();
  const CommandResult result = run({"--budget-seconds", "3"});
  EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
  server_->process().signal(SIGCONT);
  expect_end(result, kTryLater, "TooSlow: Eilbote at 127.0.0.1:");
  // What was asked may be done all the same; another run finds what is left, and no mail goes twice.
  EXPECT_TRUE(eventually([&] { return run({}).exit_code == kDone; }));
  EXPECT_TRUE(eventually([&] { return captured_count(server_->capture_folder()) == ids.size(); }));
  expect_captured_once(ids);
}

}  // namespace
}  // namespace eilbote::test::airflow_delivers_what_is_due
