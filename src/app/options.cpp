#include "app/options.h"

#include <cstdlib>

#include "app/role.h"
#include "engine/idle_ledger.h"

namespace eilbote {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables here
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Result<StoreOptions> store_options(const Config& config) {
  StoreOptions options;
  options.url = config.store_url;
  options.listen_url = config.store_listen_url;
  options.connections = config.store_connections;
  options.pools = config.pools;
  options.mail_policy = config.retry;
  options.broker = config.transport.is_broker();
  if (!config.store_password_ref.empty()) {
    auto password = open_secrets(secret_options(config))->resolve(config.store_password_ref);
    if (!password) return fail(password.error().with_context("EILBOTE_STORE_PASSWORD_REF"));
    options.password = std::move(*password);
  }
  return options;
}

HttpServerOptions http_options(const Config& config, const ServerTls* tls) {
  HttpServerOptions options;
  options.host = config.listen.host;
  options.port = config.listen.port;
  options.threads = config.http_threads;
  options.body_bytes_max = config.http_body_bytes_max;
  options.budget_bytes = config.http_budget_bytes;
  options.header_bytes_max = config.http.header_bytes_max;
  options.connections_max = config.http.connections_max;
  options.connections_per_peer_max = config.http.connections_per_peer_max;
  options.idle_timeout = config.http.idle_timeout;
  options.write_timeout = config.http.write_timeout;
  options.handshake_timeout = config.http.handshake_timeout;
  options.header_timeout = config.http.header_timeout;
  options.body_progress_timeout = config.http.body_timeout;
  options.tls = tls;
  return options;
}

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

OidcOptions oidc_options(const Config& config) {
  OidcOptions options;
  options.issuer = config.oidc.issuer;
  options.audience = config.oidc.audience;
  options.ca_file = config.oidc.ca_file;
  options.keys_life = config.oidc.keys_life;
  return options;
}

CourierRules courier_rules(const Config& config) {
  CourierRules rules{config.retry, config.uncertain_delay, config.transport.is_broker()};
  if (config.mail_provider == MailProvider::smtp) rules.mail_span = "smtp send";
  if (config.mail_provider == MailProvider::graph) rules.mail_span = "graph sendMail";
  if (config.mail_provider == MailProvider::capture) rules.mail_span = "capture write";
  return rules;
}

LedgerOptions ledger_options(const Config& config) {
  LedgerOptions options;
  options.pools = config.pools;
  options.continuous = config.dispatch == DispatchMode::continuous;
  options.courier = courier_rules(config);
  options.routes.mail.probe_every = config.breaker_probe;
  options.routes.requests_per_host_max = config.webhooks_per_host_max;
  options.lease = config.lease;
  options.by_broker = config.transport.is_broker();
  return options;
}

UpkeepOptions upkeep_options(const Config& config) {
  UpkeepOptions options;
  options.lease = config.lease;
  options.foreign_lease = config.foreign_lease;
  options.retention = config.retention;
  options.retention_dead = config.retention_dead;
  options.stale_published = config.transport.stale_published;
  return options;
}

ApiSettings api_settings(const Config& config) {
  ApiSettings settings;
  settings.mail_limits = config.mail_limits;
  settings.webhook_limits = config.webhook_limits;
  settings.mail_retry = config.retry;
  settings.expires_after = config.expires_after;
  settings.message_id_domain = config.message_id_domain;
  settings.console.on = config.console.on;
  if (config.auth == AuthMode::oidc) {
    settings.console.issuer = config.oidc.issuer;
    settings.console.client_id = config.console.client_id;
    settings.console.scope = config.console.scope;
    if (config.console.audience != kNoConsoleAudience) settings.console.audience = config.console.audience;
  }
  if (!delivers(config.role)) settings.delivers_nothing = delivers_nothing(kRoleNames.text(config.role));
  return settings;
}

}  // namespace eilbote
