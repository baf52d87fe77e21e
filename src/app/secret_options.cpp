#include "app/secret_options.h"

#include <cstdlib>

namespace eilbote {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables here
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

SecretOptions secret_options(const Config& config, Metrics* metrics) {
  const SecretConfig& from = config.secrets;
  SecretOptions options;
  options.schemes = from.schemes;
  options.data_key = {config.data_key_ref, config.data_key_previous_ref, config.data_dir + "/data.key"};
  // A key file is a secret in a file.
  if (!is_allowed(from.schemes, SecretScheme::file)) options.data_key.key_file.clear();
  options.vault = {from.vault_addr,          from.vault_token_ref, from.vault_role_id,
                   from.vault_secret_id_ref, from.vault_k8s_role,  from.vault_k8s_token_file,
                   from.vault_auth_mount,    from.vault_namespace, from.vault_mount,
                   from.vault_ca_file,       from.timeout};
  options.aws = {aws_environment(variable), from.aws_endpoint_url, from.timeout};
  options.gcp = {from.gcp_endpoint_url, from.gcp_metadata_url, from.timeout};
  options.cache.ttl = from.ttl;
  options.cache.stale_max = from.stale_max;
  options.metrics = metrics;
  return options;
}

}  // namespace eilbote
