#include "api/service_account_json.h"

#include <algorithm>
#include <boost/json/array.hpp>

#include "api/json_fields.h"
#include "api/json_out.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// Longer lists are refused before they are read; the domain has the exact limits.
constexpr std::size_t kAccountListMax = 1'000;

struct DraftReading {
  AccountDraft account;
  TimePoint now;
};

// Null means none, for what may be left out.
template <auto Member>
void read_line(DraftReading& draft, const json::value& value, const Place& place) {
  draft.account.*Member = value.is_null() ? std::string() : read_text(value, place).value_or("?");
}

template <auto Member>
void read_needed(DraftReading& draft, const json::value& value, const Place& place) {
  draft.account.*Member = read_text(value, place).value_or("?");
}

void read_clients(DraftReading& draft, const json::value& value, const Place& place) {
  auto& clients = draft.account.client_ids.emplace();
  const json::array* array = read_array(value, place, kAccountListMax);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i)
    if (auto client = read_text((*array)[i], Place(place, i))) clients.push_back(std::move(*client));
}

void set_by_eilbote(DraftReading&, const json::value&, const Place& place) {
  place.fault("is set by Eilbote; leave it out");
}

void not_in_the_clear(DraftReading&, const json::value&, const Place& place) {
  place.fault("is not taken in the clear; give a reference to it in authTokenRef or signingSecretRef");
}

// ---- roles ----

struct RoleDraft {
  RoleAssignment role;
};
const FieldRow<RoleDraft> kRoleFields[] = {
    {"roleName", [](RoleDraft& draft, const json::value& value,
                    const Place& place) { draft.role.role_name = read_text(value, place).value_or("?"); }},
    {"assignmentSource",
     [](RoleDraft& draft, const json::value& value, const Place& place) {
       draft.role.assignment_source = read_text(value, place).value_or("?");
     }},
    {"assignedAt",
     [](RoleDraft& draft, const json::value& value, const Place& place) {
       if (const auto at = read_time(value, place)) draft.role.assigned_at = *at;
     }},
};

void read_roles(DraftReading& draft, const json::value& value, const Place& place) {
  auto& roles = draft.account.roles.emplace();
  const json::array* array = read_array(value, place, kAccountListMax);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const Place at(place, i);
    RoleDraft one{{"", "MANUAL", draft.now}};
    if (!read_fields((*array)[i], at, kRoleFields, one)) continue;
    if (!(*array)[i].get_object().contains("roleName")) {
      Place(at, "roleName").fault("is required");
      continue;
    }
    roles.push_back(std::move(one.role));
  }
}

// ---- credentials ----

const FieldRow<DraftReading> kCredentialFields[] = {
    {"authType",
     [](DraftReading& draft, const json::value& value, const Place& place) {
       draft.account.auth_type = read_enum(value, place, kWebhookAuthTypeNames);
     }},
    {"signingAlgorithm",
     [](DraftReading& draft, const json::value& value, const Place& place) {
       draft.account.signing_algorithm = read_enum(value, place, kSignatureAlgorithmNames);
     }},
    {"signatureStyle",
     [](DraftReading& draft, const json::value& value, const Place& place) {
       draft.account.signature_style = read_enum(value, place, kSignatureStyleNames);
     }},
    {"authTokenRef",
     [](DraftReading& draft, const json::value& value, const Place& place) {
       if (!value.is_null()) read_needed<&AccountDraft::auth_token_ref>(draft, value, place);
     }},
    {"signingSecretRef",
     [](DraftReading& draft, const json::value& value, const Place& place) {
       if (!value.is_null()) read_needed<&AccountDraft::signing_secret_ref>(draft, value, place);
     }},
    {"authToken", not_in_the_clear},
    {"signingSecret", not_in_the_clear},
    {"previousSecretRef", set_by_eilbote},
    {"previousSecretUntil", set_by_eilbote},
    {"createdAt", set_by_eilbote},
    {"regeneratedAt", set_by_eilbote},
};

const FieldRow<DraftReading> kAccountFields[] = {
    {"code", read_needed<&AccountDraft::code>},
    {"name", read_needed<&AccountDraft::name>},
    {"description", read_line<&AccountDraft::description>},
    {"clientIds", read_clients},
    {"applicationId", read_line<&AccountDraft::application_id>},
    {"active", [](DraftReading& draft, const json::value& value,
                  const Place& place) { draft.account.active = read_flag(value, place); }},
    {"webhookCredentials", [](DraftReading& draft, const json::value& value,
                              const Place& place) { read_fields(value, place, kCredentialFields, draft); }},
    {"roles", read_roles},
    {"updatedAt", [](DraftReading& draft, const json::value& value,
                     const Place& place) { draft.account.updated_at = read_time(value, place); }},
    {"id", set_by_eilbote},
    {"lastUsedAt", set_by_eilbote},
    {"createdAt", set_by_eilbote},
};

// ---- out ----

json::value shown(const std::string& reference) {
  return text_or_null(is_kept_here(reference) ? kMaskedReference : std::string_view(reference));
}

json::object credentials_json(const WebhookCredentials& credentials) {
  json::object out;
  out["authType"] = kWebhookAuthTypeNames.text(credentials.auth_type);
  out["authTokenRef"] = shown(credentials.auth_token_ref);
  out["signingSecretRef"] = shown(credentials.signing_secret_ref);
  out["signingAlgorithm"] = kSignatureAlgorithmNames.text(credentials.signing_algorithm);
  out["signatureStyle"] = kSignatureStyleNames.text(credentials.signature_style);
  out["previousSecretRef"] = shown(credentials.previous_secret_ref);
  out["previousSecretUntil"] = time_or_null(credentials.previous_until);
  out["createdAt"] = to_rfc3339(credentials.created_at);
  out["regeneratedAt"] = time_or_null(credentials.regenerated_at);
  return out;
}

template <class Value>
void change(const std::optional<Value>& wanted, Value& value, const char* name,
            std::vector<std::string>& changed) {
  if (!wanted || *wanted == value) return;
  value = *wanted;
  changed.emplace_back(name);
}

}  // namespace

bool is_kept_here(std::string_view reference) {
  return reference.starts_with("encrypted:");
}

AccountDraft read_account(const json::value& body, TimePoint now, std::vector<Fault>& faults) {
  DraftReading draft{{}, now};
  read_fields(body, Place(faults), kAccountFields, draft);
  return std::move(draft.account);
}

std::vector<std::string> apply_draft(const AccountDraft& draft, ServiceAccount& account) {
  std::vector<std::string> changed;
  change(draft.name, account.name, "name", changed);
  change(draft.description, account.description, "description", changed);
  change(draft.client_ids, account.client_ids, "clientIds", changed);
  change(draft.application_id, account.application_id, "applicationId", changed);
  change(draft.active, account.active, "active", changed);
  change(draft.auth_type, account.credentials.auth_type, "authType", changed);
  change(draft.signing_algorithm, account.credentials.signing_algorithm, "signingAlgorithm", changed);
  change(draft.signature_style, account.credentials.signature_style, "signatureStyle", changed);
  if (draft.roles) {
    account.roles = *draft.roles;
    changed.emplace_back("roles");
  }
  return changed;
}

json::object account_json(const ServiceAccount& account) {
  json::array clients, roles;
  for (const std::string& client : account.client_ids)
    clients.emplace_back(client);
  for (const RoleAssignment& role : account.roles) {
    json::object one;
    one["roleName"] = role.role_name;
    one["assignmentSource"] = role.assignment_source;
    one["assignedAt"] = to_rfc3339(role.assigned_at);
    roles.push_back(std::move(one));
  }
  json::object out;
  out["id"] = to_text(account.id);
  out["code"] = account.code;
  out["name"] = account.name;
  out["description"] = text_or_null(account.description);
  out["clientIds"] = std::move(clients);
  out["applicationId"] = text_or_null(account.application_id);
  out["active"] = account.active;
  out["webhookCredentials"] = credentials_json(account.credentials);
  out["roles"] = std::move(roles);
  out["lastUsedAt"] = time_or_null(account.last_used_at);
  out["createdAt"] = to_rfc3339(account.created_at);
  out["updatedAt"] = to_rfc3339(account.updated_at);
  return out;
}

}  // namespace eilbote
