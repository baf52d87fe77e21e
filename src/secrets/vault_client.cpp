#include "secrets/vault_client.h"

#include <fmt/format.h>

#include "domain/webhook_url.h"
#include "secrets/secret_json.h"

namespace eilbote {
namespace {

namespace json = boost::json;

struct Meaning {
  int status;
  ErrorKind kind;
  std::string_view text;
};
constexpr Meaning kMeanings[] = {
    {400, ErrorKind::unavailable, "Vault refused the request"},
    {403, ErrorKind::unavailable, "Vault denied access"},
    {404, ErrorKind::not_found, "Vault has nothing there"},
    {412, ErrorKind::unavailable, "this Vault does not know yet what another one does"},
    {429, ErrorKind::unavailable, "Vault asks to come back later"},
    {472, ErrorKind::unavailable, "this Vault is a disaster recovery secondary"},
    {473, ErrorKind::unavailable, "this Vault is a performance standby"},
    {501, ErrorKind::unavailable, "Vault is not initialised"},
    {503, ErrorKind::unavailable, "Vault is sealed or in maintenance"},
};

VaultRefusal refusal_of(const HttpAnswer& answer) {
  Meaning meaning{answer.status, ErrorKind::unavailable, "Vault has trouble"};
  for (const Meaning& known : kMeanings)
    if (known.status == answer.status) meaning = known;
  VaultRefusal refusal{answer.status, {}, parse_json(answer.body)};
  std::string said;
  if (const json::value* errors = member_at(refusal.body, {"errors"});
      errors != nullptr && errors->is_array() && !errors->get_array().empty() &&
      errors->get_array().front().is_string())
    said = ": " + one_line(std::string_view(errors->get_array().front().get_string()));
  refusal.why = {{meaning.kind, fmt::format("{} ({}{})", meaning.text, answer.status, said)},
                 pause_asked_for(answer)};
  return refusal;
}

// Where a standby sends us: to the active one, for the same thing, and never from TLS to none.
std::string active_one(const HttpAnswer& answer, const std::string& asked) {
  const auto from = parse_webhook_url(asked);
  const auto to = parse_webhook_url(answer.header("Location"));
  const bool fits =
      from && to && to->path_and_query == from->path_and_query && (to->is_https || !from->is_https);
  return fits ? to->text() : std::string();
}

}  // namespace

VaultReply VaultClient::call(const char* method, const std::string& path, const std::string& body,
                             const Secret& token) {
  SecretRequest request{method, addr_ + "/v1/" + path, {{"X-Vault-Request", "true"}}, body};
  if (!token.empty()) request.headers.emplace_back("X-Vault-Token", token.reveal());
  if (!name_space_.empty()) request.headers.emplace_back("X-Vault-Namespace", name_space_);
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  auto answer = http_.call(request);
  if (answer && (answer->status == 307 || answer->status == 308)) {
    request.url = active_one(*answer, request.url);
    if (request.url.empty())
      return tl::unexpected(VaultRefusal{
          answer->status,
          {{ErrorKind::unavailable,
            "Vault sends us elsewhere, and not to the same thing on its active server; nothing was followed"},
           {}}});
    answer = http_.call(request);  // once: two standbys that point at each other are no way to anything
  }
  if (!answer) return tl::unexpected(VaultRefusal{0, answer.error()});
  if (answer->status == 200 || answer->status == 204) return parse_json(answer->body);
  return tl::unexpected(refusal_of(*answer));
}

}  // namespace eilbote
