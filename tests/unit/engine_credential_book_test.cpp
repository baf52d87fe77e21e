// The credential book: who gets keys, what they are, how fresh they are, and when use is written down.
#include "engine/credential_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/tsid.h"
#include "support/fake_registry.h"

namespace eilbote::engine_credential_book_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// Secrets by name; what is not in it cannot be resolved.
class FakeSecrets final : public SecretSource {
 public:
  std::map<std::string, std::string, std::less<>> all;
  int asked = 0;
  std::set<std::string, std::less<>> coming;  // asked for, not there yet
  std::optional<Result<Secret>> at_hand(std::string_view reference) override {
    if (coming.contains(reference)) return std::nullopt;
    return resolve(reference);
  }
  Result<Secret> resolve(std::string_view reference) override {
    ++asked;
    const auto found = all.find(reference);
    if (found == all.end())
      return fail(ErrorKind::unavailable, "secret " + std::string(reference) + ": away");
    return Secret(found->second);
  }
};

class CredentialBookTest : public testing::Test {
 protected:
  CredentialBookTest() {
    secrets_.all = {{"env://TOKEN", "fc_token"}, {"env://SIGN", "whsec_a2V5"}, {"env://OLD", "old key"}};
    add("acme", {"shop"});
  }
  ServiceAccount& add(const std::string& code, std::vector<std::string> clients) {
    ServiceAccount account;
    account.id = JobId{1000 + static_cast<std::int64_t>(registry_.all_accounts.size())};
    account.code = code;
    account.name = code;
    account.client_ids = std::move(clients);
    account.credentials.auth_token_ref = "env://TOKEN";
    account.credentials.signing_secret_ref = "env://SIGN";
    registry_.all_accounts.push_back(account);
    return registry_.all_accounts.back();
  }
  ServiceAccount& acme() { return registry_.all_accounts[0]; }
  std::string id() { return to_text(acme().id); }

  Credentials ask(const std::string& client = "shop") { return book_.keys_for(id(), ClientName{client}); }
  WebhookKeys keys() { return std::get<WebhookKeys>(ask()); }
  std::string refused(const std::string& client = "shop") {
    return std::get<CredentialsRefused>(ask(client)).text;
  }
  std::string unavailable() { return std::get<CredentialsUnavailable>(ask()).text; }
  std::string default_of(const std::string& client) {
    return book_.default_account(ClientName{client})->value_or("none");
  }

  test::FakeRegistry registry_;
  FakeSecrets secrets_;
  FakeClock clock_;
  CredentialBook book_{registry_, secrets_, clock_};
};

TEST_F(CredentialBookTest, gives_the_header_and_the_key) {
  const WebhookKeys given = keys();
  EXPECT_EQ(given.authorization.reveal(), "Bearer fc_token");
  ASSERT_EQ(given.signing.size(), 1U);
  EXPECT_EQ(given.signing[0].reveal(), "whsec_a2V5");
  EXPECT_EQ(given.style, SignatureStyle::standard_webhooks);
}

TEST_F(CredentialBookTest, is_asked_by_code_too) {
  EXPECT_TRUE(std::holds_alternative<WebhookKeys>(book_.keys_for("acme", ClientName{"shop"})));
}

TEST_F(CredentialBookTest, no_account_is_no_credentials) {
  const auto given = std::get<WebhookKeys>(book_.keys_for("", ClientName{"shop"}));
  EXPECT_TRUE(given.authorization.empty());
  EXPECT_TRUE(given.signing.empty());
  EXPECT_EQ(registry_.account_reads, 0);
}

TEST_F(CredentialBookTest, references_may_be_left_out) {
  acme().credentials.auth_token_ref.clear();
  acme().credentials.signing_secret_ref.clear();
  acme().credentials.signature_style = SignatureStyle::flowcatalyst;
  EXPECT_TRUE(keys().authorization.empty());
  EXPECT_TRUE(keys().signing.empty());
  EXPECT_EQ(keys().style, SignatureStyle::flowcatalyst);
}

TEST_F(CredentialBookTest, basic_takes_user_and_password_or_their_base64) {
  acme().credentials.auth_type = WebhookAuthType::BASIC;
  secrets_.all["env://TOKEN"] = "user:pa:ss";
  EXPECT_EQ(keys().authorization.reveal(), "Basic dXNlcjpwYTpzcw==");
  clock_.advance(61s);
  secrets_.all["env://TOKEN"] = "dXNlcjpwYTpzcw==";
  EXPECT_EQ(keys().authorization.reveal(), "Basic dXNlcjpwYTpzcw==");
  for (const char* neither : {"hunter2", "aHVudGVyMg=="}) {
    clock_.advance(61s);
    secrets_.all["env://TOKEN"] = neither;
    EXPECT_THAT(unavailable(), HasSubstr("user:password"));
    EXPECT_THAT(unavailable(), Not(HasSubstr(neither)));
  }
}

TEST_F(CredentialBookTest, a_token_that_would_break_the_header_is_not_used) {
  secrets_.all["env://TOKEN"] = "a\r\nX-Evil: 1";
  EXPECT_THAT(unavailable(), HasSubstr("control characters"));
}

TEST_F(CredentialBookTest, a_whsec_key_that_is_no_base64_is_not_used) {
  secrets_.all["env://SIGN"] = "whsec_not base64";
  EXPECT_THAT(unavailable(), HasSubstr("whsec_"));
  EXPECT_THAT(unavailable(), Not(HasSubstr("not base64")));
}

TEST_F(CredentialBookTest, refuses_the_unknown_the_inactive_and_the_foreign) {
  EXPECT_THAT(std::get<CredentialsRefused>(book_.keys_for("nobody", ClientName{"shop"})).text,
              HasSubstr("no such"));
  EXPECT_THAT(refused("billing"), HasSubstr("no such service account for this client"));
  acme().active = false;
  book_.forget();
  EXPECT_THAT(refused(), HasSubstr("inactive"));
  acme().active = true;
  acme().client_ids.clear();
  book_.forget();
  EXPECT_THAT(refused(), HasSubstr("no such service account for this client"))
      << "no clients means no client";
}

TEST_F(CredentialBookTest, the_api_may_ask_the_same_without_secrets) {
  secrets_.all.clear();
  EXPECT_TRUE(book_.check(id(), ClientName{"shop"}));
  EXPECT_EQ(book_.check(id(), ClientName{"billing"}).error().kind, ErrorKind::invalid);
  EXPECT_EQ(book_.check("nobody", ClientName{"shop"}).error().kind, ErrorKind::invalid);
  registry_.away = true;
  clock_.advance(2s);
  EXPECT_TRUE(book_.check(id(), ClientName{"shop"})) << "by the last good reading";
  EXPECT_EQ(secrets_.asked, 0);
}

TEST_F(CredentialBookTest, reads_the_registry_once_a_second_at_most) {
  for (int i = 0; i < 100; ++i)
    keys();
  EXPECT_EQ(registry_.account_reads, 1);
  clock_.advance(999ms);
  keys();
  EXPECT_EQ(registry_.account_reads, 1);
  clock_.advance(1ms);
  keys();
  EXPECT_EQ(registry_.account_reads, 2);
}

TEST_F(CredentialBookTest, sees_a_new_account_at_once_and_an_activation_before_it_refuses) {
  keys();
  ServiceAccount& fresh = add("fresh", {"shop"});
  EXPECT_TRUE(std::holds_alternative<WebhookKeys>(book_.keys_for(to_text(fresh.id), ClientName{"shop"})));
  acme().active = false;
  clock_.advance(1s);
  EXPECT_THAT(refused(), HasSubstr("inactive"));
  acme().active = true;
  clock_.advance(100ms);
  keys();
}

TEST_F(CredentialBookTest, sees_a_change_made_here_at_once) {
  keys();
  acme().active = false;
  EXPECT_TRUE(std::holds_alternative<WebhookKeys>(ask())) << "a second may pass elsewhere";
  book_.forget();
  EXPECT_THAT(refused(), HasSubstr("inactive"));
}

TEST_F(CredentialBookTest, goes_on_with_what_it_knows_while_the_registry_is_away) {
  registry_.away = true;
  EXPECT_THAT(unavailable(), HasSubstr("away")) << "nothing is known yet";
  registry_.away = false;
  clock_.advance(1s);
  keys();
  registry_.away = true;
  clock_.advance(1h);
  EXPECT_EQ(keys().signing.size(), 1U);
}

TEST_F(CredentialBookTest, refuses_nobody_for_good_while_the_registry_is_away) {
  acme().active = false;
  EXPECT_THAT(refused(), HasSubstr("inactive"));
  registry_.away = true;
  clock_.advance(1s);
  EXPECT_THAT(unavailable(), HasSubstr("away")) << "it may have been activated meanwhile";
  EXPECT_THAT(std::get<CredentialsUnavailable>(book_.keys_for("unknown", ClientName{"shop"})).text,
              HasSubstr("away"));
  EXPECT_EQ(book_.check("unknown", ClientName{"shop"}).error().kind, ErrorKind::unavailable);
}

TEST_F(CredentialBookTest, keeps_a_secret_for_a_minute_and_then_sees_the_rotation) {
  keys();
  secrets_.all["env://TOKEN"] = "rotated";
  clock_.advance(59s);
  EXPECT_EQ(keys().authorization.reveal(), "Bearer fc_token");
  EXPECT_EQ(secrets_.asked, 2);
  clock_.advance(1s);
  EXPECT_EQ(keys().authorization.reveal(), "Bearer rotated");
}

TEST_F(CredentialBookTest, sees_the_rotation_at_once_when_the_old_keys_were_refused) {
  const WebhookKeys used = keys();
  std::vector<bool> told;
  const auto note = [&](bool changed) { told.push_back(changed); };
  book_.refused(id(), used, note);
  secrets_.all["env://TOKEN"] = "rotated";
  book_.refused(id(), used, note);
  EXPECT_EQ(told, (std::vector<bool>{false, true}));
  EXPECT_EQ(keys().authorization.reveal(), "Bearer rotated");
  book_.refused(id(), keys(), note);
  book_.refused("unknown", used, note);
  EXPECT_EQ(told, (std::vector<bool>{false, true, false, false}));
}

TEST_F(CredentialBookTest, does_not_wait_for_a_secret_that_is_just_being_read) {
  secrets_.coming.insert("env://SIGN");
  const auto away = std::get<CredentialsUnavailable>(ask());
  EXPECT_EQ(away.come_back, 1s);
  secrets_.coming.clear();
  EXPECT_EQ(keys().signing.at(0).reveal(), "whsec_a2V5") << "nothing of that is remembered";
}

TEST_F(CredentialBookTest, asks_ahead_for_secrets_from_afar_and_only_once) {
  acme().credentials.auth_token_ref = "vault://a#b";
  ASSERT_TRUE(book_.begin());
  EXPECT_EQ(secrets_.asked, 1);
  clock_.advance(2s);
  book_.check(id(), ClientName{"shop"});
  EXPECT_EQ(secrets_.asked, 1);
}

TEST_F(CredentialBookTest, a_secret_that_is_away_is_asked_for_again_a_second_later) {
  secrets_.all.erase("env://SIGN");
  EXPECT_THAT(unavailable(), HasSubstr("'acme'"));
  const int asked = secrets_.asked;
  unavailable();
  EXPECT_EQ(secrets_.asked, asked) << "not for every delivery";
  secrets_.all["env://SIGN"] = "key";
  clock_.advance(1s);
  EXPECT_EQ(keys().signing.at(0).reveal(), "key");
}

TEST_F(CredentialBookTest, the_previous_key_signs_along_until_its_time_is_over) {
  acme().credentials.previous_secret_ref = "env://OLD";
  acme().credentials.previous_until = clock_.now() + 24h;
  ASSERT_EQ(keys().signing.size(), 2U);
  EXPECT_EQ(keys().signing[0].reveal(), "whsec_a2V5") << "the current key comes first";
  EXPECT_EQ(keys().signing[1].reveal(), "old key");
  clock_.advance(24h);
  EXPECT_EQ(keys().signing.size(), 1U);
}

TEST_F(CredentialBookTest, a_previous_key_that_is_gone_stops_nothing) {
  acme().credentials.previous_secret_ref = "env://GONE";
  acme().credentials.previous_until = clock_.now() + 24h;
  EXPECT_EQ(keys().signing.size(), 1U);
}

TEST_F(CredentialBookTest, writes_the_last_use_every_ten_seconds) {
  EXPECT_TRUE(book_.flush_used());
  EXPECT_TRUE(registry_.uses.empty()) << "nothing was used";
  keys();
  const TimePoint first = clock_.now();
  EXPECT_TRUE(book_.flush_used());
  ASSERT_EQ(registry_.uses.size(), 1U);
  EXPECT_EQ(registry_.uses[0], std::pair(acme().id, first));
  clock_.advance(9s);
  keys();
  EXPECT_TRUE(book_.flush_used());
  EXPECT_EQ(registry_.uses.size(), 1U);
  clock_.advance(1s);
  EXPECT_TRUE(book_.flush_used());
  ASSERT_EQ(registry_.uses.size(), 2U);
  EXPECT_EQ(registry_.uses[1].second, first + 9s);
  clock_.advance(1h);
  EXPECT_TRUE(book_.flush_used());
  EXPECT_EQ(registry_.uses.size(), 2U) << "what was written is not written again";
}

TEST_F(CredentialBookTest, a_use_that_could_not_be_written_is_not_lost) {
  keys();
  registry_.away = true;
  EXPECT_FALSE(book_.flush_used());
  registry_.away = false;
  EXPECT_TRUE(book_.flush_used());
  EXPECT_EQ(registry_.uses.size(), 1U);
}

TEST_F(CredentialBookTest, finds_the_account_callbacks_go_out_with) {
  EXPECT_EQ(default_of("shop"), id()) << "the only one that lists the client";
  EXPECT_EQ(default_of("nobody"), "none");
  const std::string other = to_text(add("other", {"shop"}).id);
  book_.forget();
  EXPECT_EQ(default_of("shop"), "none") << "two are no default";
  const std::string named = to_text(add("shop", {"shop"}).id);
  book_.forget();
  EXPECT_EQ(default_of("shop"), named) << "the one with the client's name";
  registry_.all_accounts[2].active = false;
  registry_.all_accounts[0].active = false;
  book_.forget();
  EXPECT_EQ(default_of("shop"), other) << "inactive ones do not count";
}

}  // namespace
}  // namespace eilbote::engine_credential_book_test
