// The rules of service accounts. A detail says what would be right and never repeats what was given: it may be a secret
// that was put where its reference belongs.
#include "domain/service_account.h"

#include <fmt/format.h>

#include <set>

#include "base/utf8.h"
#include "domain/secret_reference.h"

namespace eilbote {
namespace {

void check_reference(Faults& check, const char* pointer, std::string_view text) {
  if (text.empty()) return;
  if (!read_secret_reference(text))
    return check.fault(pointer, fmt::format("must be a reference to a secret, not the secret itself: {}",
                                            secret_reference_forms()));
  check.line(text, pointer, kSecretReferenceMax, 1);
}

// ^[a-z0-9]+(-[a-z0-9]+)*$
bool is_code(std::string_view code) {
  bool after_letter = false;
  for (const char c : code) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!letter && !(c == '-' && after_letter)) return false;
    after_letter = letter;
  }
  return after_letter;
}

void check_clients(Faults& check, const std::vector<std::string>& clients) {
  if (!check.count(clients.size(), kAccountClientsMax, "/clientIds")) return;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::string pointer = fmt::format("/clientIds/{}", i);
    check.line(clients[i], pointer, kAccountClientMax, 1);
    if (!seen.insert(clients[i]).second) check.fault(pointer, "is there twice");
  }
}

void check_roles(Faults& check, const std::vector<RoleAssignment>& roles) {
  if (!check.count(roles.size(), kAccountRolesMax, "/roles")) return;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    check.line(roles[i].role_name, fmt::format("/roles/{}/roleName", i), kAccountRoleMax, 1);
    check.line(roles[i].assignment_source, fmt::format("/roles/{}/assignmentSource", i), kAccountRoleMax, 1);
  }
}

}  // namespace

std::vector<Fault> check_service_account(const ServiceAccount& account) {
  Faults check;
  if (!is_code(account.code) || account.code.size() > kAccountCodeMax)
    check.fault("/code",
                fmt::format("must be 1 to {} lower-case letters and digits in parts joined by '-', such "
                            "as acme-orders",
                            kAccountCodeMax));
  check.line(account.name, "/name", kAccountNameMax, 1);
  if (!is_utf8(account.description) || account.description.find('\0') != std::string::npos)
    check.fault("/description", "must be valid UTF-8 without U+0000");
  else if (utf8_length(account.description) > kAccountDescriptionMax)
    check.fault("/description", fmt::format("must be at most {} characters long", kAccountDescriptionMax));
  check_clients(check, account.client_ids);
  check.line(account.application_id, "/applicationId", kAccountApplicationMax);
  check_roles(check, account.roles);
  check_reference(check, "/webhookCredentials/authTokenRef", account.credentials.auth_token_ref);
  check_reference(check, "/webhookCredentials/signingSecretRef", account.credentials.signing_secret_ref);
  return check.take();
}

}  // namespace eilbote
