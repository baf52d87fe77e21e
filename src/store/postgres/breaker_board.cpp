// What instances tell each other of their breakers, on PostgreSQL; shares the outbox's connections.
#include "ports/breaker_board.h"

#include "store/breaker_json.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

Result<void> tell(Connection& connection, Epoch epoch, const std::string& shown_as,
                  std::span<const RouteLoad> breakers) {
  Params params;
  params.add(epoch.value()).add(shown_as).add_json(breakers_to_json(breakers));
  if (auto done = connection.run(q::tell_breakers, std::move(params)); !done) return fail(done.error());
  return {};
}

Result<std::vector<RouteLoad>> told_by_others(Connection& connection, Epoch own) {
  auto rows = connection.run(q::told_breakers, std::move(Params().add(own.value()).add(kTellersMax)));
  if (!rows) return fail(rows.error());
  std::vector<RouteLoad> all;
  for (const Row row : *rows)
    add_breakers(all, row.text(0), row.jsonb(1));
  return all;
}

Result<int> ask_reset(Connection& connection, Epoch own, const std::string& route) {
  auto asked = connection.run(q::ask_reset, std::move(Params().add(own.value()).add(route)));
  if (!asked) return fail(asked.error());
  return asked->size();
}

Result<std::vector<std::string>> take_resets(Connection& connection, Epoch epoch) {
  auto found = connection.run(q::find_resets, std::move(Params().add(epoch.value())));
  if (!found) return fail(found.error());
  if (found->empty()) return std::vector<std::string>{};
  const std::string resets((*found)[0].jsonb(0));
  auto cleared = connection.run(q::clear_resets, std::move(Params().add(epoch.value()).add_json(resets)));
  if (!cleared) return fail(cleared.error());
  return routes_from_json(resets);
}

class PostgresBreakerBoard final : public BreakerBoard {
 public:
  explicit PostgresBreakerBoard(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<void> tell(Epoch epoch, const std::string& shown_as, std::span<const RouteLoad> breakers) override {
    return pool_->with_connection(
        [&](Connection& c) { return postgres::tell(c, epoch, shown_as, breakers); });
  }
  Result<std::vector<RouteLoad>> told_by_others(Epoch own) override {
    return pool_->with_connection([&](Connection& c) { return postgres::told_by_others(c, own); });
  }
  Result<int> ask_reset(Epoch own, const std::string& route) override {
    return pool_->with_connection([&](Connection& c) { return postgres::ask_reset(c, own, route); });
  }
  Result<std::vector<std::string>> take_resets(Epoch epoch) override {
    return pool_->with_connection([&](Connection& c) { return postgres::take_resets(c, epoch); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
};

}  // namespace

std::unique_ptr<BreakerBoard> make_breaker_board(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresBreakerBoard>(std::move(pool));
}

}  // namespace eilbote::postgres
