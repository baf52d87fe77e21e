// The rules of service accounts, one row per rule.
#include "domain/service_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace eilbote::service_account_test {
namespace {

using testing::HasSubstr;
using testing::Not;

ServiceAccount good() {
  ServiceAccount account;
  account.code = "acme-orders-2";
  account.name = "Acme: Bestellungen für alle";
  account.description = "two\nlines";
  account.client_ids = {"shop"};
  account.roles = {{"webhook-sender", "MANUAL", {}}};
  account.credentials.auth_token_ref = "env://TOKEN";
  account.credentials.signing_secret_ref = "encrypted://AAAA";
  return account;
}

TEST(ServiceAccountTest, a_good_one_has_no_faults) {
  EXPECT_TRUE(check_service_account(good()).empty());
  ServiceAccount bare;
  bare.code = "a";
  bare.name = "A";
  EXPECT_TRUE(check_service_account(bare).empty()) << "the rest is optional";
}

struct Wrong {
  std::string_view pointer;
  std::function<void(ServiceAccount&)> make;
};
const std::vector<Wrong>& wrongs() {
  static const std::vector<Wrong> all{
      {"/code", [](auto& a) { a.code = ""; }},
      {"/code", [](auto& a) { a.code = "Acme"; }},
      {"/code", [](auto& a) { a.code = "-acme"; }},
      {"/code", [](auto& a) { a.code = "acme-"; }},
      {"/code", [](auto& a) { a.code = "acme--orders"; }},
      {"/code", [](auto& a) { a.code = "acme_orders"; }},
      {"/code", [](auto& a) { a.code = std::string(51, 'a'); }},
      {"/name", [](auto& a) { a.name = ""; }},
      {"/name", [](auto& a) { a.name = std::string(101, 'n'); }},
      {"/name", [](auto& a) { a.name = "two\nlines"; }},
      {"/name", [](auto& a) { a.name = "\xff"; }},
      {"/description", [](auto& a) { a.description = std::string(501, 'd'); }},
      {"/description", [](auto& a) { a.description = std::string("a\0b", 3); }},
      {"/clientIds", [](auto& a) { a.client_ids.assign(1'001, "c"); }},
      {"/clientIds/1",
       [](auto& a) {
         a.client_ids = {"shop", ""};
       }},
      {"/clientIds/1",
       [](auto& a) {
         a.client_ids = {"shop", "shop"};
       }},
      {"/clientIds/0", [](auto& a) { a.client_ids = {std::string(256, 'c')}; }},
      {"/applicationId", [](auto& a) { a.application_id = std::string(256, 'a'); }},
      {"/roles", [](auto& a) { a.roles.assign(51, a.roles[0]); }},
      {"/roles/0/roleName", [](auto& a) { a.roles[0].role_name = ""; }},
      {"/roles/0/assignmentSource", [](auto& a) { a.roles[0].assignment_source = ""; }},
      {"/webhookCredentials/authTokenRef", [](auto& a) { a.credentials.auth_token_ref = "hunter2"; }},
      {"/webhookCredentials/authTokenRef", [](auto& a) { a.credentials.auth_token_ref = "env://"; }},
      {"/webhookCredentials/authTokenRef", [](auto& a) { a.credentials.auth_token_ref = "http://x"; }},
      {"/webhookCredentials/authTokenRef", [](auto& a) { a.credentials.auth_token_ref = "env://A\r\nB"; }},
      {"/webhookCredentials/signingSecretRef", [](auto& a) { a.credentials.signing_secret_ref = "whsec_x"; }},
      {"/webhookCredentials/signingSecretRef",
       [](auto& a) { a.credentials.signing_secret_ref = "file://" + std::string(4'100, 'x'); }}};
  return all;
}

TEST(ServiceAccountTest, every_rule_names_its_field) {
  for (const auto& [pointer, make] : wrongs()) {
    ServiceAccount account = good();
    make(account);
    const std::vector<Fault> faults = check_service_account(account);
    ASSERT_EQ(faults.size(), 1U) << pointer;
    EXPECT_EQ(faults[0].pointer, pointer);
  }
}

TEST(ServiceAccountTest, limits_are_allowed_themselves) {
  ServiceAccount account = good();
  account.code = std::string(50, 'a');
  account.name.clear();
  for (int i = 0; i < 100; ++i)
    account.name += "ü";
  account.description = std::string(500, 'd');
  account.application_id = std::string(255, 'a');
  account.roles.assign(50, account.roles[0]);
  account.client_ids.clear();
  for (int i = 0; i < 1'000; ++i)
    account.client_ids.push_back("client-" + std::to_string(i));
  EXPECT_TRUE(check_service_account(account).empty());
}

TEST(ServiceAccountTest, a_literal_secret_is_never_repeated) {
  ServiceAccount account = good();
  account.credentials.auth_token_ref = "hunter2";
  EXPECT_THAT(check_service_account(account).at(0).detail, Not(HasSubstr("hunter2")));
}

TEST(ServiceAccountTest, every_scheme_of_the_seed_is_known) {
  for (const char* reference :
       {"aws-secretsmanager://name", "aws-ssm://name", "gcp-secretmanager://projects/x/secrets/y",
        "vault://a/b#c", "encrypted://QUJD", "encrypted:QUJD", "env://A", "file:///a", "systemd://a"}) {
    ServiceAccount account = good();
    account.credentials.auth_token_ref = reference;
    EXPECT_TRUE(check_service_account(account).empty()) << reference;
  }
}

}  // namespace
}  // namespace eilbote::service_account_test
