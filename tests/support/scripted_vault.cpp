#include "support/scripted_vault.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "support/private_texts.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;

HttpScene answer(int status, const json::value& body) {
  HttpScene scene;
  scene.answer = http_answer(status, json::serialize(body), "Content-Type: application/json\r\n");
  return scene;
}

HttpScene refusal(int status, const char* text) {
  return answer(status, {{"errors", json::array{text}}});
}

std::string member(const json::value& body, const char* name) {
  const json::value* found = body.is_object() ? body.get_object().if_contains(name) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string header(const HttpSeen& request, const char* name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string() : found->second;
}

// Whatever it guards is to be found in no log.
const std::string& note(const std::string& secret) {
  PrivateTexts::of_this_test().note_secret(secret);
  return secret;
}

}  // namespace

ScriptedVault::ScriptedVault()
    : http_(HttpScript{.decide = [this](const HttpSeen& request) { return decide(request); }}) {}

std::string ScriptedVault::addr() const {
  return fmt::format("http://127.0.0.1:{}", http_.port());
}

void ScriptedVault::put(const std::string& path, const std::map<std::string, std::string>& secret) {
  for (const auto& [name, value] : secret)
    note(value);
  const std::lock_guard lock(mutex_);
  secrets_[path].emplace_back(secret);
}
void ScriptedVault::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  secrets_[path].back().reset();
}
std::string ScriptedVault::new_token() {
  const std::lock_guard lock(mutex_);
  return note(*tokens_.insert(fmt::format("hvs.token-{}", ++made_)).first);
}
void ScriptedVault::revoke_all() {
  const std::lock_guard lock(mutex_);
  tokens_.clear();
}
void ScriptedVault::allow_role(const std::string& role_id, const std::string& secret_id) {
  const std::lock_guard lock(mutex_);
  roles_[role_id] = note(secret_id);
}
void ScriptedVault::allow_kubernetes(const std::string& role, const std::string& jwt) {
  const std::lock_guard lock(mutex_);
  jwts_[role] = note(jwt);
}
void ScriptedVault::lease(int seconds, bool renewable) {
  const std::lock_guard lock(mutex_);
  lease_seconds_ = seconds;
  renewable_ = renewable;
}
void ScriptedVault::need_namespace(const std::string& name) {
  const std::lock_guard lock(mutex_);
  namespace_ = name;
}
void ScriptedVault::answer_all(std::optional<HttpScene> scene) {
  const std::lock_guard lock(mutex_);
  always_ = std::move(scene);
}
void ScriptedVault::seal(bool sealed) {
  answer_all(sealed ? std::optional(refusal(503, "Vault is sealed")) : std::nullopt);
}
int ScriptedVault::logins() const {
  const std::lock_guard lock(mutex_);
  return logins_;
}
int ScriptedVault::renewals() const {
  const std::lock_guard lock(mutex_);
  return renewals_;
}
int ScriptedVault::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_;
}

HttpScene ScriptedVault::decide(const HttpSeen& request) {
  const std::lock_guard lock(mutex_);
  if (always_) return *always_;
  const auto first = request.line.find(' '), second = request.line.find(' ', first + 1);
  const std::string method = request.line.substr(0, first);
  const std::string path = request.line.substr(first + 1, second - first - 1);
  if (header(request, "x-vault-namespace") != namespace_) return refusal(404, "no handler for this route");
  if (method == "POST" && (path == "/v1/auth/approle/login" || path == "/v1/auth/kubernetes/login"))
    return log_in(request.body);
  if (!tokens_.contains(header(request, "x-vault-token"))) return refusal(403, "permission denied");
  if (method == "GET" && path == "/v1/auth/token/lookup-self")
    return answer(200, {{"data", {{"ttl", lease_seconds_}, {"renewable", renewable_}}}});
  if (method == "POST" && path == "/v1/auth/token/renew-self") {
    ++renewals_;
    return answer(
        200, {{"auth", {{"client_token", "x"}, {"lease_duration", lease_seconds_}, {"renewable", true}}}});
  }
  constexpr std::string_view kData = "/v1/secret/data/";
  if (method == "GET" && path.starts_with(kData)) return read(path.substr(kData.size()));
  return refusal(404, "no handler for this route");
}

HttpScene ScriptedVault::log_in(const std::string& text) {
  const json::value body = json::parse(text);
  const auto role = roles_.find(member(body, "role_id"));
  const auto jwt = jwts_.find(member(body, "role"));
  const bool is_role = role != roles_.end() && role->second == member(body, "secret_id");
  const bool is_pod = jwt != jwts_.end() && jwt->second == member(body, "jwt");
  if (!is_role && !is_pod) return refusal(400, "invalid role or secret ID");
  ++logins_;
  const std::string token = note(*tokens_.insert(fmt::format("hvs.login-{}", ++made_)).first);
  return answer(200, {{"auth",
                       {{"client_token", token},
                        {"lease_duration", lease_seconds_},
                        {"renewable", renewable_},
                        {"accessor", "a"}}},
                      {"data", nullptr}});
}

HttpScene ScriptedVault::read(const std::string& target) {
  const auto mark = target.find('?');
  const std::string path = target.substr(0, mark);
  ++reads_;
  const auto found = secrets_.find(path);
  if (found == secrets_.end()) return answer(404, {{"errors", json::array{}}});
  std::size_t version = found->second.size();
  if (mark != std::string::npos) version = std::stoul(target.substr(target.find('=') + 1));
  json::value metadata{{"version", version}, {"destroyed", false}};
  if (version < 1 || version > found->second.size()) return answer(404, {{"errors", json::array{}}});
  const auto& secret = found->second[version - 1];
  if (!secret) return answer(404, {{"data", {{"data", nullptr}, {"metadata", metadata}}}});
  json::object data;
  for (const auto& [key, value] : *secret)
    data[key] = value;
  return answer(200, {{"request_id", "1"},
                      {"lease_duration", 0},
                      {"data", {{"data", data}, {"metadata", metadata}}},
                      {"auth", nullptr}});
}

}  // namespace eilbote::test
