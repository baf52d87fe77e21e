// vault:// against a scripted Vault: every login, the life of a token, every answer Vault is documented to give.
#include "secrets/stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "secrets/local_secrets.h"
#include "support/eventually.h"
#include "support/metric_value.h"
#include "support/scripted_vault.h"
#include "support/temp_folder.h"

namespace eilbote::vault_store_test {
namespace {

using namespace std::chrono_literals;
using test::HttpScene;
using testing::HasSubstr;
using testing::Not;

class VaultStoreTest : public testing::Test {
 protected:
  VaultStoreTest() {
    vault_.put("mail/relay", {{"password", "hunter2"}, {"value", "plain"}, {"user", "shop"}});
    options_.addr = vault_.addr();
    options_.timeout = 5s;
    give_token(vault_.new_token());
  }
  void give_token(const std::string& token) {
    std::ofstream(folder_ / "token", std::ios::trunc) << token << "\n";
    options_.token_ref = "file://" + (folder_ / "token");
  }
  void use_role() {
    vault_.allow_role("mailer", "role-secret");
    std::ofstream(folder_ / "secret-id") << "role-secret";
    options_.token_ref.clear();
    options_.role_id = "mailer";
    options_.secret_id_ref = "file://" + (folder_ / "secret-id");
  }
  SecretStore& store() {
    if (!store_) store_ = make_vault_store(options_, local_, &metrics_);
    return *store_;
  }
  std::string read(const std::string& place) {
    const auto secret = store().fetch(place);
    return secret ? secret->reveal() : "error: " + secret.error().error.message;
  }
  ErrorKind kind_of(const std::string& place) { return store().fetch(place).error().error.kind; }

  test::TempFolder folder_;
  // When the token ends that somebody has to replace; nothing: none was given.
  std::optional<double> token_ends() const {
    return test::metric_value(metrics_,
                              R"(eilbote_credential_expires_timestamp_seconds{credential="vault_token"})");
  }

  test::ScriptedVault vault_;
  Metrics metrics_;
  LocalSecrets local_;
  VaultOptions options_;
  std::unique_ptr<SecretStore> store_;
};

TEST_F(VaultStoreTest, reads_a_key_however_the_path_is_written) {
  for (const char* place : {"mail/relay#password", "secret/data/mail/relay#password",
                            "data/mail/relay#password", "/mail/relay#/password"})
    EXPECT_EQ(read(place), "hunter2") << place;
  EXPECT_EQ(read("mail/relay"), "plain") << "the key `value`, when none is named";
}

TEST_F(VaultStoreTest, reads_an_older_version) {
  vault_.put("mail/relay", {{"password", "hunter3"}});
  EXPECT_EQ(read("mail/relay#password"), "hunter3");
  EXPECT_EQ(read("mail/relay?version=1#password"), "hunter2");
}

TEST_F(VaultStoreTest, says_what_is_not_there) {
  EXPECT_THAT(read("mail/other#password"), HasSubstr("nothing there (404)"));
  EXPECT_EQ(kind_of("mail/other#password"), ErrorKind::not_found);
  EXPECT_THAT(read("mail/relay#pin"), HasSubstr("no key 'pin'"));
  EXPECT_EQ(kind_of("mail/relay#pin"), ErrorKind::not_found);
  vault_.remove("mail/relay");
  EXPECT_THAT(read("mail/relay#password"), HasSubstr("was deleted"));
}

TEST_F(VaultStoreTest, refuses_what_is_no_path) {
  for (const char* place : {"#password", "a/../b#c", "a b#c", "mail/relay?x=1#password", "mail/relay#"})
    EXPECT_EQ(kind_of(place), ErrorKind::invalid) << place;
  EXPECT_EQ(vault_.reads(), 0);
}

TEST_F(VaultStoreTest, logs_in_with_an_app_role_once) {
  use_role();
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  EXPECT_EQ(read("mail/relay#user"), "shop");
  EXPECT_EQ(vault_.logins(), 1);
}

TEST_F(VaultStoreTest, logs_in_with_the_token_of_its_pod) {
  vault_.allow_kubernetes("mailer", "the.pod.jwt");
  std::ofstream(folder_ / "jwt") << "the.pod.jwt";
  options_.token_ref.clear();
  options_.k8s_role = "mailer";
  options_.k8s_token_file = folder_ / "jwt";
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
}

TEST_F(VaultStoreTest, a_refused_login_is_told_without_its_secret) {
  use_role();
  std::ofstream(folder_ / "secret-id", std::ios::trunc) << "another";
  EXPECT_THAT(read("mail/relay#password"),
              testing::AllOf(HasSubstr("login at Vault"), HasSubstr("400"), Not(HasSubstr("another"))));
}

TEST_F(VaultStoreTest, logs_in_again_when_its_token_was_revoked) {
  use_role();
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  vault_.revoke_all();
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  EXPECT_EQ(vault_.logins(), 2);
}

TEST_F(VaultStoreTest, denied_twice_is_denied) {
  vault_.revoke_all();
  EXPECT_THAT(read("mail/relay#password"), HasSubstr("denied access (403: permission denied)"));
  EXPECT_EQ(kind_of("mail/relay#password"), ErrorKind::unavailable);
}

TEST_F(VaultStoreTest, reads_its_token_again_from_the_file_an_agent_keeps) {
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  vault_.revoke_all();
  give_token(vault_.new_token());
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
}

TEST_F(VaultStoreTest, renews_its_token_when_most_of_its_life_is_over) {
  use_role();
  vault_.lease(1, true);
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  EXPECT_EQ(vault_.renewals(), 0);
  EXPECT_TRUE(test::eventually([&] {
    EXPECT_EQ(read("mail/relay#password"), "hunter2");
    return vault_.renewals() > 0;
  }));
  EXPECT_EQ(vault_.logins(), 1);
}

TEST_F(VaultStoreTest, logs_in_again_where_a_token_cannot_be_renewed) {
  use_role();
  vault_.lease(1, false);
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  EXPECT_TRUE(test::eventually([&] {
    EXPECT_EQ(read("mail/relay#password"), "hunter2");
    return vault_.logins() > 1;
  }));
  EXPECT_EQ(vault_.renewals(), 0);
}

TEST_F(VaultStoreTest, names_its_namespace) {
  vault_.need_namespace("team/mail");
  EXPECT_THAT(read("mail/relay#password"), HasSubstr("error"));
  store_.reset();
  options_.name_space = "team/mail";
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
}

TEST_F(VaultStoreTest, every_trouble_has_its_words) {
  struct Case {
    int status;
    const char* words;
  };
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  for (const Case& one : {Case{412, "does not know yet"},
                          {429, "come back later"},
                          {472, "secondary"},
                          {473, "standby"},
                          {500, "trouble"},
                          {501, "not initialised"},
                          {502, "trouble"},
                          {503, "sealed"}}) {
    vault_.answer_all(HttpScene{.answer = test::http_answer(one.status, R"({"errors":["some words"]})")});
    EXPECT_THAT(read("mail/relay#password"), testing::AllOf(HasSubstr(one.words), HasSubstr("some words")));
    EXPECT_EQ(kind_of("mail/relay#password"), ErrorKind::unavailable) << one.status;
  }
}

TEST_F(VaultStoreTest, hears_how_long_to_stay_away) {
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  vault_.answer_all(HttpScene{.answer = test::http_answer(429, "{}", "Retry-After: 7\r\n")});
  EXPECT_EQ(store().fetch("mail/relay#password").error().come_back, 7s);
}

TEST_F(VaultStoreTest, a_slow_vault_is_not_waited_for) {
  options_.timeout = 100ms;
  vault_.answer_all(HttpScene{.answer = "", .then = HttpScene::Then::silence});
  EXPECT_THAT(read("mail/relay#password"), HasSubstr("did not answer in time"));
}

TEST_F(VaultStoreTest, follows_a_standby_to_the_active_one_and_nobody_else) {
  test::ScriptedVault standby;
  const std::string active = vault_.addr();
  options_.addr = standby.addr();
  const auto sends_to = [&](const std::string& location) {
    standby.answer_all(HttpScene{.answer = test::http_answer(307, "", "Location: " + location + "\r\n")});
  };
  sends_to(active + "/v1/auth/token/lookup-self");
  // The token is looked up at the active one; the read is sent to another path, which is not followed.
  EXPECT_THAT(read("mail/relay#password"), HasSubstr("nothing was followed"));
  sends_to(active + "/v1/secret/data/mail/relay");
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  sends_to("ftp://elsewhere/");
  EXPECT_THAT(read("mail/relay#password"), HasSubstr("nothing was followed"));
}

TEST_F(VaultStoreTest, what_is_no_answer_of_vault_is_no_secret) {
  EXPECT_EQ(read("mail/relay#password"), "hunter2");
  for (const char* body : {"", "<html>", "[]", R"({"data":{"password":"x"}})"}) {
    vault_.answer_all(HttpScene{.answer = test::http_answer(200, body)});
    EXPECT_THAT(read("mail/relay#password"), HasSubstr("not that of a KV engine")) << body;
  }
}

TEST_F(VaultStoreTest, shows_when_a_token_ends_that_nobody_renews) {
  vault_.lease(86'400, false);
  ASSERT_EQ(read("mail/relay#password"), "hunter2");
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(token_ends().value_or(0), now + 86'400, 60);
}

TEST_F(VaultStoreTest, shows_no_end_of_a_token_that_is_renewed) {
  vault_.lease(86'400, true);
  ASSERT_EQ(read("mail/relay#password"), "hunter2");
  EXPECT_EQ(token_ends(), std::numeric_limits<double>::infinity());
}

TEST_F(VaultStoreTest, shows_nothing_of_tokens_it_gets_itself) {
  use_role();
  vault_.lease(86'400, false);
  ASSERT_EQ(read("mail/relay#password"), "hunter2");
  EXPECT_EQ(token_ends(), std::nullopt);
}

}  // namespace
}  // namespace eilbote::vault_store_test
