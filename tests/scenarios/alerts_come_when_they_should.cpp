// A real Prometheus watches real servers with the rules of deploy/prometheus/alerts.yml: while all is well nothing is raised, and
// each trouble that can be made raises the alert that names it. (How long an alert waits before it fires, and that it stays
// silent on numbers that are nearly as bad, is in deploy/prometheus/alerts_test.yml.)
#include <gtest/gtest.h>

#include <fstream>

#include "support/bounce.h"
#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/half_request.h"
#include "support/job_api.h"
#include "support/program.h"
#include "support/prometheus.h"
#include "support/scripted_http.h"
#include "support/scripted_smtp.h"
#include "support/scripted_vault.h"
#include "support/server_packages.h"
#include "support/test_store.h"
#include "support/tls_identity.h"

namespace eilbote::test::alerts_come_when_they_should {
namespace {

std::string address_of(const EilboteProcess& server) {
  return server.url().substr(server.url().find("//") + 2);
}

class Alerts : public StoreScenario {
 protected:
  void SetUp() override {
    SKIP_BECAUSE(Prometheus::missing());
    StoreScenario::SetUp();
  }

  std::unique_ptr<Prometheus> watch(const std::vector<std::string>& targets) const {
    auto prometheus = std::make_unique<Prometheus>(folder_, targets);
    EXPECT_TRUE(eventually([&] { return calm(*prometheus); }))
        << testing::PrintToString(prometheus->alerts());
    return prometheus;
  }
  // How full this machine's own disk is, is not this test's matter.
  static bool calm(const Prometheus& prometheus) {
    std::set<std::string> raised = prometheus.alerts();
    raised.erase("EilboteDiskLow");
    raised.erase("EilboteDiskFull");
    return raised.empty();
  }
  static std::string a_closed_port() { return "127.0.0.1:" + std::to_string(free_port()); }
};
INSTANTIATE_TEST_SUITE_P(Stores, Alerts, ::testing::Values(StoreKind::postgres), store_name);

// Half a request holds nearly all of the budget. When it is read after the large one, it is the one that is refused, and gone: hence
// another one for each try.
void post_until_refused(const EilboteProcess& server) {
  const std::string large =
      mail_json("b@example.org", std::string(900, 's'), R"("campaign":")" + std::string(300'000, 'x') + "\"");
  EXPECT_TRUE(eventually([&] {
    const HalfRequest slow(server.url(), "/messages", 1'000'000, R"({"from":")");
    return server.post("/messages", large).status == 429;
  }));
}

TEST_P(Alerts, come_for_jobs_that_bounce_die_are_refused_or_wait) {
  // The full request budget was not seen with a program under ThreadSanitizer; perhaps for the race that post_until_refused tells of,
  // which was not tried there.
  if (is_other_program()) GTEST_SKIP() << "this alert is looked at with the release program only";
  const auto server = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"},
                                    {"EILBOTE_BREAKER_PROBE", "1h"},
                                    {"EILBOTE_HTTP_BUDGET_BYTES", "1MiB"},
                                    {"EILBOTE_HTTP_BODY_BYTES_MAX", "1MiB"}});
  const MailApi api(*server);
  const auto prometheus = watch({address_of(*server)});

  ASSERT_TRUE(api.reaches(api.accept(mail_json("ada@example.org")), "SENT"));
  const std::string left = captured_mails(server->capture_folder()).at(0).message_id;
  const HttpReply bounced =
      server->post("/webhooks/dsn", bounce({.message_id = left, .address = "ada@example.org"}),
                   {{"Content-Type", "message/rfc822"}});
  EXPECT_EQ(bounced.status, 200) << bounced.body;
  EXPECT_TRUE(prometheus->raises("EilboteBounceRate"));

  api.accept(mail_json("a+permanent@example.org"));
  EXPECT_TRUE(prometheus->raises("EilboteDeadRate"));

  post_until_refused(*server);
  EXPECT_TRUE(prometheus->raises("EilboteRefusesWork"));

  const std::string nobody = "http://" + a_closed_port() + "/hook";
  for (int i = 0; i < 15; ++i)
    JobApi(*server).accept(job_json(nobody));
  EXPECT_TRUE(prometheus->raises("EilboteEndpointsDown"));

  api.accept(mail_json("a+route1@example.org"));
  EXPECT_TRUE(prometheus->raises("EilboteBreakerOpen"));

  api.accept(mail_json("late@example.org"));
  PostgresServer::sql(
      database_url(),
      "UPDATE outbox SET next_attempt_at = now() - interval '1 hour' WHERE status = 'queued'");
  EXPECT_TRUE(prometheus->raises("EilboteQueueLate"));
  EXPECT_TRUE(prometheus->raises("EilboteQueueStuck"));
}

TEST_P(Alerts, come_for_instances_that_die_and_for_a_database_that_is_away) {
  const Settings common{{"EILBOTE_LEASE_SECONDS", "3"}, {"EILBOTE_CAPTURE_FAULTS", "by-address"}};
  const auto with_role = [&](const std::string& role, const std::string& name) {
    Settings settings = common;
    settings["EILBOTE_ROLE"] = role;
    return start_server(settings, name);
  };
  const auto front = with_role("api", "front"), one = with_role("worker", "one"),
             two = with_role("worker", "two");
  const auto prometheus = watch({address_of(*front), address_of(*one), address_of(*two)});
  EXPECT_EQ(MailApi(*front).counted(3, "eilbote_instances"), 3);

  const auto holds = [](const EilboteProcess& worker) {
    return MailApi(worker).metric("eilbote_in_flight") > 0;
  };
  MailApi(*front).accept(mail_json("a+stall@example.org"));
  ASSERT_TRUE(eventually([&] { return holds(*one) || holds(*two); }));
  EilboteProcess& holder = holds(*one) ? *one : *two;
  EilboteProcess& other = &holder == one.get() ? *two : *one;
  holder.kill_hard();
  EXPECT_TRUE(prometheus->raises("EilboteLeaseLosses"));
  EXPECT_TRUE(eventually([&] { return !prometheus->alerts().contains("EilboteNoWorker"); }))
      << "there is another one";

  other.kill_hard();
  EXPECT_TRUE(prometheus->raises("EilboteNoWorker"));

  postgres().stop();
  EXPECT_TRUE(prometheus->raises("EilboteStoreErrors"));
  front->kill_hard();
  EXPECT_TRUE(prometheus->raises("EilboteDown"));
  postgres().start();
}

// A function before PostgreSQL's own in the search path is the clock of this database.
TEST_P(Alerts, come_when_the_clocks_disagree) {
  PostgresServer::sql(
      database_url(),
      "CREATE SCHEMA skewed; CREATE FUNCTION skewed.now() RETURNS timestamptz STABLE LANGUAGE sql "
      "AS 'SELECT pg_catalog.now() + interval ''30 seconds'''");
  const auto server = start_server(
      {{"EILBOTE_STORE_URL", database_url() + "?options=-csearch_path%3Dskewed%2Cpg_catalog%2Cpublic"}});
  const Prometheus prometheus(folder_, {address_of(*server)});
  EXPECT_TRUE(prometheus.raises("EilboteClockSkew"));
  EXPECT_NEAR(MailApi(*server).metric("eilbote_clock_skew_seconds"), -30, 1) << "this machine is behind";
}

TEST_P(Alerts, come_for_a_login_that_is_refused_and_secrets_that_end) {
  ScriptedVault vault;
  vault.put("mail/relay", {{"password", "hunter2"}});
  vault.lease(86'400, false);
  write_text_file(folder_ / "vault-token", vault.new_token());
  ScriptedSmtp relay(
      {.replies = {{"EHLO", {"250-relay.example.org\r\n250 AUTH PLAIN"}}, {"AUTH", {"535 5.7.8 no"}}}});
  const auto server = start_server(
      {{"EILBOTE_MAIL_PROVIDER", "smtp"},
       {"EILBOTE_SMTP_URL", "smtp://shop@127.0.0.1:" + std::to_string(relay.port()) + "?tls=off"},
       {"EILBOTE_SMTP_PASSWORD_REF", "vault://mail/relay#password"},
       {"EILBOTE_VAULT_ADDR", vault.addr()},
       {"EILBOTE_VAULT_TOKEN_REF", "file://" + (folder_ / "vault-token")},
       {"EILBOTE_SECRET_TTL", "1s"}});
  const Prometheus prometheus(folder_, {address_of(*server)});
  MailApi(*server).accept(mail_json("ada@example.org"));
  EXPECT_TRUE(prometheus.raises("EilboteRouteAlarm"));
  EXPECT_TRUE(prometheus.raises("EilboteCredentialExpiring"));
  EXPECT_TRUE(prometheus.raises("EilboteCredentialExpired")) << "a day is left";
  EXPECT_FALSE(prometheus.alerts().contains("EilboteSecretsStale"));
  vault.seal(true);
  EXPECT_TRUE(prometheus.raises("EilboteSecretsStale"));
}

TEST_P(Alerts, come_when_graph_gives_no_token) {
  ScriptedHttp entra(
      {{{http_answer(401, R"({"error":"invalid_client","error_description":"AADSTS7000222"})")}}});
  const std::string base = "http://127.0.0.1:" + std::to_string(entra.port());
  write_text_file(folder_ / "graph-secret", "expired-yesterday");
  const auto server =
      start_server({{"EILBOTE_MAIL_PROVIDER", "graph"},
                    {"EILBOTE_GRAPH_BASE_URL", base + "/v1.0"},
                    {"EILBOTE_GRAPH_TOKEN_URL", base + "/token"},
                    {"EILBOTE_GRAPH_TENANT_ID", "contoso.example"},
                    {"EILBOTE_GRAPH_CLIENT_ID", "11111111-2222-3333-4444-555555555555"},
                    {"EILBOTE_GRAPH_CLIENT_SECRET_REF", "file://" + (folder_ / "graph-secret")},
                    {"EILBOTE_GRAPH_SENDERS", "sender@example.org"}});
  const Prometheus prometheus(folder_, {address_of(*server)});
  MailApi(*server).accept(mail_json("ada@example.org"));
  EXPECT_TRUE(prometheus.raises("EilboteGraphRefusesUs"));
}

// The listener of clients speaks TLS, so the metrics have one of their own.
TEST_P(Alerts, come_for_a_certificate_that_ends_and_for_a_broker_and_an_issuer_that_are_away) {
  const TlsIdentity good_for_a_day("127.0.0.1");
  write_text_file(folder_ / "cert.pem", good_for_a_day.certificate());
  write_text_file(folder_ / "key.pem", good_for_a_day.key());
  const std::string metrics = a_closed_port();
  const auto server = start_server({{"EILBOTE_LISTEN_TLS_CERT", folder_ / "cert.pem"},
                                    {"EILBOTE_LISTEN_TLS_KEY", folder_ / "key.pem"},
                                    {"EILBOTE_METRICS_LISTEN", metrics},
                                    {"EILBOTE_TRANSPORT_URL", "amqp://" + a_closed_port()},
                                    {"EILBOTE_AUTH", "oidc"},
                                    {"EILBOTE_OIDC_ISSUER", "http://" + a_closed_port()},
                                    {"EILBOTE_OIDC_AUDIENCE", "eilbote"}});
  const Prometheus prometheus(folder_, {metrics});
  EXPECT_TRUE(prometheus.raises("EilboteCertificateExpiring"));
  EXPECT_TRUE(prometheus.raises("EilboteCertificateExpired"));
  EXPECT_TRUE(prometheus.raises("EilboteBrokerAway"));
  EXPECT_TRUE(prometheus.raises("EilboteIssuerAway"));
}

// The data folder is on a disk of its own, of 64 MB, most of which is taken; in a mount namespace that goes with the server.
TEST_P(Alerts, come_when_the_disk_fills_up) {
  SKIP_BECAUSE(missing_root());
  const auto server = make_server();
  server->wrap([&](const std::vector<std::string>& command) {
    std::vector<std::string> all{"unshare",
                                 "--mount",
                                 "--propagation",
                                 "private",
                                 "sh",
                                 "-c",
                                 "mkdir -p \"$0\" && mount -t tmpfs -o size=64m,mode=700 none \"$0\" && "
                                 "head -c 62000000 /dev/zero >\"$0/filler\" && exec \"$@\"",
                                 server->data_folder()};
    all.insert(all.end(), command.begin(), command.end());
    return all;
  });
  server->start();
  const Prometheus prometheus(folder_, {address_of(*server)});
  EXPECT_TRUE(prometheus.raises("EilboteDiskLow"));
  EXPECT_FALSE(prometheus.alerts().contains("EilboteDiskFull"));
  const std::string inside = "/proc/" + std::to_string(server->process().pid()) + "/root";
  write_text_file(inside + server->data_folder() + "/more", std::string(4'000'000, 'x'));
  EXPECT_TRUE(prometheus.raises("EilboteDiskFull"));
}

TEST_P(Alerts, and_rules_and_metrics_please_promtool) {
  const CommandResult rules =
      promtool({"check", "rules", EILBOTE_SOURCE_DIR "/deploy/prometheus/alerts.yml"});
  EXPECT_EQ(rules.exit_code, 0) << rules.out << rules.err;
  const CommandResult tests =
      promtool({"test", "rules", EILBOTE_SOURCE_DIR "/deploy/prometheus/alerts_test.yml"});
  EXPECT_EQ(tests.exit_code, 0) << tests.out << tests.err;

  const auto server = start_server();
  const MailApi api(*server);
  ASSERT_TRUE(api.reaches(api.accept(mail_json("ada@example.org")), "SENT"));
  ASSERT_TRUE(eventually([&] { return api.metric("eilbote_data_disk_size_bytes") > 0; }));
  write_text_file(folder_ / "scrape", server->get("/metrics").body);
  const CommandResult metrics = promtool({"check", "metrics"}, folder_ / "scrape");
  EXPECT_EQ(metrics.exit_code, 0) << metrics.out << metrics.err;
  EXPECT_EQ(metrics.out + metrics.err, "") << "it has advice";
}

}  // namespace
}  // namespace eilbote::test::alerts_come_when_they_should
