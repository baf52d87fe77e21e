// Secrets in a Vault are replaced while mails and webhooks are on their way: no restart, no failed mail, no failed delivery.
// And Vault may go away meanwhile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/base64.h"
#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/job_api.h"
#include "support/program.h"
#include "support/scripted_http.h"
#include "support/scripted_smtp.h"
#include "support/scripted_vault.h"
#include "support/temp_folder.h"

namespace eilbote::test::a_rotated_secret_costs_nothing {
namespace {

using namespace std::chrono_literals;

// A password that somebody knows, and somebody else changes.
class Password {
 public:
  explicit Password(std::string text) : text_(std::move(text)) {}
  void set(const std::string& text) {
    const std::lock_guard lock(mutex_);
    text_ = text;
  }
  // Counts those that are wrong.
  bool is(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (text != text_) ++refused_;
    return text == text_;
  }
  int refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
  int refused_ = 0;
};

class ARotatedSecret : public testing::Test {
 protected:
  std::map<std::string, std::string> with_vault(std::map<std::string, std::string> more = {}) {
    vault_.allow_role("mailer", "role-secret");
    std::ofstream(folder_ / "secret-id") << "role-secret";
    // Long enough that nobody looks by himself.
    more.insert({{"EILBOTE_VAULT_ADDR", vault_.addr()},
                 {"EILBOTE_VAULT_ROLE_ID", "mailer"},
                 {"EILBOTE_VAULT_SECRET_ID_REF", "file://" + (folder_ / "secret-id")},
                 {"EILBOTE_SECRET_TTL", "1h"}});
    return more;
  }
  std::unique_ptr<EilboteProcess> start(std::map<std::string, std::string> settings) {
    auto server = std::make_unique<EilboteProcess>(folder_ / "data", std::move(settings));
    server->start();
    return server;
  }
  // Every secret ever used is in none of the logs.
  void expect_silence(const EilboteProcess& server) {
    const std::string log = read_text_file(server.log_file());
    for (const char* secret : {"first-secret", "second-secret", "role-secret", "hvs."})
      EXPECT_EQ(log.find(secret), std::string::npos) << secret;
  }

  TempFolder folder_;
  ScriptedVault vault_;
};

class ARotatedPassword : public ARotatedSecret {
 protected:
  std::optional<std::string> relay_says(const std::string& line) {
    if (line.starts_with("EHLO")) return "250-relay.example.org\r\n250-PIPELINING\r\n250 AUTH PLAIN";
    if (!line.starts_with("AUTH PLAIN ")) return std::nullopt;
    const std::string login = base64_decode(line.substr(11)).value_or("");
    return password_.is(login.substr(login.rfind('\0') + 1)) ? "235 welcome" : "535 5.7.8 no";
  }
  std::map<std::string, std::string> settings() {
    return with_vault({{"EILBOTE_MAIL_PROVIDER", "smtp"},
                       {"EILBOTE_SMTP_URL", fmt::format("smtp://shop@127.0.0.1:{}?tls=off", relay_.port())},
                       {"EILBOTE_SMTP_PASSWORD_REF", "vault://mail/relay#password"},
                       {"EILBOTE_SMTP_MAILS_PER_CONNECTION_MAX", "3"},
                       {"EILBOTE_SECRET_SCHEMES", "vault"}});
  }

  Password password_{"first-secret"};
  ScriptedSmtp relay_{
      SmtpScript{.replies = {}, .decide = [this](const std::string& line) { return relay_says(line); }}};
};

TEST_F(ARotatedPassword, under_load_fails_no_mail) {
  vault_.put("mail/relay", {{"password", "first-secret"}});
  const auto server = start(settings());
  const MailApi api(*server);
  std::vector<std::string> ids;
  for (int i = 0; i < 120; ++i) {
    if (i == 60) {
      vault_.put("mail/relay", {{"password", "second-secret"}});
      password_.set("second-secret");
    }
    ids.push_back(api.accept(mail_json("ann@example.org")));
  }
  for (const std::string& id : ids) {
    ASSERT_TRUE(api.reaches(id, "SENT")) << id << " is " << api.status(id);
    EXPECT_EQ(api.attempts(id).size(), 1U) << id;
  }
  EXPECT_EQ(relay_.messages().size(), ids.size());
  EXPECT_GE(password_.refused(), 1) << "the old password was never refused, so nothing was shown";
  EXPECT_EQ(api.metric("eilbote_messages_failed_total"), 0);
  EXPECT_EQ(api.metric("eilbote_messages_retry_pending_total"), 0);
  expect_silence(*server);
  EXPECT_EQ(server->stop(), 0);
}

TEST_F(ARotatedPassword, is_served_while_vault_is_sealed) {
  vault_.put("mail/relay", {{"password", "first-secret"}});
  const auto server = start(settings());
  const MailApi api(*server);
  vault_.seal(true);
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(api.reaches(api.accept(mail_json("ann@example.org")), "SENT"));
}

TEST_F(ARotatedPassword, may_be_unreadable_at_the_start_and_mails_wait) {
  vault_.put("mail/relay", {{"password", "first-secret"}});
  vault_.seal(true);
  auto options = settings();
  options["EILBOTE_BREAKER_PROBE"] = "200ms";
  const auto server = start(options);
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("ann@example.org"));
  EXPECT_TRUE(eventually([&] { return api.metric("eilbote_breaker_open") == 1; }));
  vault_.seal(false);
  EXPECT_TRUE(api.reaches(id, "SENT"));
}

TEST_F(ARotatedPassword, that_is_not_there_stops_the_start) {
  auto options = settings();
  options["EILBOTE_LISTEN"] = "127.0.0.1:0";
  options["EILBOTE_DATA_DIR"] = folder_ / "data";
  const CommandResult refused = run_command({program_under_test(), "serve"}, options, 30s);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("EILBOTE_SMTP_PASSWORD_REF: secret vault://mail/relay#password"),
            std::string::npos)
      << refused.err;
}

class ARotatedToken : public ARotatedSecret {
 protected:
  HttpScene endpoint_says(const HttpSeen& request) {
    const auto header = request.headers.find("authorization");
    const bool known = header != request.headers.end() && token_.is(header->second);
    return {.answer = http_answer(known ? 200 : 401, known ? "ok" : "who are you?")};
  }

  Password token_{"Bearer first-secret"};
  ScriptedHttp endpoint_{
      HttpScript{.decide = [this](const HttpSeen& request) { return endpoint_says(request); }}};
};

TEST_F(ARotatedToken, under_load_fails_no_delivery) {
  vault_.put("hooks/acme", {{"token", "first-secret"}});
  const auto server = start(with_vault());
  const JobApi api(*server);
  api.post("/service-accounts",
           R"({"code":"acme","name":"Acme","clientIds":["local"],"webhookCredentials":)"
           R"({"authTokenRef":"vault://hooks/acme#token","signingSecretRef":"vault://hooks/acme#token"}})");
  std::vector<std::string> ids;
  for (int i = 0; i < 120; ++i) {
    if (i == 60) {
      vault_.put("hooks/acme", {{"token", "second-secret"}});
      token_.set("Bearer second-secret");
    }
    ids.push_back(api.accept(job_json(endpoint_.url(), R"(,"serviceAccountId":"acme")")));
  }
  for (const std::string& id : ids)
    ASSERT_TRUE(api.reaches(id, "COMPLETED")) << json::serialize(api.job(id));
  EXPECT_GE(token_.refused(), 1) << "the old token was never refused, so nothing was shown";
  EXPECT_EQ(MailApi(*server).metric("eilbote_dead_total"), 0);
  expect_silence(*server);
}

TEST_F(ARotatedToken, that_stays_wrong_fails_the_delivery) {
  vault_.put("hooks/acme", {{"token", "wrong"}});
  const auto server = start(with_vault());
  const JobApi api(*server);
  api.post("/service-accounts", R"({"code":"acme","name":"Acme","clientIds":["local"],"webhookCredentials":)"
                                R"({"authTokenRef":"vault://hooks/acme#token"}})");
  const std::string id = api.accept(job_json(endpoint_.url(), R"(,"serviceAccountId":"acme")"));
  EXPECT_TRUE(api.reaches(id, "ERROR")) << json::serialize(api.job(id));
}

}  // namespace
}  // namespace eilbote::test::a_rotated_secret_costs_nothing
