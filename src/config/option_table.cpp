// The rows of the option table, in the order the reference shows them.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "config/option.h"
#include "config/option_kinds.h"
#include "config/option_sections.h"
#include "config/secret_option_rows.h"
#include "config/store_url.h"
#include "domain/mail_limits.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;
using kinds::bytes;
using kinds::choice;
using kinds::decimal;
using kinds::duration;
using kinds::number;

constexpr std::size_t kMiB = 1024 * 1024;
using Seconds = std::chrono::seconds;
using Days = std::chrono::days;

// The host name with everything that may not stand in a Message-ID made a '-'; "localhost" when nothing is
// left.
std::string safe_domain(std::string_view host) {
  std::string domain;
  for (const char c : host.substr(0, 253)) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    if (c == '.' && (domain.empty() || domain.back() == '.')) continue;
    domain += fits ? ascii_lower(c) : '-';
  }
  while (!domain.empty() && domain.back() == '.')
    domain.pop_back();
  return domain.empty() ? "localhost" : domain;
}

void add_server(std::vector<Option>& table) {
  table.push_back({"EILBOTE_ROLE", "server.role", "Server", "all", choice(&Config::role, kRoleNames),
                   "What this instance does. `api` takes jobs in; `worker` delivers them; `scheduler` puts "
                   "due ones into the "
                   "broker; `all`: everything. The other instances on the same PostgreSQL do the rest."});
  table.push_back({"EILBOTE_LISTEN", "server.listen", "Server", "127.0.0.1:8925",
                   kinds::listen(&Config::listen),
                   "Where the HTTP API listens. Port 0 takes a free one; the ready line names it."});
  table.push_back({"EILBOTE_DATA_DIR", "server.data_dir", "Server", "./eilbote-data",
                   kinds::text(&Config::data_dir, "path"),
                   "Folder for everything Eilbote writes; made when it is not there."});
  table.push_back(
      {"EILBOTE_AUTH", "server.auth", "Server", "off", choice(&Config::auth, kAuthModeNames),
       "Who may call. `off`: everybody, allowed on a loopback listener only. `oidc`: whoever has a token of "
       "EILBOTE_OIDC_ISSUER with the right scope."});
  table.push_back(
      {"EILBOTE_METRICS_LISTEN", "server.metrics_listen", "Server", "",
       kinds::listen(&Config::metrics_listen),
       "A listener of its own for /metrics and /health; /metrics is then no longer on the other one."});
  table.push_back({"EILBOTE_HTTP_THREADS", "http.threads", "Server", "1",
                   number(&Config::http_threads, 1, 64),
                   "Threads that serve HTTP. One is enough for tens of thousands of requests per second."});
  table.push_back({"EILBOTE_HTTP_BODY_BYTES_MAX", "http.body_bytes_max", "Server", "32MiB",
                   bytes(&Config::http_body_bytes_max, 1024, 256 * kMiB),
                   "Largest request body; larger: 413."});
  table.push_back(
      {"EILBOTE_HTTP_BUDGET_BYTES", "http.budget_bytes", "Server", "64MiB",
       bytes(&Config::http_budget_bytes, kMiB, 16384 * kMiB),
       "Memory for the bodies of all requests under way; when it is used up: 429 with Retry-After."});
  table.push_back({"EILBOTE_SHUTDOWN_GRACE", "server.shutdown_grace", "Server", "20s",
                   duration(&Config::shutdown_grace, 0s, 10min),
                   "How long a stop waits for deliveries under way; the rest is handed back, without using "
                   "up an attempt."});
  table.push_back({.key = "EILBOTE_LOG",
                   .toml = "log.format",
                   .section = "Server",
                   .fallback = "",
                   .kind = choice(&Config::log_format, log::kFormatNames),
                   .help = "Log lines on standard error, one JSON object each or readable text.",
                   .computed = [](const Config&, const Surroundings& around) -> std::string {
                     return around.log_is_terminal ? "text" : "json";
                   },
                   .computed_text = "text on a terminal, else json"});
  table.push_back({"EILBOTE_LOG_LEVEL", "log.level", "Server", "info",
                   choice(&Config::log_level, log::kLevelNames),
                   "The least important level that is written."});
}

void add_oidc(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_OIDC_ISSUER", "oidc.issuer", "Identity", "",
       kinds::text(
           [](Config & c) -> auto& { return c.oidc.issuer; }, "URL", kinds::check_issuer),
       "The issuer whose tokens are taken, exactly as its tokens and its discovery document spell it: "
       "`https://idp.example.org/realms/shop`. http:// only on this machine."});
  table.push_back({"EILBOTE_OIDC_AUDIENCE", "oidc.audience", "Identity", "",
                   kinds::text([](Config & c) -> auto& { return c.oidc.audience; }),
                   "What a token's `aud` must contain: this server's name at the issuer."});
  table.push_back({"EILBOTE_OIDC_CA_FILE", "oidc.ca_file", "Identity", "",
                   kinds::text(
                       [](Config & c) -> auto& { return c.oidc.ca_file; }, "path"),
                   "Certificates (PEM) to trust for the issuer, instead of the system's."});
  table.push_back(
      {"EILBOTE_OIDC_KEYS_LIFE", "oidc.keys_life", "Identity", "5m",
       duration(
           [](Config & c) -> auto& { return c.oidc.keys_life; }, 10s, 24h),
       "How old the issuer's keys get before they are read again, and how long a token that was "
       "verified is not verified again. A key that the issuer withdraws is out within twice this."});
}

void add_store(std::vector<Option>& table) {
  table.push_back(
      {.key = "EILBOTE_STORE_URL",
       .toml = "store.url",
       .section = "Store",
       .fallback = "",
       .kind = kinds::text(&Config::store_url, "URL", kinds::check_store_url),
       .help = "The database: `sqlite:PATH` (one instance) or `postgresql://USER@HOST:PORT/DATABASE` "
               "(any number of instances; run `eilbote migrate` first).",
       .masked = Masked::url_password,
       .computed = [](const Config& config, const Surroundings&) { return default_store_url(config); },
       .computed_text = "sqlite: eilbote.db in the data folder"});
  table.push_back({"EILBOTE_STORE_PASSWORD_REF", "store.password_ref", "Store", "",
                   kinds::text(&Config::store_password_ref, "reference", kinds::check_secret_reference),
                   "Where the password of the PostgreSQL user is, as a reference (docs/secrets.md)."});
  table.push_back({"EILBOTE_STORE_LISTEN_URL", "store.listen_url", "Store", "",
                   kinds::text(&Config::store_listen_url, "URL", kinds::check_store_url),
                   "A direct link to PostgreSQL for LISTEN, when the store URL goes through a pooler.",
                   Masked::url_password});
  table.push_back({"EILBOTE_STORE_CONNECTIONS", "store.connections", "Store", "10",
                   number(&Config::store_connections, 3, 100),
                   "Connections to PostgreSQL, at most. Under full load an instance uses nine."});
}

void add_mail(std::vector<Option>& table) {
  table.push_back({"EILBOTE_MAIL_PROVIDER", "mail.provider", "Mail", "capture",
                   choice(&Config::mail_provider, kMailProviderNames),
                   "The way out for mail. `capture` writes a file per mail; `smtp` hands it to "
                   "EILBOTE_SMTP_URL; `graph` sends it with Microsoft Graph (EILBOTE_GRAPH_*)."});
  table.push_back(
      {.key = "EILBOTE_CAPTURE_DIR",
       .toml = "capture.dir",
       .section = "Mail",
       .fallback = "",
       .kind = kinds::text(&Config::capture_dir, "path"),
       .help = "Where the capture route puts its files.",
       .computed = [](const Config& config, const Surroundings&) { return config.data_dir + "/captured"; },
       .computed_text = "captured in the data folder"});
  table.push_back(
      {"EILBOTE_CAPTURE_FAULTS", "capture.faults", "Mail", "off",
       choice(&Config::capture_faults, kCaptureFaultsNames),
       "For tests: `by-address` lets a recipient's address make the capture route fail on purpose."});
  table.push_back(
      {.key = "EILBOTE_MESSAGE_ID_DOMAIN",
       .toml = "mail.message_id_domain",
       .section = "Mail",
       .fallback = "",
       .kind = kinds::text(&Config::message_id_domain, "domain", kinds::check_domain),
       .help = "What stands behind the @ of a Message-ID.",
       .computed = [](const Config&, const Surroundings& around) { return safe_domain(around.host_name); },
       .computed_text = "the host's name"});
  table.push_back(
      {"EILBOTE_RECIPIENTS_MAX", "mail.recipients_max", "Mail", "1000",
       number(
           [](Config & c) -> auto& { return c.mail_limits.recipients_max; }, 1, 100'000),
       "Recipients of one mail (to, cc and bcc together). Microsoft Graph takes 500, so with `graph` it "
       "is never more."});
  table.push_back({"EILBOTE_ATTACHMENT_COUNT_MAX", "mail.attachment_count_max", "Mail", "20",
                   number(
                       [](Config & c) -> auto& { return c.mail_limits.attachments_max; }, 0, 1000),
                   "Attachments of one mail."});
  table.push_back({"EILBOTE_ATTACHMENT_BYTES_MAX", "mail.attachment_bytes_max", "Mail", "3MiB",
                   bytes(
                       [](Config & c) -> auto& { return c.mail_limits.attachment_bytes_max; }, 0, 256 * kMiB),
                   "Size of one attachment after decoding."});
  table.push_back(
      {"EILBOTE_ATTACHMENT_TOTAL_BYTES_MAX", "mail.attachment_total_bytes_max", "Mail", "10MiB",
       bytes(
           [](Config & c) -> auto& { return c.mail_limits.attachments_bytes_max; }, 0, 256 * kMiB),
       "Size of all attachments of a mail together."});
}

void add_relays(std::vector<Option>& table) {
  table.push_back({.key = "EILBOTE_SMTP_URL",
                   .toml = "smtp.url",
                   .section = "SMTP",
                   .fallback = "",
                   .kind = kinds::relay([](Config & c) -> auto& { return c.smtp.target; }),
                   .help =
                       "The relay: `smtp://USER@HOST:PORT?tls=required` (port 587 when not given) or "
                       "`smtps://USER@HOST:PORT` (465). `tls` is off, opportunistic, required or implicit; "
                       "`auth=xoauth2` logs in with a token. Without a user there is no login.",
                   .masked = Masked::url_password});
  table.push_back(
      {"EILBOTE_SMTP_PASSWORD_REF", "smtp.password_ref", "SMTP", "",
       kinds::text(
           [](Config & c) -> auto& { return c.smtp.secret_ref; }, "reference", kinds::check_secret_reference),
       "Where the password (or token) of the relay's user is, as a reference (docs/secrets.md). Read again "
       "for "
       "every new "
       "connection."});
  table.push_back({.key = "EILBOTE_SMTP_FALLBACK_URL",
                   .toml = "smtp.fallback_url",
                   .section = "SMTP",
                   .fallback = "",
                   .kind = kinds::relay([](Config & c) -> auto& { return c.smtp_fallback.target; }),
                   .help = "A second relay, used while the first is down; never for what the first refused.",
                   .masked = Masked::url_password});
  table.push_back({"EILBOTE_SMTP_FALLBACK_PASSWORD_REF", "smtp.fallback_password_ref", "SMTP", "",
                   kinds::text(
                       [](Config & c) -> auto& { return c.smtp_fallback.secret_ref; }, "reference",
                       kinds::check_secret_reference),
                   "The same for the second relay."});
  table.push_back({"EILBOTE_SMTP_CA_FILE", "smtp.ca_file", "SMTP", "",
                   kinds::text(
                       [](Config & c) -> auto& { return c.smtp.ca_file; }, "path"),
                   "Certificates (PEM) to trust instead of the system's, for a relay with one of its own."});
  table.push_back(
      {.key = "EILBOTE_SMTP_EHLO_NAME",
       .toml = "smtp.ehlo_name",
       .section = "SMTP",
       .fallback = "",
       .kind = kinds::text(
           [](Config & c) -> auto& { return c.smtp.ehlo_name; }, "domain", kinds::check_domain),
       .help = "The name this machine gives itself to a relay.",
       .computed = [](const Config&, const Surroundings& around) { return safe_domain(around.host_name); },
       .computed_text = "the host's name"});
}

void add_relay_limits(std::vector<Option>& table) {
  table.push_back({"EILBOTE_SMTP_CONNECTIONS_MAX", "smtp.connections_max", "SMTP", "20",
                   number(
                       [](Config & c) -> auto& { return c.smtp.connections_max; }, 1, 1000),
                   "Connections to a relay at once; fewer while it asks to slow down."});
  table.push_back({"EILBOTE_SMTP_MAILS_PER_CONNECTION_MAX", "smtp.mails_per_connection_max", "SMTP", "1000",
                   number(
                       [](Config & c) -> auto& { return c.smtp.mails_per_connection_max; }, 1, 1'000'000),
                   "Mails over one connection before it is closed."});
  table.push_back(
      {"EILBOTE_SMTP_MAILS_PER_SECOND_MAX", "smtp.mails_per_second_max", "SMTP", "0",
       decimal(
           [](Config & c) -> auto& { return c.smtp.mails_per_second_max; }, 0.0, 100'000.0, "0 to 100000"),
       "Mails a second to a relay, by this instance; 0 is as fast as it goes."});
  table.push_back(
      {"EILBOTE_SMTP_CONNECT_RETRIES", "smtp.connect_retries", "SMTP", "5s,15s,30s",
       kinds::durations([](Config & c) -> auto& { return c.smtp.connect_retries; }),
       "Waits before a network fault (DNS, connect, TLS, a connection lost before the mail was handed "
       "over) is tried again within the same attempt."});
  table.push_back(
      {"EILBOTE_SMTP_AUTH_FAILURE", "smtp.auth_failure", "SMTP", "wait",
       choice(
           [](Config & c) -> auto& { return c.smtp.auth_failure; }, kSmtpAuthFailureNames),
       "When the relay refuses the login: `wait` keeps mails until somebody mends it or they expire; "
       "`fail` makes each FAILED at once."});
  struct Timeout {
    std::string_view key, toml, fallback;
    Duration SmtpTimeouts::*where;
    std::string_view help;
  };
  static const Timeout kTimeouts[] = {
      {"EILBOTE_SMTP_DNS_TIMEOUT", "smtp.dns_timeout", "10s", &SmtpTimeouts::dns,
       "To look up the relay's name."},
      {"EILBOTE_SMTP_CONNECT_TIMEOUT", "smtp.connect_timeout", "30s", &SmtpTimeouts::connect,
       "To connect to one address."},
      {"EILBOTE_SMTP_BANNER_TIMEOUT", "smtp.banner_timeout", "1m", &SmtpTimeouts::banner,
       "For the relay's greeting."},
      {"EILBOTE_SMTP_COMMAND_TIMEOUT", "smtp.command_timeout", "1m", &SmtpTimeouts::command,
       "For the answer to EHLO, STARTTLS, AUTH, MAIL, RCPT and RSET."},
      {"EILBOTE_SMTP_DATA_TIMEOUT", "smtp.data_timeout", "2m", &SmtpTimeouts::data,
       "For the answer to DATA."},
      {"EILBOTE_SMTP_BODY_TIMEOUT", "smtp.body_timeout", "3m", &SmtpTimeouts::body,
       "For each 64 KiB of the message to leave."},
      {"EILBOTE_SMTP_DOT_TIMEOUT", "smtp.dot_timeout", "10m", &SmtpTimeouts::dot,
       "For the answer to the whole message. Short values make duplicates: the relay may have it already."},
      {"EILBOTE_SMTP_IDLE_TIMEOUT", "smtp.idle_timeout", "30s", &SmtpTimeouts::idle,
       "How long an unused connection is kept."},
  };
  for (const Timeout& one : kTimeouts)
    table.push_back(
        {one.key, one.toml, "SMTP", one.fallback,
         duration(
             [where = one.where](Config & c) -> auto& { return c.smtp.timeouts.*where; }, 10ms, 1h),
         one.help});
}

void add_webhooks(std::vector<Option>& table) {
  table.push_back({"EILBOTE_WEBHOOK_CA_FILE", "webhook.ca_file", "Webhooks", "",
                   kinds::text(&Config::webhook_ca_file, "path"),
                   "Certificates (PEM) to trust instead of the system's, for endpoints with their own."});
  table.push_back({"EILBOTE_WEBHOOK_REQUESTS_PER_HOST_MAX", "webhook.requests_per_host_max", "Webhooks",
                   "256", number(&Config::webhooks_per_host_max, 1, 10'000),
                   "Requests open at once to one endpoint host, from this instance."});
  table.push_back({"EILBOTE_WEBHOOK_PAYLOAD_BYTES_MAX", "webhook.payload_bytes_max", "Webhooks", "1MiB",
                   bytes(
                       [](Config & c) -> auto& { return c.webhook_limits.payload_bytes_max; }, 1, 16 * kMiB),
                   "Size of a webhook job's payload."});
  table.push_back({"EILBOTE_OUTBOUND_ALLOW", "outbound.allow", "Webhooks", "",
                   kinds::outbound_allow(&Config::outbound_allow),
                   "Where webhooks and callbacks may go besides the open internet, with commas in between: "
                   "`10.1.0.0/16`, `[fd00::/8]:8443`, `hooks.example.org`, `*.corp.example:8080`. An entry "
                   "without a port does not open ports of other protocols, and a cloud's metadata service is "
                   "opened only by its very address."});
}

void add_dispatch(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_DISPATCH", "dispatch.mode", "Dispatch", "continuous",
       choice(&Config::dispatch, kDispatchModeNames),
       "`triggered`: mails go out only when POST /internal/dispatch asks for it (Airflow, cron)."});
  table.push_back(
      {"EILBOTE_LEASE_SECONDS", "dispatch.lease_seconds", "Dispatch", "15",
       number(&Config::lease, 1, 3600, Seconds{1}),
       "How long an instance that stopped answering keeps its jobs. Heartbeats go at a fifth of it."});
  table.push_back({"EILBOTE_FOREIGN_LEASE_SECONDS", "dispatch.foreign_lease_seconds", "Dispatch", "300",
                   number(&Config::foreign_lease, 1, 86'400, Seconds{1}),
                   "How long a row that another program claimed through `mail_outbox` is left to it."});
  table.push_back({"EILBOTE_UNCERTAIN_DELAY", "dispatch.uncertain_delay", "Dispatch", "10m",
                   duration(&Config::uncertain_delay, 0s, std::chrono::days{30}),
                   "Wait before a mail is sent again whose hand-over got no answer."});
  table.push_back({"EILBOTE_BREAKER_PROBE", "dispatch.breaker_probe", "Dispatch", "30s",
                   duration(&Config::breaker_probe, 100ms, 1h),
                   "How often a route that is down is tried again, without a mail."});
  table.push_back({"EILBOTE_EXPIRES_AFTER", "dispatch.expires_after", "Dispatch", "5d",
                   duration(&Config::expires_after, 1s, std::chrono::days{365}),
                   "When a mail or webhook without `expiresAt` is given up."});
  table.push_back({"EILBOTE_RETENTION_DAYS", "dispatch.retention_days", "Dispatch", "30",
                   number(&Config::retention, 1, 3650, Days{1}),
                   "How long finished mails and webhooks are kept."});
  table.push_back({"EILBOTE_RETENTION_DEAD_DAYS", "dispatch.retention_dead_days", "Dispatch", "90",
                   number(&Config::retention_dead, 1, 3650, Days{1}),
                   "How long dead mails (FAILED) and webhooks (ERROR) are kept."});
}

void add_retry(std::vector<Option>& table) {
  table.push_back(
      {"DISPATCH_BACKOFF_SCHEDULE", "retry.backoff_schedule", "Retry", "", kinds::schedule(),
       "Waits after the 1st, 2nd, .. failure instead of exponential backoff; the last one repeats. "
       "`default` is 1m,5m,15m,1h,3h,6h,12h,24h."});
  table.push_back({.key = "DISPATCH_MAX_ATTEMPTS",
                   .toml = "retry.max_attempts",
                   .section = "Retry",
                   .fallback = "",
                   .kind = number(
                       [](Config & c) -> auto& { return c.retry.attempts_max; }, 1, kRetryAttemptsMax),
                   .help = "Failed attempts after which a mail is FAILED.",
                   .computed = [](const Config& config, const Surroundings&) -> std::string {
                     return std::to_string(config.retry.strategy == RetryStrategy::schedule
                                               ? kDefaultScheduleAttempts
                                               : RetryPolicy{}.attempts_max);
                   },
                   .computed_text = "5; 8 with a schedule"});
  table.push_back({"DISPATCH_BACKOFF_BASE_SECONDS", "retry.backoff_base_seconds", "Retry", "30",
                   number(
                       [](Config & c) -> auto& { return c.retry.base; }, 0, 86'400, Seconds{1}),
                   "Exponential backoff: the wait after failure n is base * 2^n."});
  table.push_back({"DISPATCH_BACKOFF_MAX_SECONDS", "retry.backoff_max_seconds", "Retry", "3600",
                   number(
                       [](Config & c) -> auto& { return c.retry.max; }, 0, kRetryWaitMax.count(), Seconds{1}),
                   "Exponential backoff: the longest wait."});
  table.push_back(
      {"DISPATCH_BACKOFF_JITTER", "retry.backoff_jitter", "Retry", "0.2",
       decimal(
           [](Config & c) -> auto& { return c.retry.jitter; }, 0.0, 1.0, "0.0 to 1.0"),
       "Exponential backoff: each wait is shortened or lengthened by up to this part of itself."});
}

}  // namespace

const std::vector<Option>& option_table() {
  static const std::vector<Option> table = [] {
    std::vector<Option> rows;
    add_server(rows);
    add_oidc(rows);
    add_http_options(rows);
    add_console_options(rows);
    add_store(rows);
    add_transport_options(rows);
    add_secret_options(rows);
    add_mail(rows);
    add_relays(rows);
    add_relay_limits(rows);
    add_graph_options(rows);
    add_webhooks(rows);
    add_dispatch(rows);
    add_retry(rows);
    add_tracing_options(rows);
    return rows;
  }();
  return table;
}

std::string flag_name(const Option& option) {
  std::string_view key = option.key;
  if (key.starts_with("EILBOTE_")) key.remove_prefix(8);
  std::string flag = "--";
  for (const char c : key)
    flag += c == '_' ? '-' : ascii_lower(c);
  return flag;
}

std::string shown_value(const Option& option, std::string_view value) {
  switch (option.masked) {
    case Masked::no:
      return std::string(value);
    case Masked::yes:
      return value.empty() ? "" : "****";
    case Masked::url_password:
      return masked_url(value);
  }
  return "****";
}

bool is_foreign_variable(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kOurs{
      "EILBOTE_CONFIG",    "EILBOTE_SERVER", "EILBOTE_TOKEN",     "EILBOTE_TOKEN_REF",
      "EILBOTE_CONTRACTS", "EILBOTE_BINARY", "EILBOTE_SOURCE_DIR"};
  if (std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end()) return true;
  if (name.starts_with("EILBOTE_TEST_") || name.starts_with("EILBOTE_BENCH_")) return true;
  // Kubernetes: SERVICE_HOST, SERVICE_PORT[_NAME], PORT and PORT_8925_TCP[_...] of each service in the
  // namespace.
  const auto link = name.find("_SERVICE_");
  if (link != std::string_view::npos) {
    const auto rest = name.substr(link + 9);
    if (rest == "HOST" || rest == "PORT" || rest.starts_with("PORT_")) return true;
  }
  return name.ends_with("_PORT") || name.find("_PORT_") != std::string_view::npos;
}

}  // namespace eilbote
