// Config: what the options came to, typed and checked. Made by load_config (config/loader.h) from the option
// table; the composition root hands its parts to those who need them. Nobody else reads the environment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/log.h"
#include "base/time.h"
#include "domain/graph_options.h"
#include "domain/mail.h"
#include "domain/outbound_guard.h"
#include "domain/pool.h"
#include "domain/retry_policy.h"
#include "domain/secret_reference.h"
#include "domain/smtp_options.h"
#include "domain/transport_url.h"
#include "domain/webhook.h"

namespace eilbote {

enum class AuthMode { off, oidc };
inline constexpr auto kAuthModeNames =
    enum_names<AuthMode>({{AuthMode::off, "off"}, {AuthMode::oidc, "oidc"}});

enum class MailProvider { capture, smtp, graph };
inline constexpr auto kMailProviderNames = enum_names<MailProvider>(
    {{MailProvider::capture, "capture"}, {MailProvider::smtp, "smtp"}, {MailProvider::graph, "graph"}});

// Which of Microsoft's clouds the tenant is in: each has its own hosts, for Graph and for tokens.
enum class GraphCloud { global, usgov, usgov_dod, china };
inline constexpr auto kGraphCloudNames = enum_names<GraphCloud>({{GraphCloud::global, "global"},
                                                                 {GraphCloud::usgov, "usgov"},
                                                                 {GraphCloud::usgov_dod, "usgov-dod"},
                                                                 {GraphCloud::china, "china"}});

// by_address: the local part of a recipient's address makes the capture route fail, defer, stall or lose its
// answer.
enum class CaptureFaults { off, by_address };
inline constexpr auto kCaptureFaultsNames =
    enum_names<CaptureFaults>({{CaptureFaults::off, "off"}, {CaptureFaults::by_address, "by-address"}});

// triggered: mails go out only through POST /internal/dispatch*.
enum class DispatchMode { continuous, triggered };
inline constexpr auto kDispatchModeNames = enum_names<DispatchMode>(
    {{DispatchMode::continuous, "continuous"}, {DispatchMode::triggered, "triggered"}});

static_assert(kAuthModeNames.complete() && kMailProviderNames.complete() && kCaptureFaultsNames.complete() &&
              kDispatchModeNames.complete() && kGraphCloudNames.complete());

// What an instance does: takes jobs in (api), delivers them (worker), puts due ones into the broker and tells of dead ones
// (scheduler), or all of it. Upkeep is done by whoever is there.
enum class Role { all, api, worker, scheduler };
inline constexpr auto kRoleNames = enum_names<Role>(
    {{Role::all, "all"}, {Role::api, "api"}, {Role::worker, "worker"}, {Role::scheduler, "scheduler"}});
static_assert(kRoleNames.complete());

struct ListenAddress {
  std::string host;        // an address, without the brackets of IPv6
  std::uint16_t port = 0;  // 0: the system chooses a free one

  // 127.0.0.0/8 and ::1: only this machine can connect.
  bool is_loopback() const;
  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

struct OidcConfig {
  std::string issuer, audience;
  std::string ca_file;  // empty: the system's authorities
  Duration keys_life{};
};

// Where secrets may come from, and how long what was read is believed.
struct SecretConfig {
  SecretSchemes schemes;  // empty: all
  Duration ttl{};
  Duration stale_max{};
  Duration timeout{};
  std::string vault_addr;  // empty: no Vault
  std::string vault_token_ref;
  std::string vault_role_id, vault_secret_id_ref;
  std::string vault_k8s_role, vault_k8s_token_file;
  std::string vault_auth_mount;  // empty: approle or kubernetes
  std::string vault_namespace, vault_mount, vault_ca_file;
  std::string aws_endpoint_url;  // empty: AWS's own
  std::string gcp_endpoint_url, gcp_metadata_url;
};

// What a client of the HTTP listener may cost, and what the listener shows under TLS.
struct HttpListenerConfig {
  std::string tls_certificate_file, tls_key_file;  // empty, both: without TLS
  std::size_t connections_max = 0, connections_per_peer_max = 0;
  std::size_t header_bytes_max = 0;
  Duration handshake_timeout{}, header_timeout{}, body_timeout{}, write_timeout{}, idle_timeout{};
};

// The web console, and how people log in to it where tokens are needed.
struct ConsoleConfig {
  bool on = true;
  std::string client_id, scope;
  std::string audience;  // kNoConsoleAudience: none is asked for
};
inline constexpr std::string_view kNoConsoleAudience = "none";

// How due jobs get to a worker.
struct TransportConfig {
  std::string url;           // "database:", "amqp://..", "amqps://..", "sqs://.."
  std::string password_ref;  // empty: the URL has all that is needed
  std::string ca_file;       // empty: the system's authorities
  bool retries_apart = false;
  int depth_max = 0;
  int prefetch = 0;
  Duration stale_published{};
  Duration pending_poll{};
  Duration retry_interval{};

  bool is_broker() const { return url != kDatabaseTransport; }
};

// Where traces go, and which of them.
struct TracingConfig {
  std::string endpoint;  // empty: nothing is traced
  std::string headers_ref, ca_file;
  double sample = 1;
};

struct Config {
  // Server
  Role role = Role::all;
  ListenAddress listen;
  std::string data_dir;
  AuthMode auth = AuthMode::off;
  OidcConfig oidc;               // for AuthMode::oidc
  ListenAddress metrics_listen;  // without a host: metrics are on `listen`
  int http_threads = 1;
  std::size_t http_body_bytes_max = 0;
  std::size_t http_budget_bytes = 0;
  HttpListenerConfig http;
  ConsoleConfig console;
  Duration shutdown_grace{};
  log::Format log_format = log::Format::text;
  log::Level log_level = log::Level::info;

  // Store
  std::string store_url;           // never empty: "sqlite:PATH" or "postgresql://..."
  std::string store_password_ref;  // empty: the URL has all that is needed
  std::string store_listen_url;    // empty: the same as store_url
  int store_connections = 10;

  // Transport
  TransportConfig transport;

  // Secrets
  std::string data_key_ref;           // empty: a key file in the data folder
  std::string data_key_previous_ref;  // empty: there was none
  SecretConfig secrets;
  std::string provider_secret_ref;  // what providers sign their events with; empty: none is taken

  // Mail
  MailProvider mail_provider = MailProvider::capture;
  std::string capture_dir;
  CaptureFaults capture_faults = CaptureFaults::off;
  std::string message_id_domain;
  MailLimits mail_limits;
  SmtpOptions smtp, smtp_fallback;  // a relay without a host is not used

  // Microsoft Graph
  GraphCloud graph_cloud = GraphCloud::global;
  GraphOptions graph;  // for MailProvider::graph

  // Webhooks
  std::string webhook_ca_file;  // empty: the system's authorities
  int webhooks_per_host_max = 256;
  WebhookLimits webhook_limits;
  std::vector<OutboundAllow> outbound_allow;  // where clients may send to besides the open internet

  // Dispatch
  DispatchMode dispatch = DispatchMode::continuous;
  Duration lease{};
  Duration foreign_lease{};
  Duration uncertain_delay{};
  Duration breaker_probe{};
  Duration expires_after{};
  Duration retention{};
  Duration retention_dead{};
  RetryPolicy retry;        // of mails that carry none of their own
  std::vector<Pool> pools;  // `mail` and `webhook` are always among them

  // Tracing
  TracingConfig tracing;
};

}  // namespace eilbote
