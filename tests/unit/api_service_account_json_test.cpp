// Service accounts over JSON: what is read, what is refused by name, and that no secret is shown.
#include "api/service_account_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <set>

#include "api/account_secrets.h"
#include "base/base64.h"

namespace eilbote::api_service_account_json_test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

const TimePoint kNow = *parse_rfc3339("2026-11-16T08:00:00.123Z");

AccountDraft read(const std::string& body, std::vector<Fault>& faults) {
  return read_account(json::parse(body), kNow, faults);
}

TEST(ServiceAccountJsonTest, reads_every_field) {
  std::vector<Fault> faults;
  const AccountDraft draft = read(
      R"({"code":"acme","name":"Acme","description":"d","clientIds":["shop"],"applicationId":null,"active":false,
          "webhookCredentials":{"authType":"BASIC","authTokenRef":"env://T","signingSecretRef":"","signingAlgorithm":
          "HMAC_SHA256","signatureStyle":"flowcatalyst"},"roles":[{"roleName":"r"},{"roleName":"s","assignmentSource":
          "SSO","assignedAt":"2026-01-01T00:00:00Z"}],"updatedAt":"2026-11-16T08:00:00.123Z"})",
      faults);
  ASSERT_TRUE(faults.empty()) << faults[0].pointer << " " << faults[0].detail;
  EXPECT_EQ(draft.code, "acme");
  EXPECT_EQ(draft.application_id, "");
  EXPECT_EQ(draft.client_ids, std::vector<std::string>{"shop"});
  EXPECT_EQ(draft.active, false);
  EXPECT_EQ(draft.auth_type, WebhookAuthType::BASIC);
  EXPECT_EQ(draft.auth_token_ref, "env://T");
  EXPECT_EQ(draft.signing_secret_ref, "") << "none, on purpose";
  EXPECT_EQ(draft.signature_style, SignatureStyle::flowcatalyst);
  ASSERT_EQ(draft.roles->size(), 2U);
  EXPECT_EQ(draft.roles->at(0).assignment_source, "MANUAL");
  EXPECT_EQ(draft.roles->at(0).assigned_at, kNow);
  EXPECT_EQ(draft.roles->at(1).assignment_source, "SSO");
}

TEST(ServiceAccountJsonTest, what_is_left_out_stays) {
  std::vector<Fault> faults;
  ServiceAccount account;
  account.name = "before";
  account.client_ids = {"shop"};
  const AccountDraft draft =
      read(R"({"description":"new","webhookCredentials":{"authTokenRef":null}})", faults);
  EXPECT_EQ(draft.auth_token_ref, std::nullopt);
  EXPECT_EQ(apply_draft(draft, account), std::vector<std::string>{"description"});
  EXPECT_EQ(account.name, "before");
  EXPECT_EQ(account.client_ids.size(), 1U);
  EXPECT_TRUE(apply_draft(draft, account).empty()) << "the same again changes nothing";
}

struct Refused {
  const char* body;
  const char* pointer;
  const char* says;
};
TEST(ServiceAccountJsonTest, refuses_by_name) {
  const Refused all[] = {
      {R"([])", "", "must be an object"},
      {R"({"kode":"x"})", "/kode", "did you mean 'code'"},
      {R"({"id":"x"})", "/id", "set by Eilbote"},
      {R"({"createdAt":"x"})", "/createdAt", "set by Eilbote"},
      {R"({"lastUsedAt":null})", "/lastUsedAt", "set by Eilbote"},
      {R"({"name":7})", "/name", "must be a string"},
      {R"({"name":null})", "/name", "must be a string"},
      {R"({"updatedAt":"yesterday"})", "/updatedAt", "RFC 3339"},
      {R"({"active":"yes"})", "/active", "true or false"},
      {R"({"clientIds":"shop"})", "/clientIds", "must be an array"},
      {R"({"clientIds":[1]})", "/clientIds/0", "must be a string"},
      {R"({"roles":["r"]})", "/roles/0", "must be an object"},
      {R"({"roles":[{}]})", "/roles/0/roleName", "is required"},
      {R"({"roles":[{"roleName":"r","assignedAt":"today"}]})", "/roles/0/assignedAt", "RFC 3339"},
      {R"({"roles":[{"role":"r"}]})", "/roles/0/role", "unknown field"},
      {R"({"webhookCredentials":[]})", "/webhookCredentials", "must be an object"},
      {R"({"webhookCredentials":{"authType":"DIGEST"}})", "/webhookCredentials/authType", "BEARER, BASIC"},
      {R"({"webhookCredentials":{"signatureStyle":"x"}})", "/webhookCredentials/signatureStyle",
       "standard-webhooks"},
      {R"({"webhookCredentials":{"signingAlgorithm":"MD5"}})", "/webhookCredentials/signingAlgorithm",
       "HMAC_SHA256"},
      {R"({"webhookCredentials":{"authToken":"hunter2"}})", "/webhookCredentials/authToken", "authTokenRef"},
      {R"({"webhookCredentials":{"regeneratedAt":null}})", "/webhookCredentials/regeneratedAt",
       "set by Eilbote"}};
  for (const auto& [body, pointer, says] : all) {
    std::vector<Fault> faults;
    read(body, faults);
    ASSERT_FALSE(faults.empty()) << body;
    EXPECT_EQ(faults[0].pointer, pointer) << body;
    EXPECT_THAT(faults[0].detail, HasSubstr(says)) << body;
    EXPECT_THAT(faults[0].detail, Not(HasSubstr("hunter2")));
  }
}

TEST(ServiceAccountJsonTest, shows_references_outside_and_masks_what_is_kept_here) {
  ServiceAccount account;
  account.code = "acme";
  account.credentials.auth_token_ref = "env://TOKEN";
  account.credentials.signing_secret_ref = "encrypted://c2VjcmV0";
  account.credentials.previous_secret_ref = "encrypted:b2xkc2VjcmV0";
  account.credentials.previous_until = kNow;
  const json::object shown = account_json(account);
  const std::string text = json::serialize(shown);
  EXPECT_THAT(text, Not(HasSubstr("c2VjcmV0")));
  const json::object& credentials = shown.at("webhookCredentials").as_object();
  EXPECT_EQ(credentials.at("authTokenRef"), "env://TOKEN");
  EXPECT_EQ(credentials.at("signingSecretRef"), "encrypted://***");
  EXPECT_EQ(credentials.at("previousSecretRef"), "encrypted://***");
  EXPECT_EQ(credentials.at("previousSecretUntil"), "2026-11-16T08:00:00.123Z");
  for (const char* field : {"id", "code", "name", "description", "clientIds", "applicationId", "active",
                            "roles", "lastUsedAt", "createdAt", "updatedAt"})
    EXPECT_TRUE(shown.contains(field)) << field;
  for (const char* field : {"authType", "signingAlgorithm", "signatureStyle", "createdAt", "regeneratedAt"})
    EXPECT_TRUE(credentials.contains(field)) << field;
}

TEST(AccountSecretsTest, have_their_shape_and_are_never_the_same) {
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    const std::string token = new_auth_token(WebhookAuthType::BEARER, "acme").reveal();
    EXPECT_THAT(token, testing::MatchesRegex("fc_[A-Za-z0-9]+"));
    EXPECT_EQ(token.size(), 27U);
    EXPECT_TRUE(seen.insert(token).second);
    const std::string secret = new_signing_secret().reveal();
    EXPECT_TRUE(secret.starts_with("whsec_"));
    EXPECT_EQ(base64_decode(std::string_view(secret).substr(6))->size(), 32U);
    EXPECT_TRUE(seen.insert(secret).second);
  }
  EXPECT_THAT(new_auth_token(WebhookAuthType::BASIC, "acme").reveal(),
              testing::MatchesRegex("acme:fc_[A-Za-z0-9]+"));
}

}  // namespace
}  // namespace eilbote::api_service_account_json_test
