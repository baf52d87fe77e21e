#include "secrets/secrets.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace eilbote {
namespace {

constexpr std::string_view kEnv = "env://";
constexpr std::string_view kFile = "file://";
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

class LocalSecrets final : public SecretSource {
 public:
  Result<Secret> resolve(std::string_view reference) override {
    if (reference.starts_with(kEnv)) return from_environment(reference);
    if (reference.starts_with(kFile)) return from_file(reference);
    // The text is not repeated: it may be a secret that was put where its reference belongs.
    return fail(ErrorKind::invalid, "a secret reference must start with env:// or file://");
  }
};

}  // namespace

std::unique_ptr<SecretSource> make_secret_source() {
  return std::make_unique<LocalSecrets>();
}

}  // namespace eilbote
