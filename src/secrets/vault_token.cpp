#include "secrets/vault_token.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <limits>

#include "base/log.h"
#include "metrics/metrics.h"
#include "secrets/secret_json.h"

namespace eilbote {
namespace {

namespace json = boost::json;

tl::unexpected<SecretTrouble> at_login(const SecretTrouble& why) {
  return tl::unexpected(SecretTrouble{why.error.with_context("login at Vault"), why.come_back});
}

}  // namespace

FromStore<Secret> VaultToken::get() {
  const auto now = clock_.steady_now();
  // A file may hold another token by now: an agent keeps it fresh.
  if (!token_.empty() && !options_.token_ref.empty()) {
    const auto given = local_.resolve(options_.token_ref);
    if (given && !given->is_same_as(given_)) forget();
  }
  if (!token_.empty() && !lives_forever_ && now >= renew_at_ && !(renewable_ && renew())) {
    // What can be neither renewed nor made anew is used to its end.
    if (options_.token_ref.empty() || now >= dies_at_) forget();
  }
  if (token_.empty())
    if (auto obtained = obtain(); !obtained) return tl::unexpected(obtained.error());
  return token_;
}

FromStore<void> VaultToken::obtain() {
  if (!options_.token_ref.empty()) return take_given();
  json::object body;
  if (!options_.role_id.empty()) {
    body["role_id"] = options_.role_id;
    if (!options_.secret_id_ref.empty()) {
      const auto secret_id = local_.resolve(options_.secret_id_ref);
      if (!secret_id)
        return tl::unexpected(
            SecretTrouble{secret_id.error().with_context("EILBOTE_VAULT_SECRET_ID_REF"), {}});
      body["secret_id"] = secret_id->reveal();
    }
    return log_in(options_.auth_mount.empty() ? "approle" : options_.auth_mount, json::serialize(body));
  }
  if (options_.k8s_role.empty())
    return trouble(ErrorKind::invalid, "there is no login for Vault; set EILBOTE_VAULT_ADDR and a login");
  const auto jwt = local_.resolve("file://" + options_.k8s_token_file);
  if (!jwt)
    return tl::unexpected(SecretTrouble{jwt.error().with_context("EILBOTE_VAULT_K8S_TOKEN_FILE"), {}});
  body["role"] = options_.k8s_role;
  body["jwt"] = jwt->reveal();
  return log_in(options_.auth_mount.empty() ? "kubernetes" : options_.auth_mount, json::serialize(body));
}

FromStore<void> VaultToken::take_given() {
  auto given = local_.resolve(options_.token_ref);
  if (!given) return tl::unexpected(SecretTrouble{given.error().with_context("EILBOTE_VAULT_TOKEN_REF"), {}});
  const auto facts = vault_.get("auth/token/lookup-self", *given);
  if (!facts) return at_login(facts.error().why);
  const json::value* renewable = member_at(*facts, {"data", "renewable"});
  lives_for(number_at(*facts, {"data", "ttl"}).value_or(0),
            renewable != nullptr && renewable->is_bool() && renewable->get_bool());
  token_ = given_ = std::move(*given);
  return {};
}

FromStore<void> VaultToken::log_in(const std::string& mount, const std::string& body) {
  const auto answer = vault_.post("auth/" + mount + "/login", body, Secret());
  if (!answer) return at_login(answer.error().why);
  Secret token(text_at(*answer, {"auth", "client_token"}));
  if (token.empty()) return trouble(ErrorKind::unavailable, "login at Vault: its answer has no token");
  const json::value* renewable = member_at(*answer, {"auth", "renewable"});
  lives_for(number_at(*answer, {"auth", "lease_duration"}).value_or(0),
            renewable != nullptr && renewable->is_bool() && renewable->get_bool());
  token_ = std::move(token);
  return {};
}

bool VaultToken::renew() {
  const auto left_before = dies_at_ - clock_.steady_now();
  const auto answer = vault_.post("auth/token/renew-self", "{}", token_);
  if (!answer) {
    log::warning("the Vault token could not be renewed", {{"error", answer.error().why.error.message}});
    // Away is not dead: it is tried again with the next secret, until the token's end.
    return answer.error().status != 403 && answer.error().status != 400 && left_before > Duration{};
  }
  const std::int64_t seconds = number_at(*answer, {"auth", "lease_duration"}).value_or(0);
  // At the end of its longest life a renewal adds nothing.
  const bool adds = std::chrono::seconds{seconds} > left_before;
  lives_for(seconds, true);
  if (!adds) show_end(true);
  return adds;
}

void VaultToken::lives_for(std::int64_t seconds, bool renewable) {
  const auto now = clock_.steady_now();
  lives_forever_ = seconds <= 0;
  renewable_ = renewable;
  renew_at_ = now + std::chrono::milliseconds{seconds * 2000 / 3};
  dies_at_ = now + std::chrono::seconds{seconds};
  show_end(!renewable && !lives_forever_);
}

void VaultToken::show_end(bool is_the_last) const {
  if (metrics_ == nullptr || options_.token_ref.empty()) return;
  const Metrics::Labels label{"vault_token"};
  if (!is_the_last)
    return metrics_->set(Metric::credential_expires, std::numeric_limits<double>::infinity(), label);
  const auto left = std::chrono::floor<Duration>(dies_at_ - clock_.steady_now());
  metrics_->set_time(Metric::credential_expires, clock_.now() + left, label);
}

}  // namespace eilbote
