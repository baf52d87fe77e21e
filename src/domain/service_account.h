// A service account: who a webhook is sent as. Its credentials authenticate us to the endpoint and sign what we send.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/secret.h"
#include "base/time.h"
#include "domain/fault.h"
#include "domain/ids.h"
#include "domain/names.h"

namespace eilbote {

struct WebhookCredentials {
  WebhookAuthType auth_type = WebhookAuthType::BEARER;
  std::string auth_token_ref;      // a secret reference; empty: no Authorization header
  std::string signing_secret_ref;  // empty: not signed
  SignatureAlgorithm signing_algorithm = SignatureAlgorithm::HMAC_SHA256;
  SignatureStyle signature_style = SignatureStyle::standard_webhooks;
  // The key before the last regeneration signs along until then.
  std::string previous_secret_ref;
  std::optional<TimePoint> previous_until;
  TimePoint created_at{};
  std::optional<TimePoint> regenerated_at;
};

struct RoleAssignment {
  std::string role_name;
  std::string assignment_source = "MANUAL";
  TimePoint assigned_at{};
};

struct ServiceAccount {
  JobId id;  // a TSID like a job's
  std::string code;
  std::string name;
  std::string description;
  std::vector<std::string> client_ids;  // who may use it; empty: nobody
  std::string application_id;
  bool active = true;
  WebhookCredentials credentials;
  std::vector<RoleAssignment> roles;
  std::optional<TimePoint> last_used_at;
  TimePoint created_at{};
  TimePoint updated_at{};
};

// Credentials with their secrets at hand, for one attempt.
struct WebhookKeys {
  Secret authorization;  // the header's whole value; empty: none
  SignatureStyle style = SignatureStyle::standard_webhooks;
  std::vector<Secret> signing;  // the current key first; empty: not signed
};

// Texts in characters, lists in entries.
inline constexpr std::size_t kAccountCodeMax = 50;
inline constexpr std::size_t kAccountNameMax = 100;
inline constexpr std::size_t kAccountDescriptionMax = 500;
inline constexpr std::size_t kAccountClientsMax = 1'000;
inline constexpr std::size_t kAccountClientMax = 255;
inline constexpr std::size_t kAccountApplicationMax = 255;
inline constexpr std::size_t kAccountRolesMax = 50;
inline constexpr std::size_t kAccountRoleMax = 100;
inline constexpr std::size_t kSecretReferenceMax = 4'096;

// All faults at once; pointers are those of the API's JSON.
std::vector<Fault> check_service_account(const ServiceAccount& account);

}  // namespace eilbote
