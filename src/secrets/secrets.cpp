#include "secrets/secrets.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace eilbote {
namespace {

constexpr std::string_view kEnv = "env://";
constexpr std::string_view kFile = "file://";
// Known by name; their stores cannot be asked yet.
constexpr std::string_view kLater[] = {"vault://",  "aws-secretsmanager://", "aws-sm://", "aws-ssm://",
                                       "aws-ps://", "gcp-secretmanager://",  "gcp-sm://"};
constexpr std::uintmax_t kFileBytesMax = 64 * 1024;

std::string about(std::string_view reference, std::string_view what) {
  return "secret " + std::string(reference) + ": " + std::string(what);
}

Result<Secret> from_environment(std::string_view reference) {
  const std::string name(reference.substr(kEnv.size()));
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets variables here
  if (value == nullptr || *value == '\0')
    return fail(ErrorKind::not_found, about(reference, "the variable is not set or empty"));
  return Secret(value);
}

Result<Secret> from_file(std::string_view reference) {
  const std::filesystem::path path(reference.substr(kFile.size()));
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return fail(ErrorKind::not_found, about(reference, error.message()));
  if (size > kFileBytesMax)
    return fail(ErrorKind::invalid, about(reference, "the file is larger than 64 KiB"));
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (in.bad() || !in.is_open())
    return fail(ErrorKind::unavailable, about(reference, "the file cannot be read"));
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return fail(ErrorKind::not_found, about(reference, "the file is empty"));
  return Secret(std::move(text));
}

// What lies on this machine in the clear; also what the data key itself is read with.
class LocalSecrets final : public SecretSource {
 public:
  Result<Secret> resolve(std::string_view reference) override {
    if (reference.starts_with(kEnv)) return from_environment(reference);
    if (reference.starts_with(kFile)) return from_file(reference);
    for (const std::string_view scheme : kLater)
      if (reference.starts_with(scheme))
        return fail(ErrorKind::unavailable,
                    "secret " + std::string(scheme) + "***: this kind of reference is not available yet");
    // The text is not repeated: it may be a secret that was put where its reference belongs.
    return fail(ErrorKind::invalid, "a secret reference must start with env://, file:// or encrypted://");
  }
};

class Vault final : public SecretVault {
 public:
  explicit Vault(DataKeyOptions options) : options_(std::move(options)) {}

  Result<Secret> resolve(std::string_view reference) override {
    const auto encrypted = encrypted_part(reference);
    if (!encrypted) return local_.resolve(reference);
    const auto keys = read_data_keys(options_, local_);
    if (!keys) return fail(keys.error().with_context("secret encrypted://***"));
    return decrypt_secret(*encrypted, *keys);
  }

  Result<std::string> encrypt(const Secret& secret) override {
    const auto keys = read_or_make_data_keys(options_, local_);
    if (!keys) return fail(keys.error());
    return encrypt_secret(secret, *keys);
  }

 private:
  const DataKeyOptions options_;
  LocalSecrets local_;
};

}  // namespace

std::unique_ptr<SecretVault> make_secret_source(DataKeyOptions options) {
  return std::make_unique<Vault>(std::move(options));
}

Result<void> check_data_keys(const DataKeyOptions& options) {
  LocalSecrets local;
  return check_data_keys(options, local);
}

}  // namespace eilbote
