// What instances tell each other of their breakers, on SQLite, where others are earlier lives of this one: nobody else is there
// to read it. Shares the outbox's writer and readers.
#include "ports/breaker_board.h"

#include "store/breaker_json.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

std::vector<RouteLoad> told_by_others(Reading& reading, Epoch own) {
  std::vector<RouteLoad> all;
  Run run = reading.database.run(q::told_breakers);
  for (run.with(own, reading.now, kTellersMax); run.row();)
    add_breakers(all, run.text(0), run.jsonb(1));
  return all;
}

int ask_reset(Session& session, Epoch own, const std::string& route) {
  int asked = 0;
  Run run = session.database.run(q::ask_reset);
  for (run.with(own, session.now, route); run.row();)
    ++asked;
  return asked;
}

std::string find_resets(Reading& reading, Epoch epoch) {
  Run run = reading.database.run(q::find_resets);
  return run.with(epoch).row() ? std::string(run.jsonb(0)) : std::string();
}

class SqliteBreakerBoard final : public BreakerBoard {
 public:
  explicit SqliteBreakerBoard(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<void> tell(Epoch epoch, const std::string& shown_as, std::span<const RouteLoad> breakers) override {
    return parts_->writer->run([&](Session& session) {
      session.database.run(q::tell_breakers).with(epoch, shown_as, breakers_to_json(breakers)).done();
    });
  }
  Result<std::vector<RouteLoad>> told_by_others(Epoch own) override {
    return parts_->readers->read([&](Reading& reading) { return sqlite::told_by_others(reading, own); });
  }
  Result<int> ask_reset(Epoch own, const std::string& route) override {
    return parts_->writer->run([&](Session& session) { return sqlite::ask_reset(session, own, route); });
  }
  Result<std::vector<std::string>> take_resets(Epoch epoch) override {
    const auto resets = parts_->readers->read([&](Reading& reading) { return find_resets(reading, epoch); });
    if (!resets) return fail(resets.error());
    if (resets->empty()) return std::vector<std::string>{};
    const auto cleared = parts_->writer->run(
        [&](Session& session) { session.database.run(q::clear_resets).with(epoch, *resets).done(); });
    if (!cleared) return fail(cleared.error());
    return routes_from_json(*resets);
  }

 private:
  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

std::unique_ptr<BreakerBoard> make_breaker_board(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqliteBreakerBoard>(std::move(parts));
}

}  // namespace eilbote::sqlite
