// The status feed on PostgreSQL; shares the outbox's connections.
#include "store/postgres/connection_pool.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"
#include "store/row_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

Result<std::vector<UntoldChange>> find_untold(Connection& connection, int limit) {
  auto rows = connection.run(q::untold_changes, std::move(Params().add(limit)));
  if (!rows) return fail(rows.error());
  std::vector<UntoldChange> changes;
  for (const Row row : *rows)
    changes.push_back(read_untold(row));
  return changes;
}

Result<void> mark_told(Connection& connection, std::span<const UntoldChange> changes) {
  Array job(Type::int8), seq(Type::int8);
  for (const UntoldChange& change : changes) {
    job.add(change.job.value());
    seq.add(change.seq);
  }
  auto done = connection.run(q::told_changes, std::move(Params().add(std::move(job)).add(std::move(seq))));
  if (!done) return fail(done.error());
  return {};
}

class PostgresFeed final : public StatusFeed {
 public:
  explicit PostgresFeed(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<std::vector<UntoldChange>> untold(int limit) override {
    return pool_->with_connection([&](Connection& c) { return find_untold(c, limit); });
  }
  Result<void> told(std::span<const UntoldChange> changes) override {
    return pool_->with_connection([&](Connection& c) { return mark_told(c, changes); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
};

}  // namespace

std::unique_ptr<StatusFeed> make_feed(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresFeed>(std::move(pool));
}

}  // namespace eilbote::postgres
