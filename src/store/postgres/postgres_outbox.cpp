// The outbox on PostgreSQL: lends each operation a connection and lets it run again when it lost a race. What
// the operations do is in the files operations.h names.
#include <algorithm>

#include "store/postgres/connection_pool.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

class PostgresOutbox final : public Outbox {
 public:
  PostgresOutbox(std::shared_ptr<ConnectionPool> pool, bool broker)
      : pool_(std::move(pool)), broker_(broker) {}

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) override {
    if (jobs.empty()) return std::vector<AcceptOutcome>{};
    return pool_->with_connection(
        [&](Connection& c) { return postgres::accept(c, directory_, jobs, run, broker_); });
  }

  Result<ExchangeResult> exchange(const ExchangeRequest& request) override;

  Result<JobContents> load_contents(std::span<const JobId> mails, std::span<const JobId> webhooks) override;
  Result<ActiveLanes> active_lanes() override {
    return pool_->with_connection([&](Connection& c) { return postgres::active_lanes(c, directory_); });
  }

  Result<std::optional<JobRecord>> find(JobId id, const std::optional<ClientName>& client) override;
  Result<JobHistory> history(JobId id) override {
    return pool_->with_connection([&](Connection& c) { return postgres::history(c, id); });
  }
  Result<Page> list(const ListQuery& query) override {
    return pool_->with_connection(
        [&](Connection& c) { return postgres::list(c, directory_, query, broker_); });
  }
  Result<std::vector<ActOutcome>> act(std::span<const JobId> ids, const ActRequest& request) override;

  Result<void> check() override {
    return pool_->with_connection([&](Connection& c) { return check_schema(c); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the registry
  const bool broker_;
  Directory directory_;
};

Result<ExchangeResult> PostgresOutbox::exchange(const ExchangeRequest& request) {
  std::vector<const Settlement*> grouped, single;
  for (const Settlement& settlement : request.settlements)
    (settlement.grouped ? grouped : single).push_back(&settlement);
  // Rows are locked in the order of their ids.
  const auto by_id = [](const Settlement* s) { return s->id; };
  std::ranges::sort(grouped, {}, by_id);
  std::ranges::sort(single, {}, by_id);

  SettleResult first;
  if (!grouped.empty()) {
    auto settled = pool_->with_connection([&](Connection& c) { return settle_grouped(c, grouped); });
    if (!settled) return fail(settled.error());
    first = std::move(*settled);
  }
  auto result =
      pool_->with_connection([&](Connection& c) { return settle_and_claim(c, directory_, single, request); });
  if (!result) {
    // Some of it may have been committed by the first transaction: the caller has to ask again.
    if (!grouped.empty() && result.error().kind == ErrorKind::unavailable)
      return fail(ErrorKind::ambiguous, result.error().message);
    return result;
  }
  std::vector<SettleOutcome> outcomes(request.settlements.size());
  const auto put = [&](const std::vector<const Settlement*>& which, const std::vector<SettleOutcome>& said) {
    for (std::size_t i = 0; i < which.size(); ++i)
      outcomes[static_cast<std::size_t>(which[i] - request.settlements.data())] = said[i];
  };
  put(grouped, first.outcomes);
  put(single, result->settled);
  result->settled = std::move(outcomes);
  result->woken = std::move(first.woken);
  return result;
}

Result<JobContents> PostgresOutbox::load_contents(std::span<const JobId> mails,
                                                  std::span<const JobId> webhooks) {
  return pool_->with_connection([&](Connection& c) -> Result<JobContents> {
    auto letters = load_mails(c, mails);
    if (!letters) return fail(letters.error());
    auto requests = load_webhooks(c, webhooks);
    if (!requests) return fail(requests.error());
    return JobContents{std::move(*letters), std::move(*requests)};
  });
}

Result<std::optional<JobRecord>> PostgresOutbox::find(JobId id, const std::optional<ClientName>& client) {
  using Answer = Result<std::optional<JobRecord>>;
  return pool_->with_connection([&](Connection& c) -> Answer {
    auto found = find_jobs(c, directory_, std::span(&id, 1));
    if (!found) return fail(found.error());
    if (found->empty() || (client && found->front().job.client != *client)) return std::nullopt;
    if (auto done = complete_records(c, *found); !done) return fail(done.error());
    if (found->front().webhook) {
      auto content = load_webhooks(c, std::span(&id, 1));
      if (!content) return fail(content.error());
      if (!content->empty()) found->front().webhook->payload = std::move(content->front().webhook.payload);
    }
    return std::move(found->front());
  });
}

Result<std::vector<ActOutcome>> PostgresOutbox::act(std::span<const JobId> ids, const ActRequest& request) {
  std::vector<ActOutcome> outcomes;
  outcomes.reserve(ids.size());
  for (const JobId id : ids) {
    auto outcome = pool_->with_connection(
        [&](Connection& c) { return postgres::act(c, directory_, id, request, broker_); });
    if (!outcome) return fail(outcome.error());
    outcomes.push_back(std::move(*outcome));
  }
  return outcomes;
}

}  // namespace

Result<Store> open(const StoreOptions& options) {
  auto pool = std::make_shared<ConnectionPool>(Address{options.url, options.password}, options.connections);
  auto outbox = std::make_unique<PostgresOutbox>(pool, options.broker);
  if (auto checked = outbox->check(); !checked) return fail(checked.error());
  auto registry = make_registry(pool);
  if (auto written = registry->write_pools(options.pools); !written) return fail(written.error());
  return Store{std::move(outbox),        make_care(pool, options.broker),
               std::move(registry),      make_feed(pool),
               make_contents(pool),      make_drafts(pool),
               make_mailbox_watch(pool), make_reports(pool, options.mail_policy),
               make_suppressions(pool),  make_publishing(pool),
               make_overview(pool),      make_breaker_board(pool)};
}

}  // namespace eilbote::postgres
