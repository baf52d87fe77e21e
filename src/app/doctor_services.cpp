// What the doctor asks over the network: the stores of secrets, the broker, the way out for mail, the issuer of tokens. Each is
// gone as far as it goes without a job: nothing is sent, and no message is taken.
#include <fmt/format.h>

#include <condition_variable>
#include <future>

#include "app/broker_parts.h"
#include "app/doctor.h"
#include "app/options.h"
#include "app/role.h"
#include "auth/key_fetch.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/mutex.h"
#include "channel/graph_token.h"
#include "channel/relay_probe.h"
#include "domain/issuer_url.h"
#include "domain/retry_after.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

// Tokens name times; beyond this they are refused as too young or too old.
constexpr Duration kIssuerClockMax = std::chrono::seconds{30};

// ---- secrets ----

Finding judge_secret(const Config& config, const std::string& option, const std::string& reference) {
  const std::string what = "secret of " + option;
  const auto secret = open_secrets(secret_options(config))->resolve(reference);
  if (secret) return Finding::ok(what, "can be read");
  return Finding::error(
      what, secret.error().message,
      fmt::format("Put the secret where {} says, readable by the user of the server, or correct the "
                  "reference; `eilbote secret check` tries one.",
                  option));
}

void add_secret_checks(Checks& checks, const SharedConfig& loaded) {
  for (const Setting& setting : loaded->settings) {
    if (!setting.option->key.ends_with("_REF") || setting.value.empty()) continue;
    const std::string option(setting.option->key);
    checks.push_back({"secret of " + option,
                      "Its store does not answer: look at the way to Vault or the cloud's store.",
                      [loaded, option, reference = setting.value] {
                        return std::vector<Finding>{judge_secret(loaded->config, option, reference)};
                      }});
  }
}

// ---- broker ----

class NobodyToWake final : public WakeUps {
 public:
  void announce() override {}
  void start(std::function<void()>) override {}
  void stop() override {}
};

std::string broker_advice(const std::string& why) {
  if (why.find("_REF:") != std::string::npos) return "Put the password where the option says.";
  if (why.find("login") != std::string::npos || why.find("ACCESS_REFUSED") != std::string::npos)
    return "The broker does not take this user: correct the user in EILBOTE_TRANSPORT_URL, the password "
           "behind "
           "EILBOTE_TRANSPORT_PASSWORD_REF, or the user's rights on the virtual host.";
  return "Start the broker, and compare host, port and virtual host of EILBOTE_TRANSPORT_URL with its own; "
         "jobs wait in "
         "the database meanwhile.";
}

// Waits until the transport says that it is there, or why it is not.
TransportState settled_state(Transport& transport) {
  Mutex mutex;
  std::condition_variable_any changed;
  Transport::Hooks hooks;
  hooks.look = [] {};
  hooks.arrive = [](const std::vector<Arrival>&) {};
  hooks.ready = [&] { changed.notify_all(); };
  const std::string before = transport.state().detail;
  transport.start(std::move(hooks));
  const auto deadline = std::chrono::steady_clock::now() + kStepPatience;
  TransportState state = transport.state();
  {
    const MutexLock lock(mutex);
    // Trouble is not told by a hook, hence the short rounds.
    while (!state.connected && state.detail == before && std::chrono::steady_clock::now() < deadline) {
      changed.wait_for(mutex, std::chrono::milliseconds{20});
      state = transport.state();
    }
  }
  transport.stop();
  return state;
}

std::vector<Finding> judge_broker(const SharedConfig& loaded) {
  constexpr const char* kWhat = "broker";
  Config config = loaded->config;
  config.role = Role::scheduler;  // consumes nothing
  const SystemClock clock;
  Metrics metrics;
  NobodyToWake wakeups;
  const auto secrets = open_secrets(secret_options(config));
  const auto transport = make_configured_transport(config, *secrets, wakeups, metrics, clock);
  if (!transport)
    return {Finding::error(kWhat, transport.error().message, broker_advice(transport.error().message))};
  const TransportState state = settled_state(**transport);
  if (!state.connected) return {Finding::error(kWhat, state.detail, broker_advice(state.detail))};
  return {Finding::ok(kWhat, "connected; its queues are there")};
}

// ---- mail route ----

std::vector<Finding> judge_relay(const Config& config, SmtpOptions relay) {
  SmtpTimeouts& timeouts = relay.timeouts;
  for (Duration* one : {&timeouts.dns, &timeouts.connect, &timeouts.banner, &timeouts.command})
    *one = std::min(*one, kStepPatience);
  std::vector<Finding> findings;
  for (RelayFinding& one : probe_relay(relay, *open_secrets(secret_options(config)), look_up_name))
    findings.push_back({one.good ? Severity::ok : Severity::error,
                        fmt::format("relay ({}), {}", relay.route, one.what), std::move(one.text),
                        std::move(one.advice)});
  return findings;
}

std::string graph_advice(const GraphTokenFailure& failure) {
  if (failure.configuration)
    return "The application is not known there, or its proof is wrong: compare EILBOTE_GRAPH_TENANT_ID and "
           "EILBOTE_GRAPH_CLIENT_ID with the registration, and renew the secret or certificate.";
  return "The token endpoint cannot be reached from here: look at DNS, the proxy and the firewall towards "
         "it.";
}

std::vector<Finding> judge_graph(const Config& config) {
  constexpr const char* kWhat = "Microsoft Graph";
  const SystemClock clock;
  Metrics metrics;
  const auto secrets = open_secrets(secret_options(config));
  HttpClientOptions http;
  http.ca_file = config.graph.ca_file;
  auto client = make_http_client(std::move(http));
  if (!client)
    return {Finding::error(kWhat, client.error().message, "EILBOTE_GRAPH_CA_FILE must be a PEM file.")};
  const auto token = GraphToken::make(config.graph, *secrets, **client, metrics, clock);
  if (!token)
    return {Finding::error(kWhat, token.error().message, "Correct the options of Microsoft Graph.")};
  const auto answer = std::make_shared<std::promise<std::optional<GraphTokenFailure>>>();
  auto came = answer->get_future();
  (*client)->later([&token, answer] {
    (*token)->get([answer](const GraphToken::Answer& given) {
      answer->set_value(given ? std::nullopt : std::optional(given.error()));
    });
  });
  const bool in_time = came.wait_for(kStepPatience) == std::future_status::ready;
  (*token)->stop();
  client->reset();  // its thread uses the token
  if (!in_time)
    return {Finding::error(kWhat, "no answer from the token endpoint within " + duration_text(kStepPatience),
                           graph_advice({}))};
  if (const auto failure = came.get())
    return {Finding::error(kWhat,
                           failure->code.empty() ? failure->text : failure->code + ": " + failure->text,
                           graph_advice(*failure))};
  return {Finding::ok(kWhat, "a token was given")};
}

void add_mail_checks(Checks& checks, const SharedConfig& loaded) {
  const Config& config = loaded->config;
  constexpr const char* kLate =
      "It takes the connection and says nothing: look at its load, and at firewalls in between.";
  switch (config.mail_provider) {
    case MailProvider::capture:
      checks.push_back({"mail route", "", [] {
                          return std::vector<Finding>{Finding::warning(
                              "mail route", "mails become files (EILBOTE_MAIL_PROVIDER=capture)",
                              "No mail leaves: set EILBOTE_MAIL_PROVIDER to smtp or graph where it should.")};
                        }});
      return;
    case MailProvider::smtp:
      for (const SmtpOptions* relay : {&config.smtp, &config.smtp_fallback})
        if (!relay->target.host.empty())
          checks.push_back({fmt::format("relay ({})", relay->route), kLate,
                            [loaded, options = *relay] { return judge_relay(loaded->config, options); }});
      return;
    case MailProvider::graph:
      checks.push_back({"Microsoft Graph", kLate, [loaded] { return judge_graph(loaded->config); }});
      return;
  }
}

// ---- issuer ----

using SteadyTime = std::chrono::steady_clock::time_point;

// How far this machine's clock is ahead of the issuer's; nothing when it does not say so by then.
std::optional<Duration> ahead_of(HttpClient& client, const WebhookUrl& url, SteadyTime deadline) {
  const SystemClock clock;
  HttpCall call;
  call.method = "GET";
  call.url = url.text();
  call.host = url.host;
  call.host_is_address = url.host_is_address;
  call.port = url.port;
  call.timeout = kStepPatience;  // who waits gives up before
  const auto answer = std::make_shared<std::promise<HttpAnswer>>();
  auto came = answer->get_future();
  client.send(std::move(call), [answer](HttpAnswer given) { answer->set_value(std::move(given)); });
  if (came.wait_until(deadline) != std::future_status::ready) return std::nullopt;
  const TimePoint now = clock.now();
  const auto date = parse_http_date(came.get().header("Date"), now);
  if (!date) return std::nullopt;
  return now - *date;
}

Finding judge_issuer_clock(const std::optional<Duration>& ahead) {
  constexpr const char* kWhat = "clock of the issuer";
  if (!ahead) return Finding::ok(kWhat, "it did not tell its time within " + duration_text(kStepPatience));
  const Duration off = std::chrono::abs(*ahead);
  if (off <= kIssuerClockMax) return Finding::ok(kWhat, "within 30 s of this machine's");
  return Finding::error(
      kWhat,
      fmt::format("this machine is {} {} it", duration_text(std::chrono::floor<std::chrono::seconds>(off)),
                  ahead->count() > 0 ? "ahead of" : "behind"),
      "Tokens are refused as expired or not yet valid: let NTP set both clocks.");
}

std::vector<Finding> judge_issuer(const Config& config) {
  constexpr const char* kWhat = "issuer";
  constexpr const char* kAdvice =
      "Open the discovery document of EILBOTE_OIDC_ISSUER from this machine (curl); it must be exactly the "
      "`issuer` in it, "
      "and reachable over TLS that EILBOTE_OIDC_CA_FILE or the system trusts.";
  const SystemClock clock;
  HttpClientOptions http;
  http.ca_file = config.oidc.ca_file;
  auto client = make_http_client(std::move(http));
  if (!client) return {Finding::error(kWhat, client.error().message, kAdvice)};
  const SteadyTime deadline = std::chrono::steady_clock::now() + kStepPatience;  // of both questions
  const auto answer = std::make_shared<std::promise<Result<std::size_t>>>();
  auto came = answer->get_future();
  fetch_keys(**client, clock, {config.oidc.issuer, kStepPatience}, [answer](const Result<KeySet>& keys) {
    answer->set_value(keys ? Result<std::size_t>(keys->size()) : fail(keys.error()));
  });
  if (came.wait_until(deadline) != std::future_status::ready)
    return {Finding::error(kWhat, "no answer within " + duration_text(kStepPatience), kAdvice)};
  const Result<std::size_t> keys = came.get();
  if (!keys) return {Finding::error(kWhat, keys.error().message, kAdvice)};
  std::vector<Finding> findings{Finding::ok(kWhat, fmt::format("{} keys", *keys))};
  if (const auto url = parse_issuer_url(discovery_url(config.oidc.issuer)))
    findings.push_back(judge_issuer_clock(ahead_of(**client, *url, deadline)));
  return findings;
}

// With tokens the console needs a name of its own at the issuer; without one its page lets nobody in.
Finding judge_console(const Config& config) {
  constexpr const char* kWhat = "console";
  if (!config.console.client_id.empty()) return Finding::ok(kWhat, "logs in as " + config.console.client_id);
  return Finding::warning(kWhat, "nobody can log in at /console",
                          "Register a public client at the issuer (docs/console.md) and set "
                          "EILBOTE_CONSOLE_CLIENT_ID to its id, or set EILBOTE_CONSOLE=off.");
}

}  // namespace

void add_service_checks(Checks& checks, const SharedConfig& loaded) {
  add_secret_checks(checks, loaded);
  if (loaded->config.transport.is_broker())
    checks.push_back({"broker", broker_advice(""), [loaded] { return judge_broker(loaded); }});
  add_mail_checks(checks, loaded);
  if (loaded->config.auth == AuthMode::oidc)
    checks.push_back({"issuer",
                      "It takes the connection and does not answer: look at the identity provider's health.",
                      [loaded] { return judge_issuer(loaded->config); }});
  if (loaded->config.auth == AuthMode::oidc && loaded->config.console.on && takes_jobs(loaded->config.role))
    checks.push_back({"console", "", [loaded] { return std::vector{judge_console(loaded->config)}; }});
}

}  // namespace eilbote
