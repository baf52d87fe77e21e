#include "domain/secret_reference.h"

#include <algorithm>
#include <vector>

namespace eilbote {
namespace {

constexpr std::string_view kSlashes = "://";
constexpr std::string_view kShortEncrypted = "encrypted:";
constexpr std::size_t kVersionMax = 64;

// One spelling of every place: what a URL or a header would take for something else has no business in it.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
}

bool is_version(std::string_view text) {
  const auto fits = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= kVersionMax && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

std::optional<SecretScheme> parse_secret_scheme(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const SecretSchemeRow& row : kSecretSchemes)
    if (row.name == name || row.alias == name) return row.scheme;
  return std::nullopt;
}

std::string secret_reference_forms(std::optional<SecretHome> home) {
  std::vector<std::string> forms;
  for (const SecretSchemeRow& row : kSecretSchemes)
    if (!home || row.home == *home) forms.push_back(std::string(row.name).append(kSlashes).append(row.place));
  std::string text;
  for (std::size_t i = 0; i < forms.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == forms.size() ? " or " : ", ").append(forms[i]);
  return text;
}

std::optional<SecretReference> read_secret_reference(std::string_view text) {
  const auto slashes = text.find(kSlashes);
  if (slashes != std::string_view::npos)
    if (const auto scheme = parse_secret_scheme(text.substr(0, slashes))) {
      const std::string_view place = text.substr(slashes + kSlashes.size());
      if (place.empty()) return std::nullopt;
      return SecretReference{*scheme, place};
    }
  if (text.starts_with(kShortEncrypted) && text.size() > kShortEncrypted.size())
    return SecretReference{SecretScheme::encrypted, text.substr(kShortEncrypted.size())};
  return std::nullopt;
}

Result<SecretPlace> read_secret_place(std::string_view place) {
  constexpr std::string_view kVersion = "version=";
  SecretPlace read;
  if (const auto hash = place.find('#'); hash != std::string_view::npos) {
    read.key = place.substr(hash + 1);
    place = place.substr(0, hash);
    if (read.key.empty()) return fail(ErrorKind::invalid, "names no key after '#'");
    if (read.key.starts_with('/')) read.key.erase(0, 1);  // as some write a pointer
  }
  if (const auto mark = place.find('?'); mark != std::string_view::npos) {
    const std::string_view query = place.substr(mark + 1);
    place = place.substr(0, mark);
    if (!query.starts_with(kVersion) || !is_version(query.substr(kVersion.size())))
      return fail(ErrorKind::invalid, "may have ?version=N behind the path, and nothing else");
    read.version = query.substr(kVersion.size());
  }
  if (place.empty() || !is_plain(place))
    return fail(ErrorKind::invalid, "needs a path of printable ASCII without spaces");
  read.path = place;
  return read;
}

bool is_remote_secret(std::string_view text) {
  const auto reference = read_secret_reference(text);
  return reference && home_of(reference->scheme) == SecretHome::network;
}

bool is_allowed(const SecretSchemes& allowed, SecretScheme scheme) {
  return allowed.empty() || allowed.contains(scheme);
}

}  // namespace eilbote
