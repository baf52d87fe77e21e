// What the overview needs, on SQLite; shares the outbox's writer and readers.
#include "store/queue_book.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"
#include "store/standing_book.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

void add_flow(Session& session, const FlowCounts& counts) {
  const TimePoint minute = std::chrono::floor<std::chrono::minutes>(session.now);
  session.database.run(q::add_flow)
      .with(minute, counts.accepted, counts.delivered, counts.failed, counts.retried)
      .done();
}

std::vector<FlowMinute> flow(Reading& reading, Duration back) {
  std::vector<FlowMinute> minutes;
  Run run = reading.database.run(q::find_flow);
  for (run.with(reading.now - back); run.row();)
    minutes.push_back({run.time(0), read_flow(run, 1)});
  return minutes;
}

void count_dead(Reading& reading, StandingBook& book) {
  const auto count = [&](std::optional<std::string_view> reason) {
    Run run = reading.database.run(q::dead_counts);
    if (run.with(kCountExactMax + 1, reason).row()) book.dead(run.text(0), run.int8(1));
  };
  count(std::nullopt);
  for (const auto& [reason, text] : kDeadReasonNames.entries)
    count(text);
  Run lately = reading.database.run(q::dead_lately);
  if (lately.with(kCountExactMax + 1, reading.now - kFlowShown).row())
    book.load().dead.lately = lately.int8(0);
}

void count_pools(Reading& reading, StandingBook& book) {
  const auto [since, until] = any_age();
  {
    Run due = reading.database.run(q::queue_ages);
    for (due.with(kCountExactMax + 1, reading.now - since, reading.now - until); due.row();)
      book.due(due.text(0), due.int8(1));
  }
  Run errors = reading.database.run(q::queue_errors);
  while (errors.row())
    book.failed(errors.text(0), errors.text(1), errors.time_or_none(2));
}

StandingLoad standing(Reading& reading) {
  StandingBook book(stats(reading));
  count_pools(reading, book);
  count_dead(reading, book);
  StandingLoad& load = book.load();
  load.now = reading.now;
  {
    Run blocked = reading.database.run(q::count_blocked_groups);
    if (blocked.with(kCountExactMax + 1).row()) load.blocked_groups = blocked.int8(0);
  }
  {
    Run live = reading.database.run(q::live_instances);
    if (live.with(reading.now).row()) {
      load.instances = live.int4(0);
      load.delivering = live.int4(1);
    }
  }
  Run sum = reading.database.run(q::sum_flow);
  if (sum.with(reading.now - kFlowShown).row()) load.totals = read_flow(sum, 0);
  return load;
}

std::int64_t waiting_for(Reading& reading, ChannelKind channel, const std::string& route) {
  Run run = reading.database.run(q::route_depth);
  return run.with(kCountExactMax + 1, kChannelNames.text(channel), route).row() ? run.int8(0) : 0;
}

class SqliteOverview final : public OverviewBook {
 public:
  explicit SqliteOverview(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<void> add_flow(const FlowCounts& counts) override {
    return parts_->writer->run([&](Session& session) { sqlite::add_flow(session, counts); });
  }
  Result<std::vector<FlowMinute>> flow(Duration back) override {
    return parts_->readers->read([&](Reading& reading) { return sqlite::flow(reading, back); });
  }
  Result<StandingLoad> standing() override {
    return parts_->readers->read([](Reading& reading) { return sqlite::standing(reading); });
  }
  Result<std::int64_t> waiting_for(ChannelKind channel, const std::string& route) override {
    return parts_->readers->read(
        [&](Reading& reading) { return sqlite::waiting_for(reading, channel, route); });
  }

 private:
  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

std::unique_ptr<OverviewBook> make_overview(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqliteOverview>(std::move(parts));
}

}  // namespace eilbote::sqlite
