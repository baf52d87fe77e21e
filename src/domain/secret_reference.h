// References to secrets: `scheme://place`. The one table of schemes; the configuration, service
// accounts and src/secrets read references with it.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/result.h"

namespace eilbote {

// Where what a reference names is kept.
enum class SecretHome {
  machine,    // here, in the clear: what the stores' own logins may be read from
  reference,  // in the reference itself, encrypted
  network     // in a store that may be slow or away
};

enum class SecretScheme {
  env,
  file,
  systemd,
  encrypted,
  vault,
  aws_secretsmanager,
  aws_ssm,
  gcp_secretmanager
};

struct SecretSchemeRow {
  SecretScheme scheme;
  std::string_view name;
  std::string_view place;  // how a place looks, for messages
  std::string_view alias;  // what other programs call the scheme; empty: nothing else
  SecretHome home;
};

// A new scheme is an enumerator and a row here, and what reads it: for `machine` a row in secrets/local_secrets.cpp, for
// `network` one in secrets/stores.h and a file with the store.
inline constexpr auto kSecretSchemes = std::to_array<SecretSchemeRow>({
    {SecretScheme::env, "env", "NAME", "", SecretHome::machine},
    {SecretScheme::file, "file", "PATH", "", SecretHome::machine},
    {SecretScheme::systemd, "systemd", "NAME", "", SecretHome::machine},
    {SecretScheme::encrypted, "encrypted", "BASE64", "", SecretHome::reference},
    {SecretScheme::vault, "vault", "PATH#KEY", "", SecretHome::network},
    {SecretScheme::aws_secretsmanager, "aws-secretsmanager", "NAME", "aws-sm", SecretHome::network},
    {SecretScheme::aws_ssm, "aws-ssm", "NAME", "aws-ps", SecretHome::network},
    {SecretScheme::gcp_secretmanager, "gcp-secretmanager", "projects/X/secrets/Y", "gcp-sm",
     SecretHome::network},
});

inline constexpr auto kSecretSchemeNames = [] {
  EnumNames<SecretScheme, kSecretSchemes.size()> names{};
  for (std::size_t i = 0; i != kSecretSchemes.size(); ++i)
    names.entries[i] = {kSecretSchemes[i].scheme, kSecretSchemes[i].name};
  return names;
}();
static_assert(kSecretSchemeNames.complete());

constexpr SecretHome home_of(SecretScheme scheme) {
  return kSecretSchemes[static_cast<std::size_t>(scheme)].home;
}

// By its name or its alias.
std::optional<SecretScheme> parse_secret_scheme(std::string_view name);

// "env://NAME, file://PATH, ... or x://Y": for messages that say what would have been right. Of one home, or all.
std::string secret_reference_forms(std::optional<SecretHome> home = std::nullopt);

struct SecretReference {
  SecretScheme scheme = SecretScheme::env;
  std::string_view place;  // all that follows the scheme; never empty
};
// Nothing for a text that is no reference, a secret itself for example. `encrypted:` needs no slashes.
std::optional<SecretReference> read_secret_reference(std::string_view text);

// The place of a secret in a store on the network: `path?version=2#key`.
struct SecretPlace {
  std::string path;
  std::string version;  // empty: the newest
  std::string key;      // of the JSON object there; empty: not given
};
// The error says what would be right.
Result<SecretPlace> read_secret_place(std::string_view place);

// Which schemes may be used; empty: all.
using SecretSchemes = std::set<SecretScheme>;
bool is_allowed(const SecretSchemes& allowed, SecretScheme scheme);

// Whether what the reference names is kept in a store on the network, which may be slow or away.
bool is_remote_secret(std::string_view reference);

}  // namespace eilbote
