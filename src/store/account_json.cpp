#include "store/account_json.h"

#include <boost/json.hpp>

#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

json::value text_value(std::string_view text) {
  return json::value(json::string_view(text.data(), text.size()));
}

json::value time_value(const std::optional<TimePoint>& at) {
  return at ? text_value(to_rfc3339(*at)) : json::value();
}

std::optional<TimePoint> time_of(const json::object& object, const char* name) {
  return parse_rfc3339(text_in(object, name));
}

const json::array* array_of(const json::object& object, const char* name) {
  const json::value* member = object.if_contains(name);
  return member == nullptr ? nullptr : member->if_array();
}

json::object credentials_object(const WebhookCredentials& credentials) {
  json::object object;
  object["authType"] = text_value(kWebhookAuthTypeNames.text(credentials.auth_type));
  object["authTokenRef"] = text_value(credentials.auth_token_ref);
  object["signingSecretRef"] = text_value(credentials.signing_secret_ref);
  object["signingAlgorithm"] = text_value(kSignatureAlgorithmNames.text(credentials.signing_algorithm));
  object["signatureStyle"] = text_value(kSignatureStyleNames.text(credentials.signature_style));
  if (!credentials.previous_secret_ref.empty()) {
    object["previousSecretRef"] = text_value(credentials.previous_secret_ref);
    object["previousSecretUntil"] = time_value(credentials.previous_until);
  }
  object["createdAt"] = text_value(to_rfc3339(credentials.created_at));
  object["regeneratedAt"] = time_value(credentials.regenerated_at);
  return object;
}

// Nothing when one of its enums has a text nobody here writes.
std::optional<WebhookCredentials> credentials_of(const json::object& object) {
  const auto auth_type = kWebhookAuthTypeNames.parse(text_in(object, "authType"));
  const auto algorithm = kSignatureAlgorithmNames.parse(text_in(object, "signingAlgorithm"));
  const auto style = kSignatureStyleNames.parse(text_in(object, "signatureStyle"));
  if (!auth_type || !algorithm || !style) return std::nullopt;
  WebhookCredentials credentials;
  credentials.auth_type = *auth_type;
  credentials.signing_algorithm = *algorithm;
  credentials.signature_style = *style;
  credentials.auth_token_ref = text_in(object, "authTokenRef");
  credentials.signing_secret_ref = text_in(object, "signingSecretRef");
  credentials.previous_secret_ref = text_in(object, "previousSecretRef");
  credentials.previous_until = time_of(object, "previousSecretUntil");
  credentials.created_at = time_of(object, "createdAt").value_or(TimePoint{});
  credentials.regenerated_at = time_of(object, "regeneratedAt");
  return credentials;
}

json::array roles_array(const std::vector<RoleAssignment>& roles) {
  json::array array;
  for (const RoleAssignment& role : roles) {
    json::object object;
    object["roleName"] = text_value(role.role_name);
    object["assignmentSource"] = text_value(role.assignment_source);
    object["assignedAt"] = text_value(to_rfc3339(role.assigned_at));
    array.push_back(std::move(object));
  }
  return array;
}

std::vector<RoleAssignment> roles_of(const json::array& array) {
  std::vector<RoleAssignment> roles;
  for (const json::value& entry : array)
    if (const json::object* object = entry.if_object())
      roles.push_back({text_in(*object, "roleName"), text_in(*object, "assignmentSource"),
                       time_of(*object, "assignedAt").value_or(TimePoint{})});
  return roles;
}

}  // namespace

std::string account_to_json(const ServiceAccount& account) {
  json::array clients;
  for (const std::string& client : account.client_ids)
    clients.push_back(text_value(client));
  json::object object;
  object["name"] = text_value(account.name);
  object["description"] = text_value(account.description);
  object["clientIds"] = std::move(clients);
  object["applicationId"] = text_value(account.application_id);
  object["active"] = account.active;
  object["webhookCredentials"] = credentials_object(account.credentials);
  object["roles"] = roles_array(account.roles);
  return json::serialize(object);
}

Result<void> account_from_json(std::string_view text, ServiceAccount& account) {
  const auto broken = [&] {
    return fail(ErrorKind::internal, "the service account '" + account.code + "' is broken in the database");
  };
  const json::value value = parse_json(text);
  if (!value.is_object()) return broken();
  const json::object& object = value.get_object();
  const json::value* active = object.if_contains("active");
  const json::value* credentials = object.if_contains("webhookCredentials");
  const json::array* clients = array_of(object, "clientIds");
  const json::array* roles = array_of(object, "roles");
  if (active == nullptr || !active->is_bool() || credentials == nullptr || !credentials->is_object() ||
      clients == nullptr || roles == nullptr)
    return broken();
  auto read = credentials_of(credentials->get_object());
  if (!read) return broken();
  account.credentials = std::move(*read);
  account.name = text_in(object, "name");
  account.description = text_in(object, "description");
  account.application_id = text_in(object, "applicationId");
  account.active = active->get_bool();
  account.client_ids.clear();
  for (const json::value& client : *clients)
    if (client.is_string())
      account.client_ids.emplace_back(client.get_string().data(), client.get_string().size());
  account.roles = roles_of(*roles);
  return {};
}

}  // namespace eilbote
