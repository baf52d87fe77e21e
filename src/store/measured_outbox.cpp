#include "store/measured_outbox.h"

#include "metrics/metrics.h"
#include "store/forwarding_outbox.h"
#include "store/store_errors.h"

namespace eilbote {
namespace {

class MeasuredOutbox final : public ForwardingOutbox {
 public:
  MeasuredOutbox(std::unique_ptr<Outbox> real, Metrics& metrics, const Clock& clock)
      : ForwardingOutbox(std::move(real)), metrics_(metrics), clock_(clock) {}

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) override {
    const Clock::Steady began = clock_.steady_now();
    return timed(Metric::intake_commit_seconds, began, real().accept(jobs, run));
  }
  Result<ExchangeResult> exchange(const ExchangeRequest& request) override {
    const Clock::Steady began = clock_.steady_now();
    return timed(Metric::exchange_seconds, began, real().exchange(request));
  }
  Result<JobContents> load_contents(std::span<const JobId> mails, std::span<const JobId> webhooks) override {
    return counted(real().load_contents(mails, webhooks), metrics_);
  }
  Result<ActiveLanes> active_lanes() override { return counted(real().active_lanes(), metrics_); }
  Result<std::optional<JobRecord>> find(JobId id, const std::optional<ClientName>& client) override {
    return counted(real().find(id, client), metrics_);
  }
  Result<JobHistory> history(JobId id) override { return counted(real().history(id), metrics_); }
  Result<Page> list(const ListQuery& query) override { return counted(real().list(query), metrics_); }
  Result<std::vector<ActOutcome>> act(std::span<const JobId> ids, const ActRequest& request) override {
    return counted(real().act(ids, request), metrics_);
  }
  Result<void> check() override { return counted(real().check(), metrics_); }

 private:
  // A call that failed is an error, not a time: a database that is away would look like a slow one.
  template <class T>
  Result<T> timed(Metric metric, Clock::Steady began, Result<T> result) {
    if (result) metrics_.observe(metric, std::chrono::duration<double>(clock_.steady_now() - began).count());
    return counted(std::move(result), metrics_);
  }

  Metrics& metrics_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<Outbox> make_measured_outbox(std::unique_ptr<Outbox> real, Metrics& metrics,
                                             const Clock& clock) {
  return std::make_unique<MeasuredOutbox>(std::move(real), metrics, clock);
}

}  // namespace eilbote
