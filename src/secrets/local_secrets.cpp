#include "secrets/local_secrets.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "domain/secret_reference.h"

namespace eilbote {
namespace {

constexpr std::uintmax_t kFileBytesMax = 64 * 1024;

std::string about(std::string_view reference, std::string_view what) {
  return "secret " + std::string(reference) + ": " + std::string(what);
}

Result<Secret> from_environment(std::string_view reference, std::string_view variable) {
  const std::string name(variable);
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets variables here
  if (value == nullptr || *value == '\0')
    return fail(ErrorKind::not_found, about(reference, "the variable is not set or empty"));
  return Secret(value);
}

Result<Secret> from_file(std::string_view reference, std::string_view name) {
  const std::filesystem::path path(name);
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

// What LoadCredential= and its kin put into a folder that only this unit sees. A name is a file's name there, never a path.
Result<Secret> from_systemd(std::string_view reference, std::string_view name) {
  if (name.find('/') != std::string_view::npos || name == "." || name == "..")
    return fail(ErrorKind::invalid, about(reference, "must be the name of a credential, without a path"));
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");  // NOLINT(concurrency-mt-unsafe): as above
  if (folder == nullptr || *folder == '\0')
    return fail(ErrorKind::not_found,
                about(reference,
                      "CREDENTIALS_DIRECTORY is not set; the unit needs LoadCredential=" + std::string(name) +
                          ":PATH, or another of systemd's credential settings"));
  return from_file(reference, (std::filesystem::path(folder) / name).native());
}

struct ReaderRow {
  SecretScheme scheme;
  Result<Secret> (*read)(std::string_view reference, std::string_view place);
};
constexpr ReaderRow kReaders[] = {{SecretScheme::env, from_environment},
                                  {SecretScheme::file, from_file},
                                  {SecretScheme::systemd, from_systemd}};

}  // namespace

Result<Secret> LocalSecrets::resolve(std::string_view text) {
  const auto reference = read_secret_reference(text);
  for (const ReaderRow& row : kReaders)
    if (reference && reference->scheme == row.scheme) return row.read(text, reference->place);
  // The text is not repeated: it may be a secret that was put where its reference belongs.
  return fail(ErrorKind::invalid,
              "a secret on this machine must be " + secret_reference_forms(SecretHome::machine));
}

}  // namespace eilbote
