// The secret stores on the network: what each needs, and the table of them. A store is one .cpp, its factory and its row here,
// and its scheme in domain/secret_reference.h. secrets.cpp makes them all and puts a cache in front of each.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "domain/secret_reference.h"
#include "ports/secret_source.h"
#include "secrets/aws_credentials.h"
#include "secrets/secret_store.h"
#include "secrets/vault_client.h"

namespace eilbote {

struct Metrics;

struct GcpOptions {
  std::string endpoint_url = "https://secretmanager.googleapis.com";
  std::string metadata_url = "http://metadata.google.internal";
  Duration timeout = std::chrono::seconds{5};
};

struct SecretStoreOptions {
  VaultOptions vault;
  AwsOptions aws;
  GcpOptions gcp;
};

// `vault://PATH[?version=N][#KEY]`: HashiCorp Vault's KV engine, version 2. `local` resolves what lies on this machine, and
// outlives it, as do the metrics.
std::unique_ptr<SecretStore> make_vault_store(VaultOptions options, SecretSource& local,
                                              Metrics* metrics = nullptr);
// `aws-secretsmanager://NAME-OR-ARN[?version=STAGE-OR-ID][#KEY]`
std::unique_ptr<SecretStore> make_aws_secretsmanager(AwsOptions options);
// `aws-ssm://NAME[?version=N][#KEY]`
std::unique_ptr<SecretStore> make_aws_ssm(AwsOptions options);
// `gcp-secretmanager://projects/P/secrets/S[/versions/V][#KEY]`, with the access token of the machine's metadata server.
std::unique_ptr<SecretStore> make_gcp_store(GcpOptions options);

struct SecretStoreRow {
  SecretScheme scheme;
  std::unique_ptr<SecretStore> (*make)(const SecretStoreOptions& options, SecretSource& local,
                                       Metrics* metrics);  // null: nothing is measured
};
inline constexpr auto kSecretStores = std::to_array<SecretStoreRow>({
    {SecretScheme::vault, [](const SecretStoreOptions& options, SecretSource& local,
                             Metrics* metrics) { return make_vault_store(options.vault, local, metrics); }},
    {SecretScheme::aws_secretsmanager, [](const SecretStoreOptions& options, SecretSource&,
                                          Metrics*) { return make_aws_secretsmanager(options.aws); }},
    {SecretScheme::aws_ssm,
     [](const SecretStoreOptions& options, SecretSource&, Metrics*) { return make_aws_ssm(options.aws); }},
    {SecretScheme::gcp_secretmanager,
     [](const SecretStoreOptions& options, SecretSource&, Metrics*) { return make_gcp_store(options.gcp); }},
});

}  // namespace eilbote
