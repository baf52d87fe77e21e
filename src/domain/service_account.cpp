// The rules of service accounts. A detail says what would be right and never repeats what was given: it may be a secret
// that was put where its reference belongs.
#include "domain/service_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "domain/secret_reference.h"

namespace eilbote {
namespace {

class Check {
 public:
  std::vector<Fault> take() { return std::move(faults_); }

  void fault(std::string pointer, std::string detail) {
    faults_.push_back(Fault{std::move(pointer), std::move(detail)});
  }

  // One line of at least `min` and at most `max` characters.
  void line(const std::string& pointer, std::string_view text, std::size_t min, std::size_t max) {
    const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (!is_utf8(text)) return fault(pointer, "must be valid UTF-8");
    if (std::any_of(text.begin(), text.end(), control))
      return fault(pointer, "must not contain line breaks or other control characters");
    const std::size_t length = utf8_length(text);
    if (length < min || length > max)
      fault(pointer, min == 0 ? fmt::format("must be at most {} characters long", max)
                              : fmt::format("must be {} to {} characters long", min, max));
  }

  void reference(const std::string& pointer, std::string_view text) {
    if (text.empty()) return;
    if (!read_secret_reference(text))
      return fault(pointer, fmt::format("must be a reference to a secret, not the secret itself: {}",
                                        secret_reference_forms()));
    line(pointer, text, 1, kSecretReferenceMax);
  }

 private:
  std::vector<Fault> faults_;
};

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

void check_clients(Check& check, const std::vector<std::string>& clients) {
  if (clients.size() > kAccountClientsMax)
    return check.fault("/clientIds", fmt::format("may have at most {} entries", kAccountClientsMax));
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::string pointer = fmt::format("/clientIds/{}", i);
    check.line(pointer, clients[i], 1, kAccountClientMax);
    if (!seen.insert(clients[i]).second) check.fault(pointer, "is there twice");
  }
}

void check_roles(Check& check, const std::vector<RoleAssignment>& roles) {
  if (roles.size() > kAccountRolesMax)
    return check.fault("/roles", fmt::format("may have at most {} entries", kAccountRolesMax));
  for (std::size_t i = 0; i < roles.size(); ++i) {
    check.line(fmt::format("/roles/{}/roleName", i), roles[i].role_name, 1, kAccountRoleMax);
    check.line(fmt::format("/roles/{}/assignmentSource", i), roles[i].assignment_source, 1, kAccountRoleMax);
  }
}

}  // namespace

std::vector<Fault> check_service_account(const ServiceAccount& account) {
  Check check;
  if (!is_code(account.code) || account.code.size() > kAccountCodeMax)
    check.fault("/code",
                fmt::format("must be 1 to {} lower-case letters and digits in parts joined by '-', such "
                            "as acme-orders",
                            kAccountCodeMax));
  check.line("/name", account.name, 1, kAccountNameMax);
  if (!is_utf8(account.description) || account.description.find('\0') != std::string::npos)
    check.fault("/description", "must be valid UTF-8 without U+0000");
  else if (utf8_length(account.description) > kAccountDescriptionMax)
    check.fault("/description", fmt::format("must be at most {} characters long", kAccountDescriptionMax));
  check_clients(check, account.client_ids);
  check.line("/applicationId", account.application_id, 0, kAccountApplicationMax);
  check_roles(check, account.roles);
  check.reference("/webhookCredentials/authTokenRef", account.credentials.auth_token_ref);
  check.reference("/webhookCredentials/signingSecretRef", account.credentials.signing_secret_ref);
  return check.take();
}

}  // namespace eilbote
