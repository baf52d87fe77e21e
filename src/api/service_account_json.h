// Service accounts as JSON: what people send, and what they are shown. No secret passes through here, only references.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "domain/service_account.h"

namespace eilbote {

// What a body says about an account; what it leaves out stays as it is.
struct AccountDraft {
  std::optional<std::string> code, name, description, application_id;
  std::optional<std::vector<std::string>> client_ids;
  std::optional<bool> active;
  std::optional<std::vector<RoleAssignment>> roles;
  std::optional<WebhookAuthType> auth_type;
  std::optional<SignatureAlgorithm> signing_algorithm;
  std::optional<SignatureStyle> signature_style;
  std::optional<std::string> auth_token_ref, signing_secret_ref;  // empty text: none
  // As the sender last saw it: the change is for that version only.
  std::optional<TimePoint> updated_at;
};

// All faults at once. `now` is when roles are assigned that do not say when.
AccountDraft read_account(const boost::json::value& body, TimePoint now, std::vector<Fault>& faults);

// Writes the draft into the account, but for its references: those the caller decides on. Names what it changed.
std::vector<std::string> apply_draft(const AccountDraft& draft, ServiceAccount& account);

// Every field by its name; a secret that is kept here shows as `encrypted://***`.
boost::json::object account_json(const ServiceAccount& account);

// What stands for an encrypted secret; sent back, it means "as it is".
inline constexpr std::string_view kMaskedReference = "encrypted://***";
// Whether the secret lies in the database, encrypted, rather than somewhere else.
bool is_kept_here(std::string_view reference);

}  // namespace eilbote
