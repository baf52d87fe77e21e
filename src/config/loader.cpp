#include "config/loader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/nearest.h"
#include "config/graph_rules.h"
#include "config/secret_rules.h"
#include "config/store_url.h"
#include "config/toml_file.h"
#include "config/tracing_rules.h"
#include "config/transport_rules.h"

extern char** environ;

namespace eilbote {

bool ListenAddress::is_loopback() const {
  return host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

namespace {

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string close = nearest(name, candidates);
  return close.empty() ? "; `eilbote describe options` lists them all" : "; did you mean " + close + "?";
}

template <class Name>
std::vector<std::string> names_of(Name name) {
  std::vector<std::string> names;
  for (const auto& option : option_table())
    names.push_back(std::string(name(option)));
  return names;
}

class Loader {
 public:
  explicit Loader(const ConfigSources& sources) : sources_(sources) {
    std::string path = sources.file;
    const auto from_environment = sources.environment.find("EILBOTE_CONFIG");
    if (path.empty() && from_environment != sources.environment.end()) path = from_environment->second;
    if (!path.empty()) file_ = read_toml_file(path);
  }

  LoadedConfig load() {
    result_.faults = file_.faults;
    // Computed defaults look at other options, so they come second.
    for (const auto& option : option_table())
      result_.settings.push_back(find(option));
    for (auto& setting : result_.settings)
      if (!needs_computing(setting)) apply(setting);
    for (auto& setting : result_.settings)
      if (needs_computing(setting)) {
        setting.value = setting.option->computed(result_.config, sources_.surroundings);
        apply(setting);
      }
    add_pools();
    refuse_unknown();
    refuse_combinations();
    return std::move(result_);
  }

 private:
  static bool needs_computing(const Setting& setting) {
    return setting.origin == Origin::fallback && setting.option->computed;
  }

  // An empty value means "as if it were not there", as deployment tools like to write it.
  Setting find(const Option& option) const {
    const std::string flag = flag_name(option);
    if (const auto it = sources_.flags.find(flag); it != sources_.flags.end() && !it->second.empty())
      return {&option, it->second, Origin::flag, flag};
    const std::string key(option.key);
    if (const auto it = sources_.environment.find(key);
        it != sources_.environment.end() && !it->second.empty())
      return {&option, it->second, Origin::environment, key};
    const auto in_file = file_.values.find(std::string(option.toml));
    if (in_file != file_.values.end() && !in_file->second.text.empty())
      return {&option, in_file->second.text, Origin::file, in_file->second.where};
    return {&option, std::string(option.fallback), Origin::fallback, ""};
  }

  // A value is shown in the message unless it may be a secret.
  void apply(const Setting& setting) {
    const Option& option = *setting.option;
    if (setting.value.empty()) return;  // an option without a default that nobody set
    const auto done = option.kind.set(result_.config, setting.value);
    if (done) return;
    // With its default the option raises no second fault further down.
    if (!option.fallback.empty()) (void)option.kind.set(result_.config, option.fallback);
    const bool may_show = option.masked == Masked::no && !option.key.ends_with("_REF");
    result_.faults.push_back(
        fmt::format("{}{}: {}{}", option.key,
                    setting.where.empty() || setting.where == option.key ? "" : " (" + setting.where + ")",
                    done.error().message, may_show ? fmt::format("; it is '{}'", setting.value) : ""));
  }

  void add_pools() {
    auto& pools = result_.config.pools;
    pools = file_.pools;
    // Endpoints are many and slow, so far more requests than mails are open at once.
    for (const auto& [code, concurrency] : {std::pair{kWebhookPool, 4096}, {kMailPool, Pool{}.concurrency}}) {
      if (std::ranges::any_of(pools, [&](const Pool& pool) { return pool.code == code; })) continue;
      Pool pool;
      pool.code = pool.name = code;
      pool.concurrency = concurrency;
      pools.insert(pools.begin(), pool);
    }
  }

  void refuse_unknown() {
    const auto keys = names_of([](const Option& option) { return option.key; });
    std::set<std::string> referenced;
    for (const auto& setting : result_.settings)
      if (setting.option->key.ends_with("_REF") && setting.value.starts_with("env://"))
        referenced.insert(setting.value.substr(6));
    for (const auto& [name, value] : sources_.environment) {
      if (!name.starts_with("EILBOTE_") && !name.starts_with("DISPATCH_")) continue;
      if (std::find(keys.begin(), keys.end(), name) != keys.end() || referenced.contains(name)) continue;
      if (is_foreign_variable(name)) continue;
      result_.faults.push_back(
          fmt::format("unknown environment variable {}{}", name, did_you_mean(name, keys)));
    }
    const auto flags = names_of([](const Option& option) { return flag_name(option); });
    for (const auto& [name, value] : sources_.flags)
      if (std::find(flags.begin(), flags.end(), name) == flags.end())
        result_.faults.push_back(fmt::format("unknown flag {}{}", name, did_you_mean(name, flags)));
    const auto toml = names_of([](const Option& option) { return option.toml; });
    for (const auto& [name, value] : file_.values)
      if (std::find(toml.begin(), toml.end(), name) == toml.end())
        result_.faults.push_back(
            fmt::format("{}: unknown key {}{}", value.where, name, did_you_mean(name, toml)));
  }

  // What is well-formed but cannot work, or is not there yet.
  void refuse_combinations() {
    const Config& config = result_.config;
    auto& faults = result_.faults;
    refuse_identity();
    if (config.mail_provider == MailProvider::smtp && config.smtp.target.host.empty())
      faults.push_back(
          "EILBOTE_SMTP_URL: must name the relay when EILBOTE_MAIL_PROVIDER is 'smtp', for example "
          "smtp://user@relay.example.org:587");
    refuse_login("EILBOTE_SMTP_URL", "EILBOTE_SMTP_PASSWORD_REF", config.smtp);
    refuse_login("EILBOTE_SMTP_FALLBACK_URL", "EILBOTE_SMTP_FALLBACK_PASSWORD_REF", config.smtp_fallback);
    if (config.http_budget_bytes < config.http_body_bytes_max)
      faults.push_back(
          "EILBOTE_HTTP_BUDGET_BYTES: must not be smaller than EILBOTE_HTTP_BODY_BYTES_MAX, or the largest "
          "body could never be taken");
    if (config.http.tls_certificate_file.empty() != config.http.tls_key_file.empty())
      faults.push_back("EILBOTE_LISTEN_TLS_CERT, EILBOTE_LISTEN_TLS_KEY: need each other; set both, or none");
    const bool sqlite = config.store_url.starts_with("sqlite:");
    if (sqlite && !config.store_password_ref.empty())
      faults.push_back(
          "EILBOTE_STORE_PASSWORD_REF: SQLite has no password; remove it, or set EILBOTE_STORE_URL to a "
          "postgresql:// URL");
    if (!config.store_listen_url.empty() && (sqlite || config.store_listen_url.starts_with("sqlite:")))
      faults.push_back(
          "EILBOTE_STORE_LISTEN_URL: is for PostgreSQL; both it and EILBOTE_STORE_URL must be "
          "postgresql:// URLs");
    settle_graph(result_);
    refuse_transport(result_);
    refuse_secrets(result_);
    refuse_tracing(result_);
    share_relay_settings(result_.config);
    if (config.store_url == "sqlite:") result_.config.store_url = default_store_url(config);
  }

  // An open door without identity, or identity without an issuer.
  void refuse_identity() {
    const Config& config = result_.config;
    const bool has_oidc = config.auth == AuthMode::oidc;
    for (const auto& [key, value] :
         {std::pair<std::string_view, const std::string&>{"EILBOTE_OIDC_ISSUER", config.oidc.issuer},
          {"EILBOTE_OIDC_AUDIENCE", config.oidc.audience}}) {
      if (has_oidc && value.empty())
        result_.faults.push_back(fmt::format("{}: must be set when EILBOTE_AUTH is 'oidc'", key));
      if (!has_oidc && !value.empty())
        result_.faults.push_back(
            fmt::format("{}: is set, but EILBOTE_AUTH is 'off', so nobody would be asked for a token; set "
                        "EILBOTE_AUTH=oidc, or remove it",
                        key));
    }
    if (sources_.listens && !has_oidc && !config.listen.host.empty() && !config.listen.is_loopback())
      result_.faults.push_back(fmt::format(
          "EILBOTE_LISTEN: '{}' can be reached from other machines, and EILBOTE_AUTH is 'off': "
          "anyone could send mail; set EILBOTE_AUTH=oidc, or listen on 127.0.0.1, [::1] or localhost",
          config.listen.host));
  }

  // Only who and where differ between the two relays.
  static void share_relay_settings(Config& config) {
    const SmtpOptions own = config.smtp_fallback;
    config.smtp_fallback = config.smtp;
    config.smtp_fallback.target = own.target;
    config.smtp_fallback.secret_ref = own.secret_ref;
    config.smtp_fallback.route = "smtp-fallback";
  }

  // A user and a secret belong together.
  void refuse_login(std::string_view url, std::string_view reference, const SmtpOptions& relay) {
    if (relay.target.user.empty() && !relay.secret_ref.empty())
      result_.faults.push_back(
          fmt::format("{}: is set, but {} names no user (smtp://USER@host)", reference, url));
    if (!relay.target.user.empty() && relay.secret_ref.empty())
      result_.faults.push_back(
          fmt::format("{}: names a user; say with {} where the password is", url, reference));
  }

  const ConfigSources& sources_;
  TomlFile file_;
  LoadedConfig result_;
};

}  // namespace

LoadedConfig load_config(const ConfigSources& sources) {
  return Loader(sources).load();
}

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return all;
}

Surroundings process_surroundings() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
  return {std::string(name.data()), isatty(STDERR_FILENO) == 1};
}

}  // namespace eilbote
