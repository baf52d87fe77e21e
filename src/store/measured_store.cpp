#include "store/measured_store.h"

#include "store/measured_outbox.h"
#include "store/store_errors.h"

namespace eilbote {
namespace {

class MeasuredCare final : public OutboxCare {
 public:
  MeasuredCare(std::unique_ptr<OutboxCare> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<Epoch> start_instance(const std::string& name, Duration lease) override {
    return counted(real_->start_instance(name, lease), metrics_);
  }
  Result<Heartbeat> heartbeat(Epoch epoch, Duration lease, bool takes_homes) override {
    return counted(real_->heartbeat(epoch, lease, takes_homes), metrics_);
  }
  Result<bool> take_turn(const std::string& chore, Epoch epoch, Duration turn) override {
    return counted(real_->take_turn(chore, epoch, turn), metrics_);
  }
  Result<void> end_instance(Epoch epoch) override { return counted(real_->end_instance(epoch), metrics_); }
  Result<int> reconcile(Epoch epoch, std::span<const JobId> held) override {
    return counted(real_->reconcile(epoch, held), metrics_);
  }
  Result<std::vector<ClaimedJob>> orphans(const std::string& of_instance, int rows_max) override {
    return counted(real_->orphans(of_instance, rows_max), metrics_);
  }
  Result<SweepResult> rescue(const RescueParams& params) override {
    return counted(real_->rescue(params), metrics_);
  }
  Result<SweepResult> sweep(const SweepParams& params) override {
    return counted(real_->sweep(params), metrics_);
  }
  Result<OutboxStats> stats() override { return counted(real_->stats(), metrics_); }

 private:
  const std::unique_ptr<OutboxCare> real_;
  Metrics& metrics_;
};

class MeasuredRegistry final : public Registry {
 public:
  MeasuredRegistry(std::unique_ptr<Registry> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<bool> add_account(const ServiceAccount& account, const AuditEntry& audit) override {
    return counted(real_->add_account(account, audit), metrics_);
  }
  Result<bool> change_account(const ServiceAccount& account, TimePoint changed_at,
                              const AuditEntry& audit) override {
    return counted(real_->change_account(account, changed_at, audit), metrics_);
  }
  Result<std::vector<ServiceAccount>> accounts() override { return counted(real_->accounts(), metrics_); }
  Result<void> account_used(JobId id, TimePoint at) override {
    return counted(real_->account_used(id, at), metrics_);
  }
  Result<void> add_schema(const PayloadSchema& schema, const AuditEntry& audit) override {
    return counted(real_->add_schema(schema, audit), metrics_);
  }
  Result<std::vector<PayloadSchema>> schemas() override { return counted(real_->schemas(), metrics_); }
  Result<std::vector<PoolRow>> pools() override { return counted(real_->pools(), metrics_); }
  Result<bool> add_pool(const Pool& pool, const AuditEntry& audit) override {
    return counted(real_->add_pool(pool, audit), metrics_);
  }
  Result<bool> change_pool(const Pool& pool, const AuditEntry& audit) override {
    return counted(real_->change_pool(pool, audit), metrics_);
  }
  Result<void> write_pools(std::span<const Pool> pools) override {
    return counted(real_->write_pools(pools), metrics_);
  }
  Result<void> add_audit(const AuditEntry& audit) override {
    return counted(real_->add_audit(audit), metrics_);
  }
  Result<std::vector<AuditRecord>> audit(const AuditQuery& query) override {
    return counted(real_->audit(query), metrics_);
  }
  Result<std::vector<BlockedGroup>> blocked_groups(const BlockedGroupQuery& query) override {
    return counted(real_->blocked_groups(query), metrics_);
  }
  Result<QueueView> queue() override { return counted(real_->queue(), metrics_); }

 private:
  const std::unique_ptr<Registry> real_;
  Metrics& metrics_;
};

class MeasuredFeed final : public StatusFeed {
 public:
  MeasuredFeed(std::unique_ptr<StatusFeed> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<std::vector<UntoldChange>> untold(int limit) override {
    return counted(real_->untold(limit), metrics_);
  }
  Result<void> told(std::span<const UntoldChange> changes) override {
    return counted(real_->told(changes), metrics_);
  }

 private:
  const std::unique_ptr<StatusFeed> real_;
  Metrics& metrics_;
};

class MeasuredDrafts final : public DraftBook {
 public:
  MeasuredDrafts(std::unique_ptr<DraftBook> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<std::vector<bool>> note(std::span<const DraftNote> notes) override {
    return counted(real_->note(notes), metrics_);
  }
  Result<Found> find(std::span<const JobId> jobs) override { return counted(real_->find(jobs), metrics_); }

 private:
  const std::unique_ptr<DraftBook> real_;
  Metrics& metrics_;
};

class MeasuredMailboxes final : public MailboxWatch {
 public:
  MeasuredMailboxes(std::unique_ptr<MailboxWatch> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<std::vector<WatchedMailbox>> keep(Epoch epoch, std::span<const std::string> mailboxes,
                                           Duration lease) override {
    return counted(real_->keep(epoch, mailboxes, lease), metrics_);
  }
  Result<std::vector<std::string>> known(int limit) override {
    return counted(real_->known(limit), metrics_);
  }
  Result<void> save(const WatchedMailbox& mailbox) override {
    return counted(real_->save(mailbox), metrics_);
  }
  Result<std::vector<WatchedMailbox>> with_subscriptions(
      std::span<const std::string> subscription_ids) override {
    return counted(real_->with_subscriptions(subscription_ids), metrics_);
  }
  Result<void> want(const std::string& mailbox, GraphLifecycle wish) override {
    return counted(real_->want(mailbox, wish), metrics_);
  }
  Result<int> add(std::span<const MailNotice> notices) override {
    return counted(real_->add(notices), metrics_);
  }
  Result<std::vector<MailNotice>> waiting(std::span<const std::string> mailboxes, int limit) override {
    return counted(real_->waiting(mailboxes, limit), metrics_);
  }
  Result<void> read(std::span<const std::int64_t> numbers) override {
    return counted(real_->read(numbers), metrics_);
  }
  Result<void> put_off(std::int64_t number, Duration delay) override {
    return counted(real_->put_off(number, delay), metrics_);
  }
  Result<int> forget_read(int rows_max) override { return counted(real_->forget_read(rows_max), metrics_); }

 private:
  const std::unique_ptr<MailboxWatch> real_;
  Metrics& metrics_;
};

class MeasuredReports final : public ReportBook {
 public:
  MeasuredReports(std::unique_ptr<ReportBook> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<ReportOutcome> take(const DeliveryReport& report) override {
    return counted(real_->take(report), metrics_);
  }
  Result<std::vector<ReportRecord>> reports(const ReportQuery& query) override {
    return counted(real_->reports(query), metrics_);
  }

 private:
  const std::unique_ptr<ReportBook> real_;
  Metrics& metrics_;
};

class MeasuredSuppressions final : public SuppressionList {
 public:
  MeasuredSuppressions(std::unique_ptr<SuppressionList> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<std::vector<Suppression>> suppressions(const SuppressionQuery& query) override {
    return counted(real_->suppressions(query), metrics_);
  }
  Result<bool> suppress(const Suppression& entry, const AuditEntry& audit) override {
    return counted(real_->suppress(entry, audit), metrics_);
  }
  Result<bool> unsuppress(const ClientName& client, const std::string& address,
                          const AuditEntry& audit) override {
    return counted(real_->unsuppress(client, address, audit), metrics_);
  }

 private:
  const std::unique_ptr<SuppressionList> real_;
  Metrics& metrics_;
};

class MeasuredOverview final : public OverviewBook {
 public:
  MeasuredOverview(std::unique_ptr<OverviewBook> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<void> add_flow(const FlowCounts& counts) override {
    return counted(real_->add_flow(counts), metrics_);
  }
  Result<std::vector<FlowMinute>> flow(Duration back) override {
    return counted(real_->flow(back), metrics_);
  }
  Result<StandingLoad> standing() override { return counted(real_->standing(), metrics_); }
  Result<std::int64_t> waiting_for(ChannelKind channel, const std::string& route) override {
    return counted(real_->waiting_for(channel, route), metrics_);
  }

 private:
  const std::unique_ptr<OverviewBook> real_;
  Metrics& metrics_;
};

class MeasuredBreakers final : public BreakerBoard {
 public:
  MeasuredBreakers(std::unique_ptr<BreakerBoard> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<void> tell(Epoch epoch, const std::string& shown_as, std::span<const RouteLoad> breakers) override {
    return counted(real_->tell(epoch, shown_as, breakers), metrics_);
  }
  Result<std::vector<RouteLoad>> told_by_others(Epoch own) override {
    return counted(real_->told_by_others(own), metrics_);
  }
  Result<int> ask_reset(Epoch own, const std::string& route) override {
    return counted(real_->ask_reset(own, route), metrics_);
  }
  Result<std::vector<std::string>> take_resets(Epoch epoch) override {
    return counted(real_->take_resets(epoch), metrics_);
  }

 private:
  const std::unique_ptr<BreakerBoard> real_;
  Metrics& metrics_;
};

class MeasuredPublishing final : public PublishBook {
 public:
  MeasuredPublishing(std::unique_ptr<PublishBook> real, Metrics& metrics)
      : real_(std::move(real)), metrics_(metrics) {}

  Result<PublishResult> publish_round(const PublishRequest& request) override {
    return counted(real_->publish_round(request), metrics_);
  }
  Result<int> release_unheld(Epoch epoch, std::span<const JobId> held) override {
    return counted(real_->release_unheld(epoch, held), metrics_);
  }
  Result<void> pause_lanes(std::span<const LaneId> lanes, Duration pause) override {
    return counted(real_->pause_lanes(lanes, pause), metrics_);
  }
  Result<std::vector<PausedLane>> paused_lanes() override { return counted(real_->paused_lanes(), metrics_); }
  Result<std::vector<DeadLetter>> untold_dead(int rows_max) override {
    return counted(real_->untold_dead(rows_max), metrics_);
  }
  Result<void> told_dead(std::span<const DeadLetter> letters) override {
    return counted(real_->told_dead(letters), metrics_);
  }

 private:
  const std::unique_ptr<PublishBook> real_;
  Metrics& metrics_;
};

}  // namespace

Store make_measured_store(Store real, Metrics& metrics, const Clock& clock) {
  begin_store_errors(metrics);
  real.outbox = make_measured_outbox(std::move(real.outbox), metrics, clock);
  real.care = std::make_unique<MeasuredCare>(std::move(real.care), metrics);
  real.registry = std::make_unique<MeasuredRegistry>(std::move(real.registry), metrics);
  real.feed = std::make_unique<MeasuredFeed>(std::move(real.feed), metrics);
  real.drafts = std::make_unique<MeasuredDrafts>(std::move(real.drafts), metrics);
  real.mailboxes = std::make_unique<MeasuredMailboxes>(std::move(real.mailboxes), metrics);
  real.reports = std::make_unique<MeasuredReports>(std::move(real.reports), metrics);
  real.suppressions = std::make_unique<MeasuredSuppressions>(std::move(real.suppressions), metrics);
  real.publishing = std::make_unique<MeasuredPublishing>(std::move(real.publishing), metrics);
  real.overview = std::make_unique<MeasuredOverview>(std::move(real.overview), metrics);
  real.breakers = std::make_unique<MeasuredBreakers>(std::move(real.breakers), metrics);
  return real;
}

}  // namespace eilbote
