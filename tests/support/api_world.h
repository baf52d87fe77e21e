// The API without a database, a network or an engine: what it asks is answered by what the test has set, and what it tells is
// kept. The intake commits at once; the publisher and the transport are the test's own. Header only.
#pragma once

#include <boost/json.hpp>
#include <future>
#include <mutex>

#include "api/api.h"
#include "api/schema_book.h"
#include "engine/idle_ledger.h"
#include "engine/instance.h"
#include "secrets/secrets.h"
#include "support/fake_registry.h"
#include "support/lively_care.h"
#include "support/memory_breaker_board.h"

namespace eilbote::test {

class OneRecordOutbox final : public Outbox {
 public:
  std::optional<JobRecord> record;
  std::optional<Error> away;

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob>, AcceptRun) override { return {}; }
  Result<ExchangeResult> exchange(const ExchangeRequest&) override { return ExchangeResult{}; }
  Result<JobContents> load_contents(std::span<const JobId>, std::span<const JobId>) override {
    return JobContents{};
  }
  Result<ActiveLanes> active_lanes() override { return ActiveLanes{}; }
  Result<std::optional<JobRecord>> find(JobId, const std::optional<ClientName>&) override { return record; }
  Result<JobHistory> history(JobId) override { return JobHistory{}; }
  Result<Page> list(const ListQuery&) override { return Page{}; }
  Result<std::vector<ActOutcome>> act(std::span<const JobId> ids, const ActRequest&) override {
    ++acts;
    return std::vector<ActOutcome>(ids.size());
  }
  Result<void> check() override {
    if (away) return fail(*away);
    return {};
  }
  int acts = 0;
};

class CommittingIntake final : public Intake {
 public:
  bool accept(NewJob job, ByteReservation, Answer answer) override {
    const JobId id = job.id;
    last = std::move(job);
    answer({IntakeAnswer::Kind::accepted, id});
    return true;
  }
  void start() override {}
  void stop() override {}

  NewJob last;  // that was handed in
};

// Who asked whether a job is in the broker, to be answered by the test.
class PublisherByHand final : public Publisher {
 public:
  struct Asked {
    JobId id;
    Duration wait;
    std::function<void(bool)> done;
  };

  void start() override {}
  void stop(Duration) override {}
  void wake(std::span<const LaneId> lanes) override { woken += lanes.size(); }
  void wake_all() override { ++woken_all; }
  void when_published(JobId id, Duration wait, std::function<void(bool)> done) override {
    const std::lock_guard lock(mutex_);
    asked_.push_back({id, wait, std::move(done)});
  }
  std::vector<Asked> take_asked() {
    const std::lock_guard lock(mutex_);
    return std::exchange(asked_, {});
  }
  std::atomic<std::size_t> woken{0}, woken_all{0};

 private:
  std::mutex mutex_;
  std::vector<Asked> asked_;
};

// Carries nothing; counts what is announced.
class SilentTransport final : public Transport {
 public:
  bool carries_jobs() const override { return true; }
  void start(Hooks) override {}
  void stop() override {}
  void announce() override { ++announced; }
  void publish(std::vector<Parcel> parcels, Published done) override {
    done(std::vector<Carriage>(parcels.size(), Carriage::refused));
  }
  void acknowledge(std::span<const Receipt>) override {}
  std::optional<std::int64_t> waiting(CarrierQueue) const override { return std::nullopt; }
  TransportState state() const override { return now; }

  TransportState now{true, {}};
  std::atomic<int> announced{0};
};

class NoReports final : public ReportBook {
 public:
  Result<ReportOutcome> take(const DeliveryReport&) override { return ReportOutcome{}; }
  Result<std::vector<ReportRecord>> reports(const ReportQuery&) override {
    return std::vector<ReportRecord>{};
  }
};

class NoSuppressions final : public SuppressionList {
 public:
  Result<std::vector<Suppression>> suppressions(const SuppressionQuery&) override {
    return std::vector<Suppression>{};
  }
  Result<bool> suppress(const Suppression&, const AuditEntry&) override { return false; }
  Result<bool> unsuppress(const ClientName&, const std::string&, const AuditEntry&) override { return false; }
};

class ApiWorld {
 public:
  // With a broker and an instance of the role api; the test changes what it needs before it asks first.
  explicit ApiWorld(std::unique_ptr<Ledger> with = make_idle_ledger("api")) : ledger(std::move(with)) {
    Pool webhook;
    webhook.code = std::string(kWebhookPool);
    Pool slow;
    slow.code = "slow";
    slow.limited = true;
    Pool closed;
    closed.code = "closed";
    closed.status = PoolStatus::SUSPENDED;
    registry.all_pools = {{1, webhook}, {2, slow}, {3, closed}};
    settings.broker = [this] { return transport.state(); };
    with_publisher = &publisher;
  }

  HttpHandler& api() {
    if (api_) return *api_;
    (void)pools.refresh();
    api_ = make_api(ApiContext{outbox,       registry, intake,         *ledger, breakers, due,
                               *secrets,     pools,    credentials,    schemas, desk,     reports,
                               suppressions, key,      metrics,        clock,   ids,      authenticator,
                               settings,     nullptr,  with_publisher, tracer});
    return *api_;
  }

  std::future<HttpResponse> ask(std::string method, std::string target, std::string body = {}) {
    return ask(api(), std::move(method), std::move(target), std::move(body));
  }
  static std::future<HttpResponse> ask(HttpHandler& handler, std::string method, std::string target,
                                       std::string body = {}, decltype(HttpRequest::headers) more = {}) {
    const auto promise = std::make_shared<std::promise<HttpResponse>>();
    more.emplace_back("Content-Type", "application/json");
    HttpRequest request{std::move(method), std::move(target), std::move(more), std::move(body), {}};
    handler.handle(std::move(request),
                   [promise](HttpResponse response) { promise->set_value(std::move(response)); });
    return promise->get_future();
  }

  FakeRegistry registry;
  OneRecordOutbox outbox;
  CommittingIntake intake;
  PublisherByHand publisher;
  SilentTransport transport;
  NoReports reports;
  NoSuppressions suppressions;
  FakeClock clock;
  Metrics metrics;
  TsidFactory ids{Epoch{1}};
  std::unique_ptr<SecretVault> secrets = make_secret_source();
  std::unique_ptr<Ledger> ledger;
  LivelyCare care;
  Instance instance{care, clock, "this", std::chrono::seconds{15}};
  MemoryBreakerBoard board;
  BreakerDesk breakers{board, *ledger, instance, clock, "host:1"};
  DueNews due{*ledger, &publisher, transport, false};
  PoolList pools{registry};
  CredentialBook credentials{registry, *secrets, clock};
  SchemaBook schemas{registry, clock};
  ReportDesk desk{reports, metrics, [](std::span<const LaneId>) {}};
  ProviderKey key{*secrets, "", clock};
  ApiSettings settings;
  Publisher* with_publisher = nullptr;
  Tracer* tracer = nullptr;
  Authenticator* authenticator = nullptr;  // null: as with EILBOTE_AUTH=off

 private:
  std::unique_ptr<HttpHandler> api_;
};

}  // namespace eilbote::test
