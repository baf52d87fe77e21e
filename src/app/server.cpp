#include "app/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "api/api.h"
#include "api/listener_part.h"
#include "api/overview_hub.h"
#include "api/schema_book.h"
#include "app/broker_parts.h"
#include "app/data_folder.h"
#include "app/mail_route.h"
#include "app/options.h"
#include "app/own_metrics.h"
#include "app/role.h"
#include "app/sealing.h"
#include "app/tracing.h"
#include "app/webhook_route.h"
#include "auth/oidc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "channel/former_hand_overs.h"
#include "channel/graph_watch.h"
#include "domain/tsid.h"
#include "engine/breaker_desk.h"
#include "engine/callback_desk.h"
#include "engine/credential_book.h"
#include "engine/due_news.h"
#include "engine/idle_ledger.h"
#include "engine/instance.h"
#include "engine/intake.h"
#include "engine/ledger.h"
#include "engine/orphan_desk.h"
#include "engine/provider_key.h"
#include "engine/publisher.h"
#include "engine/reception.h"
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
constexpr std::size_t kIntakeHands = 2;
// How long a stop waits for the broker's confirms; what is not confirmed then is published again by another instance.
constexpr Duration kPublishGrace = std::chrono::seconds{5};

// Members are in the order they are made; they are stopped, and destroyed, in reverse.
class RunningServer final : public Server {
 public:
  explicit RunningServer(Config config) : config_(std::move(config)) {}
  ~RunningServer() override { stop(); }

  Result<void> start() {
    begin_metrics(EILBOTE_VERSION, metrics_);
    if (auto done = open_tls(); !done) return done;
    if (auto done = open_store(); !done) return done;
    if (auto done = open_identity(); !done) return done;
    if (auto done = open_tracer(); !done) return done;
    if (auto done = make_engine(); !done) return done;
    return listen();
  }

  std::string url() const override {
    const std::string& host = config_.listen.host;
    const bool v6 = host.find(':') != std::string::npos;
    return fmt::format("{}://{}:{}", tls_ ? "https" : "http", v6 ? "[" + host + "]" : host, http_->port());
  }

  ReloadParts reload_parts() override { return {tls_.get(), *store_.registry, *pools_, *due_}; }

  void stop() override {
    if (stopped_.exchange(true)) return;
    // From the outside inwards: no new requests, then no new jobs, then no new deliveries. Heartbeats go on
    // until the last delivery is settled, so that nobody takes a job from us while we finish it.
    if (http_) http_->stop_accepting();
    if (http_) http_->stop();
    if (metrics_http_) metrics_http_->stop();
    if (overview_) overview_->stop();  // nobody watches any more
    if (watch_) watch_->stop();
    if (identity_) identity_->stop();  // requests that waited for keys have nobody to answer any more
    if (intake_) intake_->stop();
    // The publisher waits for confirms, so the transport ends after it; and before the ledger, whose deliveries may take their
    // time: messages that nobody here starts any more go to other workers now. One that was started and not acknowledged comes
    // again elsewhere, and is stale there.
    if (due_) due_->end();
    if (publisher_) publisher_->stop(std::min(kPublishGrace, config_.shutdown_grace));
    if (transport_) transport_->stop();
    if (ledger_) ledger_->stop(config_.shutdown_grace);
    mail_.reset();   // its thread may still answer the ledger, which must therefore outlive it
    graph_.reset();  // the last that asks for tokens, and so for secrets
    webhook_.reset();
    if (upkeep_) upkeep_->stop();
    if (flow_)
      if (const auto written = flow_->write(true); !written)
        log::warning("the last counts could not be stored", {{"error", written.error().message}});
    // When accounts were last used; the next start would not know.
    if (credentials_)
      if (const auto written = credentials_->flush_used(); !written)
        log::warning("the last uses of service accounts could not be stored",
                     {{"error", written.error().message}});
    if (instance_) instance_->end();
    if (tracer_) tracer_->stop();
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
    store_ = make_measured_store(std::move(*store), metrics_, clock_);
    pools_ = std::make_unique<PoolList>(*store_.registry);
    if (auto read = pools_->refresh(); !read) return fail(read.error().with_context("pools"));
    credentials_ = std::make_unique<CredentialBook>(*store_.registry, *secrets_, clock_);
    if (auto known = credentials_->begin(); !known) return known;
    schemas_ = std::make_unique<SchemaBook>(*store_.registry, clock_);
    flow_ = std::make_unique<FlowBook>(*store_.overview, metrics_, clock_);
    wakeups_ = open_wakeups(*options);
    if (commits_side_by_side(*options)) intake_limits_.hands = kIntakeHands;
    return {};
  }

  Result<void> make_engine() {
    // First, as it only looks at the configuration: a typo in it must not cost the former process its place.
    auto transport = make_configured_transport(config_, *secrets_, *wakeups_, metrics_, clock_);
    if (!transport) return fail(transport.error());
    transport_ = std::move(*transport);
    // In every role: what this folder's last process left may be of a time when it delivered.
    auto slots = open_hand_over_slots(config_);
    if (!slots) return fail(slots.error().with_context("hand-over slots"));
    slots_ = std::move(*slots);
    if (auto done = settle_former_life(); !done) return done;
    const Role role = config_.role;
    auto instance = std::make_unique<Instance>(*store_.care, clock_, folder_->instance_name(), config_.lease,
                                               delivers(role));
    if (auto begun = instance->begin(); !begun) return begun;
    instance_ = std::move(instance);
    tsids_ = std::make_unique<TsidFactory>(instance_->epoch());
    gate_.add_own(config_.listen.host, config_.listen.port);
    if (delivers(role))
      if (auto made = make_ways_out(); !made) return made;
    make_takers();
    make_desks();
    start_engine();
    return {};
  }

  Result<void> make_ways_out() {
    if (auto made = make_mail(); !made) return made;
    auto webhook = make_webhook_route(config_, "Eilbote/" EILBOTE_VERSION, gate_, metrics_, clock_);
    if (!webhook) return fail(webhook.error());
    webhook_ = std::move(*webhook);
    return {};
  }

  // Who takes due jobs: the ledger delivers them, the publisher puts them into the broker, the reception gets them from there.
  void make_takers() {
    const Role role = config_.role;
    const bool by_broker = transport_->carries_jobs();
    if (delivers(role))
      ledger_ = make_ledger(*store_.outbox, *store_.care, *mail_, *instance_, clock_, random_, metrics_,
                            joined_ledger_options());
    else
      ledger_ = make_idle_ledger(kRoleNames.text(role));
    if (by_broker && publishes(role))
      publisher_ = make_publisher(*store_.outbox, *store_.publishing, *store_.care, *transport_, *instance_,
                                  *pools_, clock_, metrics_, publisher_options(config_));
    if (by_broker && delivers(role))
      reception_ = std::make_unique<Reception>(
          *ledger_, [this](std::span<const Receipt> done) { transport_->acknowledge(done); }, clock_,
          metrics_);
    breakers_ =
        std::make_unique<BreakerDesk>(*store_.breakers, *ledger_, *instance_, clock_, host_and_process());
    due_ = std::make_unique<DueNews>(*ledger_, publisher_.get(), *transport_,
                                     by_broker ? schedules(role) : delivers(role));
  }

  void make_desks() {
    const auto everywhere = [this](std::span<const LaneId> lanes) { due_->everywhere(lanes); };
    const auto nearby = [this](std::span<const LaneId> lanes) { due_->nearby(lanes); };
    intake_ = make_intake(*store_.outbox, clock_, metrics_, intake_limits_, everywhere);
    report_desk_ = std::make_unique<ReportDesk>(*store_.reports, metrics_, everywhere);
    provider_key_ = std::make_unique<ProviderKey>(*secrets_, config_.provider_secret_ref, clock_);
    callbacks_ = std::make_unique<CallbackDesk>(*store_.outbox, *store_.feed, *tsids_, clock_,
                                                config_.expires_after, nearby);
    upkeep_ = make_upkeep(*store_.care, *instance_, clock_, metrics_, joined_upkeep_options(), nearby);
    if (takes_jobs(config_.role)) make_overview();
  }

  void make_overview() {
    OverviewParts parts{*store_.overview, *flow_, *breakers_, *pools_, metrics_, clock_, {}, {}, {}, {}};
    if (transport_->carries_jobs()) parts.broker = [this] { return transport_->state(); };
    parts.instance = host_and_process();
    parts.version = EILBOTE_VERSION;
    parts.store = config_.store_url.starts_with("sqlite:") ? "sqlite" : "postgresql";
    overview_desk_ = std::make_unique<OverviewDesk>(std::move(parts));
    overview_ = std::make_unique<OverviewHub>(*overview_desk_, clock_);
  }

  void start_engine() {
    upkeep_->start();
    ledger_->start();
    if (publisher_) publisher_->start();
    intake_->start();
    Transport::Hooks hooks;
    hooks.look = [this] { due_->look(); };
    hooks.arrive = [this](const std::vector<Arrival>& arrivals) {
      if (reception_ && !stopped_) reception_->arrive(arrivals);
    };
    hooks.ready = [this] { due_->look(); };
    transport_->start(std::move(hooks));
    if (overview_) overview_->start();
    if (config_.role != Role::all && config_.store_url.starts_with("sqlite:"))
      log::warning(
          "this role leaves work to other instances, and SQLite has room for one: nobody does the rest",
          {{"role", kRoleNames.text(config_.role)}});
    if (config_.role != Role::all || transport_->carries_jobs())
      log::info("the instance begins", {{"role", kRoleNames.text(config_.role)},
                                        {"broker", transport_->carries_jobs()},
                                        {"epoch", instance_->epoch().value()}});
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
          {*graph_, *store_.mailboxes, metrics_, clock_, [this] { return instance_->epoch(); },
           [this](std::string_view raw, std::string key) {
             return only_whether(report_desk_->take_dsn(raw, std::move(key), ReportSource::graph, {}));
           },
           [this](const DeliveryReport& report) { return only_whether(report_desk_->take(report)); }});
      graph = {graph_, store_.drafts.get(), [this](const std::string& mailbox) { watch_->in_use(mailbox); }};
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
    orphans_ = std::make_unique<OrphanDesk>(*store_.outbox, *store_.care, clock_, random_, metrics_,
                                            joined_courier_rules(), config_.smtp.route);
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
    const bool by_graph = config_.mail_provider == MailProvider::graph;
    api_ = make_api(ApiContext{*store_.outbox,
                               *store_.registry,
                               *intake_,
                               *ledger_,
                               *breakers_,
                               *due_,
                               *secrets_,
                               *pools_,
                               *credentials_,
                               *schemas_,
                               *report_desk_,
                               *store_.reports,
                               *store_.suppressions,
                               *provider_key_,
                               metrics_,
                               clock_,
                               *tsids_,
                               identity_.get(),
                               joined_api_settings(),
                               by_graph ? store_.mailboxes.get() : nullptr,
                               publisher_.get(),
                               tracer_.get(),
                               overview_.get()});
    HttpHandler* shown = api_.get();
    if (!takes_jobs(config_.role)) {
      role_part_ = make_listener_part(
          *api_, delivers(config_.role) ? ListenerPart::of_worker : ListenerPart::of_scheduler);
      shown = role_part_.get();
    }
    const bool apart = !config_.metrics_listen.host.empty();
    if (apart) main_part_ = make_listener_part(*shown, ListenerPart::all_but_metrics);
    http_ = make_http_server(http_options(config_, tls_.get()), apart ? *main_part_ : *shown, &metrics_);
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
    auto made = make_oidc_authenticator(oidc_options(config_), clock_, metrics_);
    if (!made) return fail(made.error().with_context("EILBOTE_OIDC_CA_FILE"));
    identity_ = std::move(*made);
    return {};
  }

  Result<void> open_tracer() {
    auto made = make_configured_tracer(config_.tracing, {EILBOTE_VERSION, folder_->instance_name()},
                                       {*secrets_, metrics_, clock_, random_});
    if (!made) return fail(made.error());
    tracer_ = std::move(*made);
    return {};
  }

  CourierRules joined_courier_rules() const {
    CourierRules rules = courier_rules(config_);
    rules.tracer = tracer_.get();
    return rules;
  }

  LedgerOptions joined_ledger_options() {
    LedgerOptions options = ledger_options(config_);
    options.webhooks = {webhook_.get(), credentials_.get()};
    options.pool_list = pools_.get();
    options.courier = joined_courier_rules();
    if (!transport_->carries_jobs()) return options;
    options.acknowledge = [this](std::span<const Receipt> done) { transport_->acknowledge(done); };
    options.pause_lanes = [this](std::span<const LaneId> lanes, Duration pause) {
      // Not paused, they are only published, and handed back, once more.
      if (const auto paused = store_.publishing->pause_lanes(lanes, pause); !paused)
        log::warning("lanes whose way out is closed could not be paused",
                     {{"error", paused.error().message}});
    };
    options.due_for_broker = [this](std::span<const LaneId> lanes) { due_->nearby(lanes); };
    return options;
  }

  UpkeepOptions joined_upkeep_options() {
    UpkeepOptions options = upkeep_options(config_);
    options.held = [this] { return ledger_->held_webhooks(); };
    options.chores = {
        {"callbacks", std::chrono::milliseconds{500}, [this] { return callbacks_->tell(); }},
        {"pools", std::chrono::seconds{1}, [this] { return pools_->refresh(); }},
        {"totals", config_.lease / 5, [this] { return flow_->write(instance_->is_alone()); }},
        {"disk", std::chrono::seconds{10}, [this] { return measure_disk(config_.data_dir, metrics_); }},
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
    if (delivers(config_.role))
      options.chores.push_back({"breakers", config_.lease / 5, [this] { return breakers_->exchange(); }});
    options.leaves_mails = !delivers(config_.role);
    if (orphans_ && delivers(config_.role))
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

  ApiSettings joined_api_settings() const {
    ApiSettings settings = api_settings(config_);
    if (identity_) settings.ready = [this] { return identity_->ready(); };
    if (transport_->carries_jobs()) settings.broker = [this] { return transport_->state(); };
    settings.outbound = outbound_.get();
    settings.console.version = EILBOTE_VERSION;
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
  Store store_;
  std::unique_ptr<SecretVault> secrets_ = open_secrets(secret_options(config_, &metrics_));
  std::unique_ptr<OidcAuthenticator> identity_;  // null: EILBOTE_AUTH=off
  std::unique_ptr<TraceExporter> tracer_;        // null: nothing is traced
  std::unique_ptr<PoolList> pools_;
  std::unique_ptr<CredentialBook> credentials_;
  std::unique_ptr<SchemaBook> schemas_;
  std::unique_ptr<FlowBook> flow_;
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
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<BreakerDesk> breakers_;
  std::unique_ptr<Publisher> publisher_;  // null: nothing is put into a broker here
  std::unique_ptr<Reception> reception_;  // null: nothing is taken from one
  std::unique_ptr<DueNews> due_;
  std::unique_ptr<Intake> intake_;
  std::unique_ptr<ReportDesk> report_desk_;
  std::unique_ptr<ProviderKey> provider_key_;
  std::unique_ptr<CallbackDesk> callbacks_;
  std::unique_ptr<Upkeep> upkeep_;
  std::unique_ptr<OverviewDesk> overview_desk_;  // null: this role has no overview
  std::unique_ptr<OverviewHub> overview_;        // null with it
  std::unique_ptr<HttpHandler> api_;
  std::unique_ptr<HttpHandler> role_part_;                 // null: this role has all of the API
  std::unique_ptr<HttpHandler> main_part_, metrics_part_;  // where metrics have their own listener
  std::unique_ptr<HttpServer> http_, metrics_http_;
  std::atomic<bool> stopped_{false};  // also read by the transport's threads
};

}  // namespace

Result<std::unique_ptr<Server>> start_server(const Config& config) {
  auto server = std::make_unique<RunningServer>(config);
  if (auto started = server->start(); !started) return fail(started.error());
  return server;
}

}  // namespace eilbote
