// Every route with every scope: the route table against the table of who may do what. A new route without a scope, or
// one that is in no row here, fails.
#include "api/gate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/route_table.h"
#include "support/api_world.h"

namespace eilbote::test::api_gate_test {
namespace {

using enum Scope;

// What is open to all, one by one.
const std::set<std::string> kOpen{"GET /health/live",      "GET /health/ready",    "GET /metrics",
                                  "GET /openapi.yaml",     "POST /webhooks/graph", "GET /console",
                                  "GET /console/settings", "GET /console/{a}",     "GET /console/{a}/{b}"};

// Open to whoever shows a provider's signature: with it alone, or also with a token.
const std::set<std::string> kSignedOnly{"POST /webhooks/provider"};
const std::set<std::string> kAlsoSigned{"POST /webhooks/dsn"};

// Who may do what, by the first words of "METHOD /path"; the longest that fits decides.
const std::map<std::string, std::set<Scope>> kRows{
    {"POST /messages", {mail_send}},
    {"POST /messages/batch", {mail_send}},
    {"DELETE /messages/{id}", {mail_send, ops_admin}},
    {"GET /messages", {mail_status_read, ops_read, ops_admin}},
    {"GET /messages/{id}/content", {ops_admin}},
    {"POST /messages/requeue", {ops_admin}},
    {"POST /messages/{id}/retry", {ops_admin}},
    {"POST /messages/{id}/abandon", {ops_admin}},
    {"POST /internal/dispatch", {mailer_worker}},
    {"POST /dispatch-jobs", {webhook_send}},
    {"POST /dispatch-jobs/requeue", {ops_admin}},
    {"POST /dispatch-jobs/{id}/cancel", {webhook_send, ops_admin}},
    {"POST /dispatch-jobs/{id}/retry", {webhook_send, ops_admin}},
    {"GET /dispatch-jobs", {webhook_status_read, ops_read, ops_admin}},
    {"GET /jobs/{id}/why", {mail_status_read, webhook_status_read, ops_read, ops_admin}},
    {"GET /service-accounts", {ops_admin}},
    {"POST /service-accounts", {ops_admin}},
    {"PUT /service-accounts", {ops_admin}},
    {"GET /schemas", {ops_read, ops_admin}},
    {"POST /schemas", {ops_admin}},
    {"GET /dispatch-pools", {ops_read, ops_admin}},
    {"POST /dispatch-pools", {ops_admin}},
    {"PUT /dispatch-pools", {ops_admin}},
    {"GET /message-groups", {ops_read, ops_admin}},
    {"POST /message-groups", {ops_admin}},
    {"GET /overview", {ops_read, ops_admin}},
    {"GET /queue", {ops_read, ops_admin}},
    {"GET /breakers", {ops_read, ops_admin}},
    {"POST /breakers", {ops_admin}},
    {"GET /audit", {ops_read, ops_admin}},
    {"GET /log-level", {ops_read, ops_admin}},
    {"PUT /log-level", {ops_admin}},
    {"POST /webhooks/dsn", {mailer_worker}},
    {"GET /reports", {ops_read, ops_admin}},
    {"GET /suppressions", {mail_status_read, ops_read, ops_admin}},
    {"POST /suppressions", {ops_admin}},
    {"DELETE /suppressions", {ops_admin}},
};

std::string words(const Route& route) {
  return std::string(route.method) + " " + std::string(route.pattern);
}

const std::set<Scope>* row_of(const std::string& operation) {
  const std::set<Scope>* found = nullptr;
  std::size_t longest = 0;
  for (const auto& [start, scopes] : kRows) {
    const bool fits = operation == start || operation.starts_with(start + "/");
    if (!fits || start.size() < longest) continue;
    longest = start.size();
    found = &scopes;
  }
  return found;
}

TEST(Gate, opens_every_route_to_its_scopes_and_to_no_other) {
  for (const Route& route : route_table()) {
    const std::string operation = words(route);
    const ProviderSigned expected_signed = kSignedOnly.contains(operation)   ? ProviderSigned::only
                                           : kAlsoSigned.contains(operation) ? ProviderSigned::also
                                                                             : ProviderSigned::never;
    EXPECT_EQ(route.provider_signed, expected_signed) << operation;
    if (kOpen.contains(operation) || kSignedOnly.contains(operation)) {
      EXPECT_TRUE(route.scopes.empty()) << operation;
      continue;
    }
    ASSERT_FALSE(route.scopes.empty()) << operation << " has no scope, so anybody could call it";
    const auto* row = row_of(operation);
    ASSERT_NE(row, nullptr) << operation << " is in no row: say here who may call it";
    EXPECT_EQ(admission(route, {}), Admission::refused) << operation;
    for (const auto& [scope, name] : kScopeNames.entries) {
      const bool across = scope == mailer_worker || scope == ops_read || scope == ops_admin;
      const Admission expected = !row->contains(scope) ? Admission::refused
                                 : across              ? Admission::all_clients
                                                       : Admission::own_client;
      EXPECT_EQ(admission(route, {scope}), expected) << operation << " with " << name;
    }
  }
}

TEST(Gate, lets_the_scope_that_opens_a_route_say_whose_jobs_it_is_about) {
  const auto route = [](std::string_view method, std::string_view path) -> const Route& {
    return *find_route(method, path).route;
  };
  const Route& list = route("GET", "/messages");
  EXPECT_EQ(admission(list, {mail_status_read, mailer_worker}), Admission::own_client)
      << "mailer.worker acts across clients, but does not open this";
  EXPECT_EQ(admission(list, {mail_status_read, ops_read}), Admission::all_clients);
  const Route& cancel = route("DELETE", "/messages/0000000000001");
  EXPECT_EQ(admission(cancel, {mail_send, ops_read}), Admission::own_client);
  EXPECT_EQ(admission(cancel, {mail_send, ops_admin}), Admission::all_clients);
}

TEST(Gate, nothing_is_in_the_table_that_is_no_route) {
  for (const auto& [start, scopes] : kRows) {
    bool used = false;
    for (const Route& route : route_table())
      used = used || row_of(words(route)) == &scopes;
    EXPECT_TRUE(used) << start;
  }
}

TEST(Gate, without_tokens_lets_no_page_of_another_site_in) {
  const std::string own = "127.0.0.1:8925";
  struct Case {
    std::string name, method, path, host, origin;  // "-": without the header
    int status;
  };
  const std::vector<Case> cases{
      {"a program", "POST", "/messages/requeue", own, "-", 400},  // for its empty body
      {"a program that names no host", "GET", "/audit", "-", "-", 200},
      {"an empty host", "GET", "/audit", "", "-", 200},
      {"the console", "DELETE", "/messages/0PXKQ8ZT3M001", own, "http://" + own, 204},
      {"the console behind TLS", "DELETE", "/messages/0PXKQ8ZT3M001", own, "https://" + own, 204},
      {"a form of another site", "POST", "/dispatch-pools/slow/suspend", own, "https://evil.example", 400},
      {"a page out of a file", "POST", "/dispatch-pools/slow/suspend", own, "null", 400},
      {"the same machine, another port", "DELETE", "/suppressions/a@b.example", own, "http://127.0.0.1:1",
       400},
      {"only looks", "GET", "/audit", own, "https://evil.example",
       200},  // the browser keeps the answer from the page
      {"IPv6", "GET", "/audit", "[::1]:8925", "-", 200},
      {"a short address", "GET", "/audit", "127.1", "-", 200},
      {"localhost", "GET", "/audit", "LocalHost:8925", "-", 200},
      {"localhost with a dot", "GET", "/audit", "localhost.", "-", 200},
      {"under localhost", "GET", "/audit", "mail.localhost", "-", 200},
      {"a rebound name", "GET", "/audit", "evil.example:8925", "-", 421},
      {"that acts", "POST", "/dispatch-pools/slow/suspend", "evil.example", "http://evil.example", 421},
      {"that looks like localhost", "GET", "/audit", "localhost.evil.example", "-", 421},
      {"and so", "GET", "/audit", "notlocalhost", "-", 421},
      {"and like an address", "GET", "/audit", "127.0.0.1.evil.example", "-", 421},
      {"health by a name", "GET", "/health/live", "eilbote.example:8925", "-", 200},
      {"metrics by a name", "GET", "/metrics", "eilbote.example:8925", "-", 200},
      {"the contract by a name", "GET", "/openapi.yaml", "eilbote.example", "-", 200},
      {"a provider without a signature", "POST", "/webhooks/provider", "eilbote.example", "-", 403},
  };
  for (const Case& c : cases) {
    ApiWorld world;
    decltype(HttpRequest::headers) headers;
    if (c.host != "-") headers.emplace_back("Host", c.host);
    if (c.origin != "-") headers.emplace_back("Origin", c.origin);
    const HttpResponse answer = ApiWorld::ask(world.api(), c.method, c.path, "", std::move(headers)).get();
    EXPECT_EQ(answer.status, c.status) << c.name << ": " << answer.body;
    if (c.status == 421) {
      EXPECT_NE(answer.body.find("EILBOTE_AUTH"), std::string::npos) << c.name;
      EXPECT_EQ(answer.body.find("evil"), std::string::npos) << c.name;
    }
  }
}

TEST(Gate, with_tokens_asks_for_a_token_and_for_nothing_else) {
  class Nobody final : public Authenticator {
   public:
    void authenticate(std::string_view, Done done) override {
      done(tl::unexpected(TokenRefusal{TokenFault::malformed, "it is none"}));
    }
    Result<void> ready() override { return {}; }
  } nobody;
  ApiWorld world;
  world.authenticator = &nobody;
  const auto status = [&](std::string method, std::string path) {
    return ApiWorld::ask(world.api(), std::move(method), std::move(path), "",
                         {{"Host", "eilbote.example"}, {"Origin", "https://other.example"}})
        .get()
        .status;
  };
  EXPECT_EQ(status("GET", "/audit"), 401);
  EXPECT_EQ(status("POST", "/dispatch-pools/slow/suspend"), 401);
}

}  // namespace
}  // namespace eilbote::test::api_gate_test
