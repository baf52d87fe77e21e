#include "app/server.h"

#include <fmt/format.h>

#include "api/api.h"
#include "api/listener_part.h"
#include "api/schema_book.h"
#include "app/data_folder.h"
#include "app/mail_route.h"
#include "app/options.h"
#include "app/sealing.h"
#include "auth/oidc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "channel/former_hand_overs.h"
#include "channel/graph_watch.h"
#include "channel/webhook_channel.h"
#include "domain/tsid.h"
#include "engine/callback_desk.h"
#include "engine/credential_book.h"
#include "engine/instance.h"
#include "engine/intake.h"
#include "engine/ledger.h"
#include "engine/orphan_desk.h"
#include "engine/provider_key.h"
#include "engine/report_desk.h"
#include "engine/upkeep.h"
#include "metrics/metrics.h"
#include "net/http_server.h"
#include "net/outbound_names.h"
#include "net/server_tls.h"
#include "secrets/secrets.h"
#include "store/measured_store.h"
#include "store/sealed_outbox.h"
#include "store/store.h"

namespace eilbote {
namespace {

// Commits at once on a store that takes them: more only wait for each other.
constexpr std::size_t kIntakeHands = 3;

// Members are in the order they are made; they are stopped, and destroyed, in reverse.
class RunningServer final : public Server {
 public:
  explicit RunningServer(Config config) : config_(std::move(config)) {}
  ~RunningServer() override { stop(); }

  Result<void> start() {
    if (auto done = open_tls(); !done) return done;
    if (auto done = open_store(); !done) return done;
    if (auto done = open_identity(); !done) return done;
    if (auto done = make_engine(); !done) return done;
    return listen();
  }

  std::string url() const override {
    const std::string& host = config_.listen.host;
    const bool v6 = host.find(':') != std::string::npos;
    return fmt::format("{}://{}:{}", tls_ ? "https" : "http", v6 ? "[" + host + "]" : host, http_->port());
  }

  bool reload() override {
    if (!tls_) return false;
    if (const auto done = tls_->reload(); !done)
      log::error("the new certificate of the HTTP listener cannot be used; the old one stays",
                 {{"error", done.error().message}});
    else
      log::info("the certificate of the HTTP listener was read anew",
                {{"expires", to_rfc3339(tls_->expires())}});
    return true;
  }

  void stop() override {
    if (stopped_) return;
    stopped_ = true;
    // From the outside inwards: no new requests, then no new jobs, then no new deliveries. Heartbeats go on
    // until the last delivery is settled, so that nobody takes a job from us while we finish it.
    if (http_) http_->stop_accepting();
    if (http_) http_->stop();
    if (metrics_http_) metrics_http_->stop();
    if (watch_) watch_->stop();
    if (identity_) identity_->stop();  // requests that waited for keys have nobody to answer any more
    if (intake_) intake_->stop();
    if (wakeups_) wakeups_->stop();
    if (ledger_) ledger_->stop(config_.shutdown_grace);
    mail_.reset();   // its thread may still answer the ledger, which must therefore outlive it
    graph_.reset();  // the last that asks for tokens, and so for secrets
    webhook_.reset();
    if (upkeep_) upkeep_->stop();
    // When accounts were last used; the next start would not know.
    if (credentials_)
      if (const auto written = credentials_->flush_used(); !written)
        log::warning("the last uses of service accounts could not be stored",
                     {{"error", written.error().message}});
    if (instance_) instance_->end();
    secrets_.reset();  // whoever still waits for one is told, while there is somebody to tell
  }

 private:
  Result<void> open_tls() {
    if (config_.http.tls_certificate_file.empty()) return {};
    auto tls = ServerTls::load({config_.http.tls_certificate_file, config_.http.tls_key_file}, &metrics_);
    if (!tls) return fail(tls.error().with_context("EILBOTE_LISTEN_TLS_CERT, EILBOTE_LISTEN_TLS_KEY"));
    tls_ = std::move(*tls);
    return {};
  }

  Result<void> open_store() {
    auto folder = DataFolder::open(config_.data_dir, random_);
    if (!folder) return fail(folder.error());
    folder_.emplace(std::move(*folder));
    if (auto keys = check_data_keys(secret_options(config_).data_key, *secrets_); !keys) return keys;
    auto options = store_options(config_);
    if (!options) return fail(options.error());
    auto store = eilbote::open_store(*options, clock_);
    if (!store) return fail(store.error().with_context("EILBOTE_STORE_URL"));
    auto cipher = content_cipher(config_, *secrets_, *store->contents);
    if (!cipher) return fail(cipher.error());
    cipher_ = std::move(*cipher);
    store->outbox = make_sealed_outbox(std::move(store->outbox), *cipher_);
    Store measured = make_measured_store(std::move(*store), metrics_, clock_);
    outbox_ = std::move(measured.outbox);
    care_ = std::move(measured.care);
    registry_ = std::move(measured.registry);
    feed_ = std::move(measured.feed);
    reports_ = std::move(measured.reports);
    suppressions_ = std::move(measured.suppressions);
    drafts_ = std::move(measured.drafts);
    mailboxes_ = std::move(measured.mailboxes);
    pools_ = std::make_unique<PoolList>(*registry_);
    if (auto read = pools_->refresh(); !read) return fail(read.error().with_context("pools"));
    credentials_ = std::make_unique<CredentialBook>(*registry_, *secrets_, clock_);
    if (auto known = credentials_->begin(); !known) return known;
    schemas_ = std::make_unique<SchemaBook>(*registry_, clock_);
    wakeups_ = open_wakeups(*options);
    if (commits_side_by_side(*options)) intake_limits_.hands = kIntakeHands;
    return {};
  }

  Result<void> make_engine() {
    auto slots = open_hand_over_slots(config_);
    if (!slots) return fail(slots.error().with_context("hand-over slots"));
    slots_ = std::move(*slots);
    if (auto done = settle_former_life(); !done) return done;
    auto instance = std::make_unique<Instance>(*care_, clock_, folder_->instance_name(), config_.lease);
    if (auto begun = instance->begin(); !begun) return begun;
    instance_ = std::move(instance);
    tsids_ = std::make_unique<TsidFactory>(instance_->epoch());

    if (auto made = make_mail(); !made) return made;

    WebhookChannelOptions webhooks;
    webhooks.ca_file = config_.webhook_ca_file;
    webhooks.user_agent = "Eilbote/" EILBOTE_VERSION;
    gate_.add_own(config_.listen.host, config_.listen.port);
    webhooks.forbids = [this](const auto& host, const auto& address, std::uint16_t port) {
      const auto rule = gate_.check(host, address, port);
      if (rule)
        metrics_.add(Metric::outbound_refused, 1, {"connect", std::string(kOutboundRuleNames.text(*rule))});
      return rule;
    };
    auto webhook = make_webhook_channel(std::move(webhooks), clock_);
    if (!webhook) return fail(webhook.error().with_context("EILBOTE_WEBHOOK_CA_FILE"));
    webhook_ = std::move(*webhook);

    ledger_ = make_ledger(*outbox_, *care_, *mail_, *instance_, clock_, random_, metrics_, ledger_options());
    intake_ = make_intake(*outbox_, clock_, metrics_, intake_limits_, [this](std::span<const LaneId> lanes) {
      ledger_->wake(lanes);
      wakeups_->announce();
    });
    report_desk_ = std::make_unique<ReportDesk>(*reports_, metrics_, [this](std::span<const LaneId> lanes) {
      ledger_->wake(lanes);
      wakeups_->announce();
    });
    provider_key_ = std::make_unique<ProviderKey>(*secrets_, config_.provider_secret_ref, clock_);
    callbacks_ =
        std::make_unique<CallbackDesk>(*outbox_, *feed_, *tsids_, clock_, config_.expires_after,
                                       [this](std::span<const LaneId> lanes) { ledger_->wake(lanes); });
    upkeep_ = make_upkeep(*care_, *instance_, clock_, metrics_, upkeep_options(),
                          [this](std::span<const LaneId> lanes) { ledger_->wake(lanes); });
    upkeep_->start();
    ledger_->start();
    intake_->start();
    wakeups_->start([this] { ledger_->wake_all(); });
    return {};
  }

  // The way out for mail; with Graph also the watch over what comes back, which begins once the server listens.
  Result<void> make_mail() {
    GraphParts graph;
    if (config_.mail_provider == MailProvider::graph) {
      auto door = make_graph_door(config_.graph, *secrets_, metrics_, clock_);
      if (!door) return fail(door.error().with_context("EILBOTE_GRAPH_CA_FILE"));
      graph_ = std::move(*door);
      watch_ = make_graph_watch(
          config_.graph,
          {*graph_, *mailboxes_, metrics_, clock_, [this] { return instance_->epoch(); },
           [this](std::string_view raw, std::string key) {
             return only_whether(report_desk_->take_dsn(raw, std::move(key), ReportSource::graph, {}));
           },
           [this](const DeliveryReport& report) { return only_whether(report_desk_->take(report)); }});
      graph = {graph_, drafts_.get(), [this](const std::string& mailbox) { watch_->in_use(mailbox); }};
    }
    auto mail = make_mail_route(config_, {*secrets_, slots_.get(), metrics_, clock_}, std::move(graph));
    if (!mail) return fail(mail.error().with_context("mail route"));
    mail_ = std::move(*mail);
    return {};
  }

  static Result<void> only_whether(const Result<ReportAnswer>& taken) {
    if (!taken) return fail(taken.error());
    return {};
  }

  // What an earlier process in this data folder had under way, by what it left in its slots. Before this one begins:
  // from then on others may take it for theirs to decide.
  Result<void> settle_former_life() {
    if (!slots_) return {};
    orphans_ = std::make_unique<OrphanDesk>(*outbox_, *care_, clock_, random_, metrics_, courier_rules(),
                                            config_.smtp.route);
    const FormerHandOvers former(slots_->left_behind());
    auto done = orphans_->settle_own(
        folder_->instance_name(), [&](const ClaimedJob& job, const MailContent& content) {
          return former.what_became_of({job.job.id, job.token}, content.recipients);
        });
    if (!done) return fail(done.error().with_context("hand-overs of the former process"));
    slots_->begin();
    return {};
  }

  Result<void> listen() {
    api_ = make_api(ApiContext{*outbox_, *registry_, *intake_, *ledger_, *secrets_, *pools_, *credentials_,
                               *schemas_, *report_desk_, *reports_, *suppressions_, *provider_key_, metrics_,
                               clock_, *tsids_, identity_.get(), api_settings(),
                               watch_ ? mailboxes_.get() : nullptr});
    const bool apart = !config_.metrics_listen.host.empty();
    if (apart) main_part_ = make_listener_part(*api_, ListenerPart::all_but_metrics);
    http_ = make_http_server(http_options(config_, tls_.get()), apart ? *main_part_ : *api_, &metrics_);
    if (apart)
      if (auto started = listen_for_metrics(); !started) return started;
    if (auto started = http_->start(); !started) return fail(started.error().with_context("EILBOTE_LISTEN"));
    gate_.add_own(config_.listen.host, http_->port());
    if (watch_) watch_->start();
    return {};
  }

  Result<void> listen_for_metrics() {
    HttpServerOptions options;
    options.host = config_.metrics_listen.host;
    options.port = config_.metrics_listen.port;
    options.body_bytes_max = options.budget_bytes = 64 * 1024;  // nobody sends anything there
    metrics_part_ = make_listener_part(*api_, ListenerPart::metrics_and_health);
    metrics_http_ = make_http_server(options, *metrics_part_, nullptr);
    if (auto started = metrics_http_->start(); !started)
      return fail(started.error().with_context("EILBOTE_METRICS_LISTEN"));
    gate_.add_own(config_.metrics_listen.host, metrics_http_->port());
    log::info("metrics listen", {{"host", options.host}, {"port", metrics_http_->port()}});
    return {};
  }

  Result<void> open_identity() {
    if (config_.auth == AuthMode::off) return {};
    OidcOptions options;
    options.issuer = config_.oidc.issuer;
    options.audience = config_.oidc.audience;
    options.ca_file = config_.oidc.ca_file;
    options.keys_life = config_.oidc.keys_life;
    auto made = make_oidc_authenticator(std::move(options), clock_, metrics_);
    if (!made) return fail(made.error().with_context("EILBOTE_OIDC_CA_FILE"));
    identity_ = std::move(*made);
    return {};
  }

  CourierRules courier_rules() const { return {config_.retry, config_.uncertain_delay}; }

  LedgerOptions ledger_options() const {
    LedgerOptions options;
    options.pools = config_.pools;
    options.continuous = config_.dispatch == DispatchMode::continuous;
    options.courier = courier_rules();
    options.routes.mail.probe_every = config_.breaker_probe;
    options.lease = config_.lease;
    options.webhooks = {webhook_.get(), credentials_.get()};
    options.routes.requests_per_host_max = config_.webhooks_per_host_max;
    options.pool_list = pools_.get();
    return options;
  }

  UpkeepOptions upkeep_options() const {
    UpkeepOptions options;
    options.lease = config_.lease;
    options.foreign_lease = config_.foreign_lease;
    options.retention = config_.retention;
    options.retention_dead = config_.retention_dead;
    options.held = [this] { return ledger_->held_webhooks(); };
    options.chores = {
        {"callbacks", std::chrono::milliseconds{500}, [this] { return callbacks_->tell(); }},
        {"pools", std::chrono::seconds{1}, [this] { return pools_->refresh(); }},
        {"last use of accounts", std::chrono::seconds{10}, [this] { return credentials_->flush_used(); }}};
    if (identity_)
      options.chores.push_back({"keys of the issuer", std::chrono::seconds{1}, [this]() -> Result<void> {
                                  identity_->tend();
                                  return {};
                                }});
    if (tls_)
      options.chores.push_back({"certificate", std::chrono::seconds{2}, [this]() -> Result<void> {
                                  tls_->reload_if_changed();
                                  return {};
                                }});
    if (orphans_)
      options.settle_orphans = [this] {
        // Another instance's slots are in another folder. What this process has itself, after its lease was over and it
        // began anew, it knows better: it settles that under the old lease.
        return orphans_->settle_dead(
            [this](const ClaimedJob& job, const MailContent&) -> std::optional<DeliveryResult> {
              if (ledger_->holds({job.job.id, job.token})) return std::nullopt;
              return lost_with_its_worker();
            });
      };
    return options;
  }

  ApiSettings api_settings() const {
    ApiSettings settings;
    settings.mail_limits = config_.mail_limits;
    settings.webhook_limits = config_.webhook_limits;
    settings.mail_retry = config_.retry;
    settings.expires_after = config_.expires_after;
    settings.message_id_domain = config_.message_id_domain;
    if (identity_) settings.ready = [this] { return identity_->ready(); };
    settings.outbound = outbound_.get();
    if (watch_) {
      settings.graph_noticed = [this] { watch_->wake(); };
      settings.graph_lifecycle = [this](const std::string&, GraphLifecycle) { watch_->wake(); };
    }
    settings.has_pool = [this](const std::string& code) { return pools_->code_of(code) == code; };
    return settings;
  }

  const Config config_;
  SystemClock clock_;
  SystemRandom random_;
  Metrics metrics_;
  OutboundGate gate_{config_.outbound_allow};
  std::unique_ptr<OutboundCheck> outbound_ = make_outbound_check(gate_);
  std::unique_ptr<ServerTls> tls_;  // null: the listener speaks plain HTTP
  std::optional<DataFolder> folder_;
  std::unique_ptr<ContentCipher> cipher_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<OutboxCare> care_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<StatusFeed> feed_;
  std::unique_ptr<ReportBook> reports_;
  std::unique_ptr<SuppressionList> suppressions_;
  std::unique_ptr<DraftBook> drafts_;
  std::unique_ptr<MailboxWatch> mailboxes_;
  std::unique_ptr<SecretVault> secrets_ = open_secrets(secret_options(config_, &metrics_));
  std::unique_ptr<OidcAuthenticator> identity_;  // null: EILBOTE_AUTH=off
  std::unique_ptr<PoolList> pools_;
  std::unique_ptr<CredentialBook> credentials_;
  std::unique_ptr<SchemaBook> schemas_;
  std::unique_ptr<WakeUps> wakeups_;
  IntakeLimits intake_limits_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<TsidFactory> tsids_;
  std::unique_ptr<HandOverSlots> slots_;
  std::unique_ptr<OrphanDesk> orphans_;
  std::shared_ptr<GraphDoor> graph_;   // null: no mail goes through Graph
  std::unique_ptr<GraphWatch> watch_;  // null with it
  std::unique_ptr<MailChannel> mail_;
  std::unique_ptr<WebhookChannel> webhook_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Intake> intake_;
  std::unique_ptr<ReportDesk> report_desk_;
  std::unique_ptr<ProviderKey> provider_key_;
  std::unique_ptr<CallbackDesk> callbacks_;
  std::unique_ptr<Upkeep> upkeep_;
  std::unique_ptr<HttpHandler> api_;
  std::unique_ptr<HttpHandler> main_part_, metrics_part_;  // where metrics have their own listener
  std::unique_ptr<HttpServer> http_, metrics_http_;
  bool stopped_ = false;
};

}  // namespace

Result<std::unique_ptr<Server>> start_server(const Config& config) {
  auto server = std::make_unique<RunningServer>(config);
  if (auto started = server->start(); !started) return fail(started.error());
  return server;
}

}  // namespace eilbote
