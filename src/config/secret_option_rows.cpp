#include "config/secret_option_rows.h"

#include "config/option_kinds.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

// A field of SecretConfig, as the kinds want it.
template <class Field>
auto in_secrets(Field SecretConfig::*field) {
  return [field](Config& config) -> Field& { return config.secrets.*field; };
}

void add_data_keys(std::vector<Option>& table) {
  table.push_back(
      {.key = "EILBOTE_DATA_KEY_REF",
       .toml = "secrets.data_key_ref",
       .section = "Secrets",
       .fallback = "",
       .kind = kinds::text(&Config::data_key_ref, "reference", kinds::check_key_reference),
       .help = "Where the key is that secrets, and with this option set also contents, are stored under: a "
               "reference to the base64 of 32 bytes (`openssl rand -base64 32`). Instances on one database "
               "need the same.",
       .computed = [](const Config&, const Surroundings&) { return std::string(); },
       .computed_text = "data.key in the data folder, made when it is first needed; for secrets only"});
  table.push_back({"EILBOTE_DATA_KEY_PREVIOUS_REF", "secrets.data_key_previous_ref", "Secrets", "",
                   kinds::text(&Config::data_key_previous_ref, "reference", kinds::check_key_reference),
                   "The key before the last change. It still opens what was stored under it; nothing new "
                   "is. `eilbote rekey` makes it unnecessary."});
}

void add_provider_secret(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_PROVIDER_SECRET_REF", "secrets.provider_secret_ref", "Secrets", "",
       kinds::text(&Config::provider_secret_ref, "reference", kinds::check_secret_reference),
       "Where the secret is that providers sign `POST /webhooks/provider` and `POST /webhooks/dsn` "
       "with (`X-Webhook-Signature`), as a reference. A new value counts without a restart. Empty: "
       "signed events are refused."});
}

void add_rules(std::vector<Option>& table) {
  table.push_back({"EILBOTE_SECRET_SCHEMES", "secrets.schemes", "Secrets", "", kinds::schemes(),
                   "Where secrets may come from, for example `vault`. Any other reference, or a secret "
                   "written out in a URL, then stops the start. Empty: anywhere."});
  table.push_back({"EILBOTE_SECRET_TTL", "secrets.ttl", "Secrets", "5m",
                   kinds::duration(in_secrets(&SecretConfig::ttl), 1s, std::chrono::days{1}),
                   "How old a secret from a store on the network may get; it is read again before that, in "
                   "the background."});
  table.push_back({"EILBOTE_SECRET_STALE_MAX", "secrets.stale_max", "Secrets", "24h",
                   kinds::duration(in_secrets(&SecretConfig::stale_max), 0s, std::chrono::days{30}),
                   "How long the last value is used beyond that while the store cannot be read."});
  table.push_back({"EILBOTE_SECRET_TIMEOUT", "secrets.timeout", "Secrets", "5s",
                   kinds::duration(in_secrets(&SecretConfig::timeout), 100ms, 60s),
                   "How long one request to a secret store may take."});
}

void add_vault_login(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_VAULT_TOKEN_REF", "vault.token_ref", "Secrets", "",
       kinds::text(in_secrets(&SecretConfig::vault_token_ref), "reference", kinds::check_local_reference),
       "Vault token, kept on this machine (`env://NAME`, `file://PATH`, ..). Renewed while it can be; a file "
       "is read again."});
  table.push_back({"EILBOTE_VAULT_ROLE_ID", "vault.role_id", "Secrets", "",
                   kinds::text(in_secrets(&SecretConfig::vault_role_id)), "AppRole login: the role."});
  table.push_back(
      {"EILBOTE_VAULT_SECRET_ID_REF", "vault.secret_id_ref", "Secrets", "",
       kinds::text(in_secrets(&SecretConfig::vault_secret_id_ref), "reference", kinds::check_local_reference),
       "AppRole login: the secret id, kept on this machine (`env://NAME`, `file://PATH`, ..)."});
  table.push_back({"EILBOTE_VAULT_K8S_ROLE", "vault.k8s_role", "Secrets", "",
                   kinds::text(in_secrets(&SecretConfig::vault_k8s_role)), "Kubernetes login: the role."});
  table.push_back({"EILBOTE_VAULT_K8S_TOKEN_FILE", "vault.k8s_token_file", "Secrets",
                   "/var/run/secrets/kubernetes.io/serviceaccount/token",
                   kinds::text(in_secrets(&SecretConfig::vault_k8s_token_file), "path"),
                   "Kubernetes login: the pod's token, read at every login."});
  table.push_back({.key = "EILBOTE_VAULT_AUTH_MOUNT",
                   .toml = "vault.auth_mount",
                   .section = "Secrets",
                   .fallback = "",
                   .kind = kinds::text(in_secrets(&SecretConfig::vault_auth_mount)),
                   .help = "Where the login method is mounted.",
                   .computed = [](const Config&, const Surroundings&) { return std::string(); },
                   .computed_text = "approle or kubernetes, as the login is"});
}

void add_stores(std::vector<Option>& table) {
  table.push_back({"EILBOTE_VAULT_ADDR", "vault.addr", "Secrets", "",
                   kinds::text(in_secrets(&SecretConfig::vault_addr), "URL", kinds::check_web_address),
                   "The Vault that `vault://` references are read from: `https://vault.example.org:8200`."});
  add_vault_login(table);
  table.push_back({"EILBOTE_VAULT_NAMESPACE", "vault.namespace", "Secrets", "",
                   kinds::text(in_secrets(&SecretConfig::vault_namespace)),
                   "Vault namespace, where there are several."});
  table.push_back({"EILBOTE_VAULT_MOUNT", "vault.mount", "Secrets", "secret",
                   kinds::text(in_secrets(&SecretConfig::vault_mount)),
                   "Where the KV (version 2) engine is mounted; paths of references begin below it."});
  table.push_back({"EILBOTE_VAULT_CA_FILE", "vault.ca_file", "Secrets", "",
                   kinds::text(in_secrets(&SecretConfig::vault_ca_file), "path"),
                   "PEM file with the authorities to trust for Vault instead of the system's."});
  table.push_back({"EILBOTE_AWS_ENDPOINT_URL", "aws.endpoint_url", "Secrets", "",
                   kinds::text(in_secrets(&SecretConfig::aws_endpoint_url), "URL", kinds::check_web_address),
                   "Instead of AWS's own addresses, for all its services. Region and credentials come from "
                   "the AWS_* variables, as AWS's own programs read them."});
  table.push_back({"EILBOTE_GCP_ENDPOINT_URL", "gcp.endpoint_url", "Secrets",
                   "https://secretmanager.googleapis.com",
                   kinds::text(in_secrets(&SecretConfig::gcp_endpoint_url), "URL", kinds::check_web_address),
                   "Where Google's Secret Manager is."});
  table.push_back({"EILBOTE_GCP_METADATA_URL", "gcp.metadata_url", "Secrets",
                   "http://metadata.google.internal",
                   kinds::text(in_secrets(&SecretConfig::gcp_metadata_url), "URL", kinds::check_web_address),
                   "The metadata server that gives out access tokens for it."});
}

}  // namespace

void add_secret_options(std::vector<Option>& table) {
  add_data_keys(table);
  add_provider_secret(table);
  add_rules(table);
  add_stores(table);
}

}  // namespace eilbote
