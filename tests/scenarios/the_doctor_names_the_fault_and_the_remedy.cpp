// `eilbote doctor` on broken set-ups, each made of real parts: it names what is wrong, says what to do, and ends with 1. On a
// sound one it ends with 0. What hangs is a finding within seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "support/client_certificate.h"
#include "support/fake_issuer.h"
#include "support/loopback_listener.h"
#include "support/pgbouncer.h"
#include "support/program.h"
#include "support/rabbit_server.h"
#include "support/raw_sql.h"
#include "support/scripted_graph.h"
#include "support/scripted_smtp.h"
#include "support/server_packages.h"
#include "support/test_store.h"

namespace eilbote::test::the_doctor_names_the_fault_and_the_remedy {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using Words = std::vector<std::string>;

// A server of these tests' own, since they need logins by password and a small max_connections.
class Database {
 public:
  Database() {
    fs::permissions(folder_.path(), fs::perms(0755));
    std::ofstream(folder_ / "hba") << "host all strict 127.0.0.1/32 scram-sha-256\n"
                                      "host all all 127.0.0.1/32 trust\n";
    server_ = std::make_unique<PostgresServer>(PostgresOptions{
        .fsync = true, .settings = {{"hba_file", folder_ / "hba"}, {"max_connections", "20"}}});
    PostgresServer::sql(server_->url(), "CREATE ROLE strict LOGIN PASSWORD 'right'");
    template_ = server_->create_database();
    const CommandResult made =
        run_command({program_under_test(), "migrate"}, {{"EILBOTE_STORE_URL", template_}});
    if (made.exit_code != 0) throw std::runtime_error(made.err);
  }
  static Database& shared() {
    static Database database;
    return database;
  }
  PostgresServer& server() { return *server_; }
  // A copy of the migrated one, to which this was done.
  std::string broken_by(const std::string& sql) {
    std::string url = server_->create_database(template_.substr(template_.rfind('/') + 1));
    if (!sql.empty()) PostgresServer::sql(url, sql);
    return url;
  }

 private:
  TempFolder folder_;
  std::unique_ptr<PostgresServer> server_;
  std::string template_;
};

class TheDoctor : public testing::Test {
 protected:
  TheDoctor() {
    fs::create_directory(data_folder());
    fs::permissions(data_folder(), fs::perms(0700));
  }

  std::string data_folder() const { return folder_ / "data"; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  CommandResult doctor(Settings settings, const Words& more = {}) const {
    settings.try_emplace("EILBOTE_DATA_DIR", data_folder());
    Words command{program_under_test(), "doctor"};
    command.insert(command.end(), more.begin(), more.end());
    return run_command(command, settings, 30s);
  }
  // The error that has all these words in what was seen, and in what to do.
  void expect_error(const Settings& settings, const Words& seen, const Words& advice) const {
    const CommandResult result = doctor(settings, {"--json"});
    EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
    expect_finding(result.out, "error", seen, advice);
  }
  static void expect_finding(const std::string& out, const std::string& severity, const Words& seen,
                             const Words& advice) {
    const auto holds = [](const std::string& text, const Words& words) {
      return std::all_of(words.begin(), words.end(),
                         [&](const std::string& word) { return text.find(word) != std::string::npos; });
    };
    const json::value answer = json::parse(out);
    for (const json::value& one : answer.at("findings").as_array())
      if (text_at(one, "/severity") == severity &&
          holds(text_at(one, "/what") + ": " + text_at(one, "/seen"), seen) &&
          holds(text_at(one, "/advice"), advice))
        return;
    ADD_FAILURE() << "no " << severity << " with " << testing::PrintToString(seen) << " and the advice "
                  << testing::PrintToString(advice) << " in\n"
                  << out;
  }

  const TempFolder folder_;
};

struct BrokenSetUp {
  const char* name;
  Settings settings;
  Words seen, advice;
};

TEST_F(TheDoctor, on_this_machine) {
  const std::string short_key = "file://" + file("short.key", "");
  const BrokenSetUp set_ups[] = {
      {"an option nobody knows",
       {{"EILBOTE_LEASE_SECOND", "5"}},
       {"configuration", "EILBOTE_LEASE_SECOND; did you mean EILBOTE_LEASE_SECONDS?"},
       {"eilbote config"}},
      {"a value that is none",
       {{"EILBOTE_LEASE_SECONDS", "soon"}},
       {"EILBOTE_LEASE_SECONDS", "'soon'"},
       {"eilbote describe options"}},
      {"a data folder that cannot be made",
       {{"EILBOTE_DATA_DIR", "/proc/nowhere/data"}},
       {"data folder", "/proc/nowhere/data is not there", "/proc cannot be written to"},
       {"EILBOTE_DATA_DIR", "install -d"}},
      {"a data folder that only reads",
       {{"EILBOTE_DATA_DIR", "/sys"}},
       {"/sys cannot be written to"},
       {"EILBOTE_DATA_DIR"}},
      {"a secret that is not there",
       {{"EILBOTE_PROVIDER_SECRET_REF", "env://EILBOTE_TEST_NO_SUCH"}},
       {"EILBOTE_PROVIDER_SECRET_REF", "env://EILBOTE_TEST_NO_SUCH", "not set"},
       {"Put the secret"}},
      {"a secret that is empty",
       {{"EILBOTE_PROVIDER_SECRET_REF", short_key}},
       {"is empty"},
       {"eilbote secret check"}},
      {"authorities that are none",
       {{"EILBOTE_WEBHOOK_CA_FILE", file("ca.pem", "not PEM\n")}},
       {"EILBOTE_WEBHOOK_CA_FILE", "no certificate in PEM"},
       {"must name a PEM file"}},
      {"a store that is no database",
       {{"EILBOTE_STORE_URL", "sqlite:" + file("garbage.db", std::string(8192, 'x'))}},
       {"database", "not a database"},
       {"eilbote backup"}},
  };
  for (const BrokenSetUp& one : set_ups) {
    SCOPED_TRACE(one.name);
    expect_error(one.settings, one.seen, one.advice);
  }
}

TEST_F(TheDoctor, on_a_sqlite_file_of_a_newer_program_and_a_key_that_others_can_read) {
  ASSERT_EQ(run_command({program_under_test(), "migrate"}, {{"EILBOTE_DATA_DIR", data_folder()}}).exit_code,
            0);
  const CommandResult sound = doctor({}, {"--json"});
  EXPECT_EQ(sound.exit_code, 0) << sound.out;
  expect_finding(sound.out, "ok", {"database integrity", "whole"}, {});
  expect_finding(sound.out, "ok", {"database journal", "WAL"}, {});
  ASSERT_EQ(run_command({"sh", "-c", "printf x | \"$0\" secret encrypt", program_under_test()},
                        {{"EILBOTE_DATA_DIR", data_folder()}})
                .exit_code,
            0);
  for (const auto& entry : fs::directory_iterator(data_folder()))
    if (entry.path().extension() == ".key") fs::permissions(entry.path(), fs::perms(0644));
  expect_error({}, {"key file", "mode 644"}, {"chmod 0600"});
  open_raw_sqlite(data_folder() + "/eilbote.db")
      ->run(
          "INSERT INTO schema_migrations SELECT '999_contract_future', applied_at FROM schema_migrations "
          "LIMIT 1");
  expect_error({}, {"database schema", "999_contract_future", "newer"}, {"newer one"});
}

TEST_F(TheDoctor, on_certificates) {
  const TlsIdentity one("127.0.0.1"), other("127.0.0.1");
  const auto listens = [&](const std::string& certificate, const std::string& key) {
    return Settings{{"EILBOTE_LISTEN_TLS_CERT", file("cert.pem", certificate)},
                    {"EILBOTE_LISTEN_TLS_KEY", file("key.pem", key)}};
  };
  expect_error(listens(one.certificate(), other.key()), {"not the key of the certificate"},
               {"openssl x509", "EILBOTE_LISTEN_TLS_KEY"});
  expect_error(listens("nothing", one.key()), {"cert.pem", "no certificate in PEM"},
               {"EILBOTE_LISTEN_TLS_CERT"});
  const PrivateKey key = ec_key();
  expect_error(listens(certificate_pem(certificate_of(key)), key_pem(key)), {"expired on 2026-01-"},
               {"new certificate", "SIGHUP"});
  const CommandResult soon = doctor(listens(one.certificate(), one.key()), {"--json"});
  EXPECT_EQ(soon.exit_code, 0) << "a warning is no error: " << soon.out;
  expect_finding(soon.out, "warning", {"certificate of the listener", "expires on"}, {"Renew"});
}

TEST_F(TheDoctor, on_postgres) {
  Database& database = Database::shared();
  PostgresServer& server = database.server();
  const std::string port = std::to_string(server.port());
  const Settings wrong_password{{"EILBOTE_STORE_URL", "postgresql://strict@127.0.0.1:" + port + "/postgres"},
                                {"EILBOTE_STORE_PASSWORD_REF", "file://" + file("password", "hunter2")}};
  const std::string fresh = database.broken_by("");
  const auto at = [](const std::string& url) { return Settings{{"EILBOTE_STORE_URL", url}}; };
  const BrokenSetUp set_ups[] = {
      {"a wrong port",
       at("postgresql://me@127.0.0.1:1/outbox"),
       {"database", "Connection refused"},
       {"EILBOTE_STORE_URL", "listen_addresses"}},
      {"a wrong password",
       wrong_password,
       {"password authentication failed"},
       {"EILBOTE_STORE_PASSWORD_REF"}},
      {"a database that is not there",
       at(server.url("nowhere")),
       {"does not exist"},
       {"Create the database"}},
      {"no schema",
       at(server.create_database()),
       {"database schema", "(none) is older"},
       {"eilbote migrate"}},
      {"a schema behind",
       at(database.broken_by(
           "DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)")),
       {"database schema", "older"},
       {"eilbote migrate"}},
      {"a schema ahead",
       at(database.broken_by("INSERT INTO schema_migrations (name) VALUES ('999_contract_future')")),
       {"999_contract_future", "newer"},
       {"newer one"}},
      {"the claim without its index",
       at(database.broken_by("DROP INDEX outbox_ready")),
       {"database plans", "outbox_ready"},
       {"REINDEX"}},
      {"no vacuum",
       at(database.broken_by("ALTER TABLE outbox SET (autovacuum_enabled = off)")),
       {"database vacuum", "autovacuum is off"},
       {"RESET (autovacuum_enabled)"}},
      {"commits that a crash may lose",
       at(database.broken_by("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', "
                             "current_database()); END $$")),
       {"database durability"},
       {"set both to on"}},
      {"more connections than the server has",
       {{"EILBOTE_STORE_URL", fresh}, {"EILBOTE_STORE_CONNECTIONS", "40"}},
       {"database connections", "Eilbote may take 41"},
       {"max_connections to at least 44", "EILBOTE_STORE_CONNECTIONS"}},
  };
  for (const BrokenSetUp& one : set_ups) {
    SCOPED_TRACE(one.name);
    expect_error(one.settings, one.seen, one.advice);
  }
  const CommandResult sound = doctor(at(fresh));
  EXPECT_EQ(sound.exit_code, 0) << sound.out;
  EXPECT_THAT(sound.out, testing::HasSubstr("the claim goes by its index"));
  EXPECT_THAT(sound.out, testing::HasSubstr("0 errors"));
  EXPECT_THAT(sound.out, testing::ContainsRegex("database connections: [1-4] of 17 are in use"))
      << "the server's own processes are no connections";
  EXPECT_EQ(doctor(wrong_password).out.find("hunter2"), std::string::npos);
}

TEST_F(TheDoctor, on_a_pooler_that_listen_does_not_get_through) {
  SKIP_BECAUSE(PgBouncer::missing());
  const std::string direct = Database::shared().broken_by("");
  const PgBouncer pooler(Database::shared().server().port());
  Settings settings{{"EILBOTE_STORE_URL", pooler.url_of(direct)}};
  const CommandResult through = doctor(settings, {"--json"});
  EXPECT_EQ(through.exit_code, 0) << through.out;
  expect_finding(through.out, "warning", {"database pooler"}, {"EILBOTE_STORE_LISTEN_URL"});
  expect_finding(through.out, "ok", {"database plans", "goes by its index"}, {});
  settings["EILBOTE_STORE_LISTEN_URL"] = direct;
  EXPECT_EQ(doctor(settings).out.find("database pooler"), std::string::npos);
}

TEST_F(TheDoctor, on_the_way_out_for_mail) {
  const TlsIdentity identity("127.0.0.1");
  SmtpScript refusing;
  refusing.tls = &identity;
  refusing.replies = {{"EHLO", {"250-relay\r\n250 STARTTLS", "250-relay\r\n250 AUTH PLAIN"}},
                      {"AUTH", {"535 5.7.8 no"}}};
  const ScriptedSmtp relay(refusing), plain(SmtpScript{{{"EHLO", {"250 relay"}}}});
  const std::string password = "file://" + file("password", "hunter2"),
                    trusted = file("ca.pem", identity.certificate());
  const auto by = [](const std::string& url, Settings more = {}) {
    more.insert({{"EILBOTE_MAIL_PROVIDER", "smtp"}, {"EILBOTE_SMTP_URL", url}});
    return more;
  };
  const std::string at_relay = "127.0.0.1:" + std::to_string(relay.port());
  expect_error(by("smtp://127.0.0.1:1"), {"relay (smtp)", "Connection refused"}, {"is the port right"});
  expect_error(by("smtp://127.0.0.1:" + std::to_string(plain.port())), {"relay (smtp)", "STARTTLS"}, {"TLS"});
  expect_error(by("smtp://" + at_relay), {"relay (smtp)", "certificate"}, {"EILBOTE_SMTP_CA_FILE"});
  const ScriptedSmtp login(refusing);
  expect_error(by("smtp://shop@127.0.0.1:" + std::to_string(login.port()),
                  {{"EILBOTE_SMTP_PASSWORD_REF", password}, {"EILBOTE_SMTP_CA_FILE", trusted}}),
               {"relay (smtp)", "535 5.7.8 no"}, {"wrong"});

  ScriptedGraph tenant;
  expect_error({{"EILBOTE_MAIL_PROVIDER", "graph"},
                {"EILBOTE_GRAPH_BASE_URL", tenant.base_url()},
                {"EILBOTE_GRAPH_TOKEN_URL", tenant.token_url()},
                {"EILBOTE_GRAPH_TENANT_ID", tenant.tenant_id()},
                {"EILBOTE_GRAPH_CLIENT_ID", tenant.options().client_id},
                {"EILBOTE_GRAPH_CLIENT_SECRET_REF", password}},
               {"Microsoft Graph", "invalid_client"}, {"renew the secret"});
}

TEST_F(TheDoctor, on_the_issuer_of_tokens) {
  const auto of = [](const std::string& issuer) {
    return Settings{
        {"EILBOTE_AUTH", "oidc"}, {"EILBOTE_OIDC_ISSUER", issuer}, {"EILBOTE_OIDC_AUDIENCE", "eilbote"}};
  };
  expect_error(of("http://127.0.0.1:1"), {"issuer", "Connection refused"}, {"EILBOTE_OIDC_ISSUER", "curl"});
  FakeIssuer issuer;
  issuer.publish({SigningKey::ec("one").jwk()});
  expect_finding(doctor(of(issuer.url()), {"--json"}).out, "ok", {"issuer", "1 keys"}, {});
  FakeIssuer slow;  // the keys take a while, and then it says nothing more
  slow.publish({SigningKey::ec("one").jwk()});
  slow.delay_keys(1500ms);
  slow.hang_after_keys();
  const CommandResult patient = doctor(of(slow.url()), {"--json"});
  EXPECT_EQ(patient.exit_code, 0) << patient.out;
  expect_finding(patient.out, "ok", {"issuer", "1 keys"}, {});
  expect_finding(patient.out, "ok", {"clock of the issuer", "within 4s"}, {});
  const std::string document =
      R"({"issuer":")" + issuer.url() + R"(","jwks_uri":")" + issuer.url() + R"(/keys"})";
  issuer.set_discovery(http_answer(200, document, "Date: Mon, 01 Jan 2024 00:00:00 GMT\r\n"));
  expect_error(of(issuer.url()), {"clock of the issuer", "ahead of it"}, {"NTP"});
  issuer.discover(R"({"issuer":"https://other.example.org","jwks_uri":")" + issuer.url() + R"(/keys"})");
  expect_error(of(issuer.url()), {"issuer", "another issuer"}, {"exactly the `issuer`"});
}

TEST_F(TheDoctor, on_a_console_that_lets_nobody_in) {
  FakeIssuer issuer;
  issuer.publish({SigningKey::ec("one").jwk()});
  Settings settings{
      {"EILBOTE_AUTH", "oidc"}, {"EILBOTE_OIDC_ISSUER", issuer.url()}, {"EILBOTE_OIDC_AUDIENCE", "eilbote"}};
  expect_finding(doctor(settings, {"--json"}).out, "warning", {"console", "nobody can log in"},
                 {"EILBOTE_CONSOLE_CLIENT_ID", "EILBOTE_CONSOLE=off"});
  settings["EILBOTE_CONSOLE_CLIENT_ID"] = "eilbote-console";
  expect_finding(doctor(settings, {"--json"}).out, "ok", {"console", "eilbote-console"}, {});
}

TEST_F(TheDoctor, on_a_broker) {
  const Settings away{{"EILBOTE_TRANSPORT_URL", "amqp://shop@127.0.0.1:1/"},
                      {"EILBOTE_TRANSPORT_PASSWORD_REF", "file://" + file("password", "hunter2")}};
  expect_error(away, {"broker", "refused"}, {"Start the broker", "EILBOTE_TRANSPORT_URL"});
  SKIP_BECAUSE(RabbitServer::missing());
  RabbitServer& rabbit = RabbitServer::shared();
  std::string url = rabbit.url(rabbit.new_vhost());
  const std::string password = ":" + std::string(RabbitServer::kPassword);
  url.erase(url.find(password), password.size());
  Settings wrong = away;
  wrong["EILBOTE_TRANSPORT_URL"] = url;
  expect_error(wrong, {"broker", "login"}, {"EILBOTE_TRANSPORT_PASSWORD_REF"});
  wrong["EILBOTE_TRANSPORT_PASSWORD_REF"] = "file://" + file("password", RabbitServer::kPassword);
  expect_finding(doctor(wrong, {"--json"}).out, "ok", {"broker", "connected"}, {});
}

TEST_F(TheDoctor, on_what_takes_a_connection_and_says_nothing) {
  const LoopbackListener silent;
  const std::string place = "127.0.0.1:" + std::to_string(silent.port());
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult result =
      doctor({{"EILBOTE_MAIL_PROVIDER", "smtp"},
              {"EILBOTE_SMTP_URL", "smtp://" + place},
              {"EILBOTE_STORE_URL", "postgresql://me@" + place + "/outbox?connect_timeout=60"},
              {"EILBOTE_AUTH", "oidc"},
              {"EILBOTE_OIDC_ISSUER", "http://" + place},
              {"EILBOTE_OIDC_AUDIENCE", "eilbote"}},
             {"--json"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 12s);
  EXPECT_EQ(result.exit_code, 1);
  expect_finding(result.out, "error", {"database: no answer within 5s"}, {"does not answer"});
  expect_finding(result.out, "error", {"relay (smtp)"}, {});
  expect_finding(result.out, "error", {"issuer"}, {});
}

}  // namespace
}  // namespace eilbote::test::the_doctor_names_the_fault_and_the_remedy
