// References to secrets: `scheme://place`. The one table of schemes and their other names; the configuration, service
// accounts and src/secrets read references with it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/result.h"

namespace eilbote {

// Those from `vault` on are stores on the network.
enum class SecretScheme { env, file, encrypted, vault, aws_secretsmanager, aws_ssm, gcp_secretmanager };
inline constexpr auto kSecretSchemeNames =
    enum_names<SecretScheme>({{SecretScheme::env, "env"},
                              {SecretScheme::file, "file"},
                              {SecretScheme::encrypted, "encrypted"},
                              {SecretScheme::vault, "vault"},
                              {SecretScheme::aws_secretsmanager, "aws-secretsmanager"},
                              {SecretScheme::aws_ssm, "aws-ssm"},
                              {SecretScheme::gcp_secretmanager, "gcp-secretmanager"}});
static_assert(kSecretSchemeNames.complete());

// By its name, or by what other programs call it (aws-sm, aws-ps, gcp-sm).
std::optional<SecretScheme> parse_secret_scheme(std::string_view name);

// "env://NAME, file://PATH, ...": for messages that say what would have been right.
std::string_view secret_reference_forms();

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
