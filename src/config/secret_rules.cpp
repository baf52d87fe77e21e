#include "config/secret_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "config/store_url.h"

namespace eilbote {
namespace {

// What a store itself is opened with cannot come from that store.
constexpr std::array<std::string_view, 2> kFirstSecrets{"EILBOTE_VAULT_TOKEN_REF",
                                                        "EILBOTE_VAULT_SECRET_ID_REF"};
// URLs that may hold a password, and where it belongs instead.
struct UrlWithPassword {
  std::string_view url, reference;
};
constexpr std::array<UrlWithPassword, 3> kUrls{{{"EILBOTE_STORE_URL", "EILBOTE_STORE_PASSWORD_REF"},
                                                {"EILBOTE_STORE_LISTEN_URL", "EILBOTE_STORE_PASSWORD_REF"},
                                                {"EILBOTE_TRANSPORT_URL", "EILBOTE_TRANSPORT_PASSWORD_REF"}}};

bool is_among(std::string_view key, std::span<const std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string list(const SecretSchemes& schemes) {
  std::string all;
  for (const SecretScheme scheme : schemes)
    all.append(all.empty() ? "" : ", ").append(kSecretSchemeNames.text(scheme)).append("://");
  return all;
}

void refuse_schemes(LoadedConfig& loaded) {
  const SecretSchemes& allowed = loaded.config.secrets.schemes;
  if (allowed.empty()) return;
  for (const auto& setting : loaded.settings) {
    const std::string_view key = setting.option->key;
    const auto* const url = std::ranges::find(kUrls, key, &UrlWithPassword::url);
    if (url != kUrls.end() && masked_url(setting.value) != setting.value)
      loaded.faults.push_back(
          fmt::format("{}: has a password in it, and EILBOTE_SECRET_SCHEMES allows secrets from {} only; "
                      "take it out and set {}",
                      key, list(allowed), url->reference));
    if (!key.ends_with("_REF") || is_among(key, kFirstSecrets)) continue;
    const auto reference = read_secret_reference(setting.value);
    if (reference && !is_allowed(allowed, reference->scheme))
      loaded.faults.push_back(
          fmt::format("{}: is a {}:// reference, and EILBOTE_SECRET_SCHEMES allows {} only", key,
                      kSecretSchemeNames.text(reference->scheme), list(allowed)));
  }
}

void refuse_vault(LoadedConfig& loaded) {
  const SecretConfig& secrets = loaded.config.secrets;
  if (!secrets.vault_secret_id_ref.empty() && secrets.vault_role_id.empty())
    loaded.faults.push_back(
        "EILBOTE_VAULT_SECRET_ID_REF: belongs to EILBOTE_VAULT_ROLE_ID, which is not set");
  if (secrets.vault_addr.empty()) {
    for (const auto& setting : loaded.settings)
      if (const auto reference = read_secret_reference(setting.value);
          setting.option->key.ends_with("_REF") && !is_among(setting.option->key, kFirstSecrets) &&
          reference && reference->scheme == SecretScheme::vault)
        loaded.faults.push_back(
            fmt::format("{}: is a vault:// reference; say with EILBOTE_VAULT_ADDR where that Vault is",
                        setting.option->key));
    return;
  }
  const int logins = static_cast<int>(!secrets.vault_token_ref.empty()) +
                     static_cast<int>(!secrets.vault_role_id.empty()) +
                     static_cast<int>(!secrets.vault_k8s_role.empty());
  if (logins != 1)
    loaded.faults.push_back(
        "EILBOTE_VAULT_ADDR: needs exactly one login: EILBOTE_VAULT_TOKEN_REF, EILBOTE_VAULT_ROLE_ID (with "
        "EILBOTE_VAULT_SECRET_ID_REF) or EILBOTE_VAULT_K8S_ROLE");
}

}  // namespace

void refuse_secrets(LoadedConfig& loaded) {
  refuse_schemes(loaded);
  refuse_vault(loaded);
}

}  // namespace eilbote
