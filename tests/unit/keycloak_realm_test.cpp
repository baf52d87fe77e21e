// deploy/keycloak/realm-eilbote.json fits the program: a client scope for each of its scopes, the audience that docs/identity.md
// tells, clients that can have tokens for themselves and no more than they need. That a Keycloak imports it is not shown here.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <set>

#include "domain/identity.h"
#include "support/mail_api.h"

namespace eilbote::test::keycloak_realm_test {
namespace {

using Names = std::set<std::string>;

constexpr const char* kConsole = "eilbote-console";  // for people, by PKCE; the others are programs

std::string text_of(const std::string& path) {
  std::ifstream in(std::string(EILBOTE_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

const json::value& realm() {
  static const json::value read = json::parse(text_of("deploy/keycloak/realm-eilbote.json"));
  return read;
}

Names names_in(const json::value& list) {
  Names names;
  for (const json::value& one : list.as_array())
    names.insert(std::string(one.as_string()));
  return names;
}

// Keycloak's attributes are texts.
bool in_token_scope(const json::value& scope) {
  return text_at(scope, "/attributes/include.in.token.scope") == "true";
}

TEST(KeycloakRealm, has_each_scope_of_the_program_and_no_other) {
  Names told, known;
  for (const json::value& scope : realm().at("clientScopes").as_array()) {
    EXPECT_EQ(text_at(scope, "/protocol"), "openid-connect");
    EXPECT_FALSE(text_at(scope, "/description").empty());
    if (in_token_scope(scope)) told.insert(text_at(scope, "/name"));
  }
  for (const auto& [scope, name] : kScopeNames.entries)
    known.insert(std::string(name));
  EXPECT_EQ(told, known);
}

TEST(KeycloakRealm, puts_the_audience_into_every_token) {
  const std::string page = text_of("docs/identity.md");
  int audiences = 0;
  for (const json::value& scope : realm().at("clientScopes").as_array()) {
    if (in_token_scope(scope)) continue;
    const std::string name = text_at(scope, "/name");
    EXPECT_TRUE(names_in(realm().at("defaultDefaultClientScopes")).contains(name))
        << "new clients lack " << name;
    for (const json::value& client : realm().at("clients").as_array())
      EXPECT_TRUE(names_in(client.at("defaultClientScopes")).contains(name))
          << text_at(client, "/clientId") << " lacks " << name;
    for (const json::value& mapper : scope.at("protocolMappers").as_array()) {
      EXPECT_EQ(text_at(mapper, "/protocol"), "openid-connect");
      EXPECT_EQ(text_at(mapper, "/config/access.token.claim"), "true");
      if (text_at(mapper, "/protocolMapper") != "oidc-audience-mapper") continue;
      ++audiences;
      const std::string audience = text_at(mapper, "/config/included.custom.audience");
      EXPECT_NE(page.find("EILBOTE_OIDC_AUDIENCE=" + audience + " "), std::string::npos) << audience;
      EXPECT_NE(page.find("custom audience `" + audience + "`"), std::string::npos) << audience;
    }
  }
  EXPECT_EQ(audiences, 1);
}

TEST(KeycloakRealm, gives_each_client_what_it_needs) {
  const Names application{"eilbote-audience", std::string(kScopeNames.text(Scope::mail_send)),
                          std::string(kScopeNames.text(Scope::mail_status_read))};
  const Names worker{"eilbote-audience", std::string(kScopeNames.text(Scope::mailer_worker))};
  const std::map<std::string, Names> want{
      {"surveyweb", application}, {"ciret", application}, {"fomo", application}, {"airflow", worker}};
  std::map<std::string, Names> told;
  for (const json::value& client : realm().at("clients").as_array()) {
    const std::string id = text_at(client, "/clientId");
    if (id == kConsole) continue;
    told[id] = names_in(client.at("defaultClientScopes"));
    EXPECT_TRUE(client.at("optionalClientScopes").as_array().empty()) << id;
    // Tokens for itself with a secret, and no other way to get one.
    for (const auto& [field, value] :
         std::map<std::string, std::string>{{"enabled", "true"},
                                            {"protocol", "openid-connect"},
                                            {"publicClient", "false"},
                                            {"clientAuthenticatorType", "client-secret"},
                                            {"serviceAccountsEnabled", "true"},
                                            {"standardFlowEnabled", "false"},
                                            {"implicitFlowEnabled", "false"},
                                            {"directAccessGrantsEnabled", "false"},
                                            {"fullScopeAllowed", "false"}})
      EXPECT_EQ(text_at(client, "/" + field), value) << id << ": " << field;
    EXPECT_FALSE(has(client, "/secret"))
        << id << ": a secret in a file that everybody has; Keycloak makes one";
  }
  EXPECT_EQ(told, want);
}

TEST(KeycloakRealm, lets_people_into_the_console_without_a_secret) {
  const json::value* console = nullptr;
  for (const json::value& client : realm().at("clients").as_array())
    if (text_at(client, "/clientId") == kConsole) console = &client;
  ASSERT_NE(console, nullptr);
  for (const auto& [field, value] :
       std::map<std::string, std::string>{{"enabled", "true"},
                                          {"publicClient", "true"},
                                          {"serviceAccountsEnabled", "false"},
                                          {"standardFlowEnabled", "true"},
                                          {"implicitFlowEnabled", "false"},
                                          {"directAccessGrantsEnabled", "false"},
                                          {"fullScopeAllowed", "false"},
                                          {"attributes/pkce.code.challenge.method", "S256"}})
    EXPECT_EQ(text_at(*console, "/" + field), value) << field;
  EXPECT_EQ(names_in(console->at("redirectUris")), Names{"https://eilbote.example.org/console/login"});
  EXPECT_EQ(names_in(console->at("webOrigins")), Names{"https://eilbote.example.org"});
  const Names of_people{std::string(kScopeNames.text(Scope::ops_read)),
                        std::string(kScopeNames.text(Scope::ops_admin))};
  EXPECT_EQ(names_in(console->at("optionalClientScopes")), of_people);
}

// A scope that no role guards is given to everybody the realm knows.
TEST(KeycloakRealm, gives_the_scopes_of_operators_by_role_only) {
  Names roles;
  for (const json::value& role : realm().at_pointer("/roles/realm").as_array())
    roles.insert(text_at(role, "/name"));
  std::map<std::string, Names> guarded;
  for (const json::value& mapping : realm().at("scopeMappings").as_array()) {
    guarded[text_at(mapping, "/clientScope")] = names_in(mapping.at("roles"));
    for (const std::string& role : names_in(mapping.at("roles")))
      EXPECT_TRUE(roles.contains(role)) << role << " is no role of the realm";
  }
  const std::map<std::string, Names> want{
      {std::string(kScopeNames.text(Scope::ops_read)), {"eilbote-viewer", "eilbote-operator"}},
      {std::string(kScopeNames.text(Scope::ops_admin)), {"eilbote-operator"}}};
  EXPECT_EQ(guarded, want);
}

TEST(KeycloakRealm, has_what_keycloak_needs_and_short_tokens) {
  EXPECT_EQ(text_at(realm(), "/realm"), "eilbote");
  EXPECT_EQ(text_at(realm(), "/enabled"), "true");
  EXPECT_EQ(text_at(realm(), "/defaultSignatureAlgorithm"), "RS256");
  EXPECT_EQ(text_at(realm(), "/registrationAllowed"), "false");
  // Tokens cannot be revoked one by one (docs/identity.md).
  EXPECT_GE(number_at(realm(), "/accessTokenLifespan"), 60);
  EXPECT_LE(number_at(realm(), "/accessTokenLifespan"), 300);
}

}  // namespace
}  // namespace eilbote::test::keycloak_realm_test
