// Bad requests about service accounts and schemas against the running program: each is a 4xx problem that names what is
// wrong, none is a 500, nothing is stored, and no secret that was sent comes back.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "support/eilbote_process.h"
#include "support/temp_folder.h"

namespace eilbote::test::bad_accounts_and_schemas_are_refused {
namespace {

struct BadRequest {
  std::string method, path, body;
  int status;
  std::string names;  // somewhere in the problem
};
using Rows = std::vector<BadRequest>;

// A good account with one member more or one in the place of its own.
BadRequest account(const std::string& member, const std::string& names, int status = 400) {
  std::string text = "{";
  if (!member.starts_with("\"code\"")) text += R"("code":"acme",)";
  if (!member.starts_with("\"name\"")) text += R"("name":"Acme",)";
  return {"POST", "/service-accounts", text + member + "}", status, names};
}
BadRequest credentials(const std::string& member, const std::string& names) {
  return account(R"("webhookCredentials":{)" + member + "}", names);
}
BadRequest schema(const std::string& text, const std::string& names) {
  return {"POST", "/schemas", R"({"name":"order","schema":)" + text + "}", 400, names};
}
BadRequest change(const std::string& body, const std::string& names, int status = 400) {
  return {"PUT", "/service-accounts/good", body, status, names};
}
std::string many(const std::string& text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i)
    all += (i == 0 ? "" : ",") + text;
  return all;
}

Rows accounts() {
  return {{"POST", "/service-accounts", "", 400, "JSON"},
          {"POST", "/service-accounts", "[]", 400, "must be an object"},
          {"POST", "/service-accounts", "{}", 400, "/code"},
          {"POST", "/service-accounts", R"({"code":"acme"})", 400, "/name"},
          account(R"("code":"Acme")", "/code"),
          account(R"("code":"acme--x")", "/code"),
          account(R"("code":"ac me")", "/code"),
          account(R"("code":")" + std::string(51, 'a') + "\"", "/code"),
          account(R"("code":"good")", "code already", 409),
          account(R"("name":"")", "/name"),
          account(R"("name":"a\nb")", "/name"),
          account(R"("name":"\u0000")", "U+0000"),
          account(R"("description":")" + std::string(501, 'd') + "\"", "/description"),
          account(R"("clientIds":["a","a"])", "/clientIds/1"),
          account(R"("clientIds":[""])", "/clientIds/0"),
          account("\"clientIds\":[" + many("\"a\"", 1001) + "]", "/clientIds"),
          account(R"("clientIds":{})", "/clientIds"),
          account(R"("applicationId":7)", "/applicationId"),
          account(R"("active":1)", "/active"),
          account("\"roles\":[" + many(R"({"roleName":"r"})", 51) + "]", "/roles"),
          account(R"("roles":[{"roleName":""}])", "/roles/0/roleName"),
          account(R"("updatedAt":"2026-01-01T00:00:00Z")", "/updatedAt"),
          account(R"("secret":"hunter2")", "unknown field"),
          credentials(R"("authTokenRef":"hunter2")", "/webhookCredentials/authTokenRef"),
          credentials(R"("authTokenRef":"http://hunter2")", "/webhookCredentials/authTokenRef"),
          credentials(R"("authTokenRef":"encrypted://***")", "/webhookCredentials/authTokenRef"),
          credentials(R"("signingSecretRef":"encrypted://hunter2")", "/webhookCredentials/signingSecretRef"),
          credentials(R"("signingSecret":"hunter2")", "/webhookCredentials/signingSecret"),
          credentials(R"("authType":"bearer")", "BEARER, BASIC"),
          credentials(R"("signingAlgorithm":"HMAC_SHA1")", "HMAC_SHA256"),
          credentials(R"("signatureStyle":"svix")", "standard-webhooks, flowcatalyst"),
          {"GET", "/service-accounts?kode=x", "", 400, "code"},
          {"GET", "/service-accounts/nobody", "", 404, "no service account"},
          {"POST", "/service-accounts/nobody/activate", "", 404, "no service account"},
          {"POST", "/service-accounts/nobody/regenerate-secret", "", 404, "no service account"},
          {"DELETE", "/service-accounts/good", "", 405, "PUT"}};
}

Rows changes() {
  return {change("{", "JSON"),
          change(R"({"code":"other"})", "/code"),
          change(R"({"id":"0PXKQ8ZT3M001"})", "/id"),
          change(R"({"name":null})", "/name"),
          change(R"({"webhookCredentials":{"authType":"BASIC"}})", "/webhookCredentials/authType"),
          change(R"({"webhookCredentials":{"authTokenRef":"hunter2"}})", "/webhookCredentials/authTokenRef"),
          change(R"({"updatedAt":"now"})", "/updatedAt"),
          change(R"({"updatedAt":"2020-01-01T00:00:00Z","name":"x"})", "was changed", 409),
          {"PUT", "/service-accounts/nobody", "{}", 404, "no service account"}};
}

Rows schemas() {
  return {{"POST", "/schemas", "{}", 400, "/schema"},
          {"POST", "/schemas", R"({"schema":{}})", 400, "/name"},
          {"POST", "/schemas", R"({"name":"x","schema":{},"id":"x"})", 400, "unknown field"},
          schema("true", "must be a JSON Schema"),
          schema("\"text\"", "must be a JSON Schema"),
          schema(R"({"type":"text"})", "/type"),
          schema(R"({"requird":[]})", "did you mean 'required'"),
          schema(R"({"$ref":"https://example.org/s.json"})", "nothing is fetched"),
          schema(R"({"$ref":"#/$defs/none"})", "not in this schema"),
          schema(R"({"pattern":"("})", "regular expression"),
          schema(R"({"properties":{"a":{"minLength":-1}}})", "/properties/a/minLength"),
          schema(R"({"enum":[")" + std::string(260 * 1024, 'x') + R"("]})", "256 KiB"),
          {"GET", "/schemas/nobody", "", 404, "no schema"},
          {"GET", "/schemas/0000000000001", "", 404, "no schema"},
          {"PUT", "/schemas", "{}", 405, "POST"}};
}

TEST(BadAccountsAndSchemas, are_refused_with_a_problem_that_names_what_is_wrong) {
  const TempFolder folder;
  EilboteProcess server(folder / "data");
  server.start();
  ASSERT_EQ(server.post("/service-accounts", R"({"code":"good","name":"Good"})").status, 201);
  const std::string before = server.get("/service-accounts").body;
  for (auto make : {accounts, changes, schemas})
    for (const BadRequest& row : make()) {
      const HttpReply reply =
          http_request(row.method, server.url() + row.path, row.body, {{"Content-Type", "application/json"}});
      SCOPED_TRACE(row.method + " " + row.path + " " + row.body.substr(0, 200) + "\n" +
                   reply.body.substr(0, 1000));
      EXPECT_EQ(reply.status, row.status);
      EXPECT_EQ(reply.headers.at("content-type"), "application/problem+json");
      EXPECT_NE(reply.body.find(row.names), std::string::npos) << row.names;
      EXPECT_EQ(reply.body.find("hunter2"), std::string::npos) << "what may be a secret is not repeated";
    }
  EXPECT_EQ(server.get("/service-accounts").body, before) << "nothing was stored or changed";
  EXPECT_EQ(server.get("/schemas").body, R"({"data":[]})");
}

}  // namespace
}  // namespace eilbote::test::bad_accounts_and_schemas_are_refused
