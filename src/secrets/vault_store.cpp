// Vault: one GET per secret, with the token that vault_token.h keeps alive. Made by secrets.cpp.
#include "secrets/stores.h"

#include "base/url_escape.h"
#include "domain/secret_reference.h"
#include "secrets/secret_json.h"
#include "secrets/vault_token.h"

namespace eilbote {
namespace {

constexpr std::string_view kDefaultKey = "value";

// Below the mount. People also write it as the API has it: MOUNT/data/PATH, or data/PATH.
std::string_view below_mount(std::string_view path, std::string_view mount) {
  const std::string whole = std::string(mount) + "/data/";
  while (path.starts_with('/'))
    path.remove_prefix(1);
  if (path.starts_with(whole)) return path.substr(whole.size());
  return path.starts_with("data/") ? path.substr(5) : path;
}

bool has_dots(std::string_view path) {
  const std::string slashed = "/" + std::string(path) + "/";
  return slashed.find("/./") != std::string::npos || slashed.find("/../") != std::string::npos;
}

class VaultStore final : public SecretStore {
 public:
  VaultStore(VaultOptions options, SecretSource& local, Metrics* metrics)
      : options_(std::move(options)), client_(options_), token_(options_, client_, local, clock_, metrics) {}

  FromStore<Secret> fetch(std::string_view text) override {
    if (options_.addr.empty())
      return trouble(ErrorKind::invalid, "there is no Vault; say with EILBOTE_VAULT_ADDR where it is");
    const auto place = read_secret_place(text);
    if (!place) return tl::unexpected(SecretTrouble{place.error(), {}});
    const std::string_view path = below_mount(place->path, options_.mount);
    if (path.empty() || has_dots(path))
      return trouble(ErrorKind::invalid, "needs a path below the mount, without . and ..");
    std::string target = options_.mount + "/data/" + url_escaped(path, "/");
    if (!place->version.empty()) target += "?version=" + place->version;
    const auto body = read(target);
    if (!body) return tl::unexpected(in_words(body.error()));
    const boost::json::value* data = member_at(*body, {"data", "data"});
    if (data == nullptr || !data->is_object())
      return trouble(ErrorKind::invalid, "Vault's answer is not that of a KV engine of version 2");
    return secret_in(*data, place->key.empty() ? kDefaultKey : std::string_view(place->key));
  }

 private:
  // Denied may mean that the token has died before its time; then once more with a new one. 412 passes by itself.
  VaultReply read(const std::string& target) {
    for (int round = 0;; ++round) {
      const auto token = token_.get();
      if (!token) return tl::unexpected(VaultRefusal{0, token.error()});
      auto body = client_.get(target, *token);
      if (body || round == 1 || (body.error().status != 403 && body.error().status != 412)) return body;
      if (body.error().status == 403) token_.forget();
    }
  }

  // A 404 with data in it: there was something.
  static SecretTrouble in_words(const VaultRefusal& refusal) {
    if (refusal.status == 404 && member_at(refusal.body, {"data", "metadata"}) != nullptr)
      return {{ErrorKind::not_found, "this version of it was deleted in Vault"}, {}};
    return refusal.why;
  }

  const VaultOptions options_;
  SystemClock clock_;
  VaultClient client_;
  VaultToken token_;
};

}  // namespace

std::unique_ptr<SecretStore> make_vault_store(VaultOptions options, SecretSource& local, Metrics* metrics) {
  return std::make_unique<VaultStore>(std::move(options), local, metrics);
}

}  // namespace eilbote
