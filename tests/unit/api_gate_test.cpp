// Every route with every scope: the route table against the table of who may do what. A new route without a scope, or
// one that is in no row here, fails.
#include "api/gate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/route_table.h"

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

}  // namespace
}  // namespace eilbote::test::api_gate_test
