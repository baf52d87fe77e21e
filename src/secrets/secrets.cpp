#include "secrets/secrets.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "secrets/local_secrets.h"

namespace eilbote {
namespace {

// Everything but encrypted://, which needs a key that is itself behind one of these.
class PlainSecrets final : public SecretSource {
 public:
  explicit PlainSecrets(const SecretOptions& options) : allowed_(options.schemes) {
    for (const SecretStoreRow& row : kSecretStores)
      caches_.emplace(row.scheme,
                      std::make_unique<SecretCache>(std::string(kSecretSchemeNames.text(row.scheme)),
                                                    row.make(options, local_, options.metrics), options.cache,
                                                    options.metrics));
  }

  // All of them end before the first one goes: what one calls back may ask another.
  ~PlainSecrets() override {
    for (const auto& [scheme, cache] : caches_)
      cache->stop();
  }

  Result<Secret> resolve(std::string_view reference) override {
    const auto source = source_of(reference);
    return source ? (*source)->resolve(reference) : fail(source.error());
  }
  std::optional<Result<Secret>> at_hand(std::string_view reference) override {
    const auto source = source_of(reference);
    return source ? (*source)->at_hand(reference) : Result<Secret>(fail(source.error()));
  }
  void renew(std::string_view reference, Done done) override {
    const auto source = source_of(reference);
    if (!source) return done(fail(source.error()));
    (*source)->renew(reference, std::move(done));
  }

 private:
  Result<SecretSource*> source_of(std::string_view text) {
    const auto reference = read_secret_reference(text);
    // The text is not repeated: it may be a secret that was put where its reference belongs.
    if (!reference || home_of(reference->scheme) == SecretHome::reference)
      return fail(ErrorKind::invalid, "a secret reference must be one of " + secret_reference_forms());
    if (!is_allowed(allowed_, reference->scheme))
      return fail(ErrorKind::invalid,
                  fmt::format("secret {}://***: EILBOTE_SECRET_SCHEMES does not allow this scheme",
                              kSecretSchemeNames.text(reference->scheme)));
    const auto cache = caches_.find(reference->scheme);
    if (cache != caches_.end()) return cache->second.get();
    return &local_;
  }

  const SecretSchemes allowed_;
  LocalSecrets local_;
  std::map<SecretScheme, std::unique_ptr<SecretCache>> caches_;
};

// What is known now and nothing else: for callbacks, whose thread is the one that would have to answer.
class KnownSecrets final : public SecretSource {
 public:
  explicit KnownSecrets(SecretSource& source) : source_(source) {}
  Result<Secret> resolve(std::string_view reference) override {
    auto known = source_.at_hand(reference);
    return known ? std::move(*known) : fail(ErrorKind::unavailable, "the data key is being read");
  }

 private:
  SecretSource& source_;
};

class Vault final : public SecretVault {
 public:
  explicit Vault(const SecretOptions& options) : data_key_(options.data_key), plain_(options) {}

  Result<Secret> resolve(std::string_view reference) override {
    const auto encrypted = encrypted_part(reference);
    if (!encrypted) return plain_.resolve(reference);
    return decrypted(*encrypted, plain_);
  }

  std::optional<Result<Secret>> at_hand(std::string_view reference) override {
    if (!encrypted_part(reference)) return plain_.at_hand(reference);
    for (const std::string* key : {&data_key_.key_ref, &data_key_.previous_ref})
      if (!key->empty() && !plain_.at_hand(*key)) return std::nullopt;
    return decrypted_now(reference);
  }

  void renew(std::string_view reference, Done done) override {
    if (!encrypted_part(reference)) return plain_.renew(reference, std::move(done));
    // What is encrypted does not change; there may be another key by now.
    if (data_key_.key_ref.empty()) return done(resolve(reference));
    plain_.renew(data_key_.key_ref,
                 [this, text = std::string(reference), done = std::move(done)](const Result<Secret>& key) {
                   done(key ? decrypted_now(text) : Result<Secret>(fail(key.error())));
                 });
  }

  Result<std::string> encrypt(const Secret& secret) override {
    const auto keys = read_or_make_data_keys(data_key_, plain_);
    if (!keys) return fail(keys.error());
    return encrypt_secret(secret, *keys);
  }

  Result<std::string> under_current_key(std::string_view reference) override {
    const auto encrypted = encrypted_part(reference);
    if (!encrypted) return std::string(reference);
    const auto keys = read_data_keys(data_key_, plain_);
    if (!keys) return fail(keys.error());
    if (decrypt_secret(*encrypted, {keys->current, Secret()})) return std::string(reference);
    const auto secret = decrypt_secret(*encrypted, *keys);
    if (!secret) return fail(secret.error());
    return encrypt_secret(*secret, *keys);
  }

 private:
  Result<Secret> decrypted(std::string_view encrypted, SecretSource& source) {
    const auto keys = read_data_keys(data_key_, source);
    if (!keys) return fail(keys.error().with_context("secret encrypted://***"));
    return decrypt_secret(encrypted, *keys);
  }
  Result<Secret> decrypted_now(std::string_view reference) {
    KnownSecrets known(plain_);
    return decrypted(*encrypted_part(reference), known);
  }

  const DataKeyOptions data_key_;
  PlainSecrets plain_;
};

}  // namespace

std::unique_ptr<SecretVault> open_secrets(const SecretOptions& options) {
  return std::make_unique<Vault>(options);
}

std::unique_ptr<SecretVault> make_secret_source(DataKeyOptions options) {
  SecretOptions all;
  all.data_key = std::move(options);
  return open_secrets(all);
}

}  // namespace eilbote
