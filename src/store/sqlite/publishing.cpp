// The publish book on SQLite; shares the outbox's writer and readers.
#include "ports/publish_book.h"

#include "store/publish_readers.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

void mark(Session& session, const std::vector<PublishMark>& marks) {
  if (marks.empty()) return;
  GivenRows rows;
  for (const PublishMark& mark : marks) {
    std::optional<TimePoint> due;
    if (mark.delay > Duration{0}) due = session.now + mark.delay;
    rows.add(mark.id, mark.token, mark.published, due);
  }
  session.database.run(q::mark_published).with(rows, session.now).done();
}

PublishResult publish_round(Session& session, const PublishRequest& request) {
  mark(session, request.marks);
  PublishResult result;
  result.now = session.now;
  for (const ClaimLane& wish : request.lanes) {
    if (wish.n <= 0) continue;
    const TimePoint low = wish.low_water.value_or(TimePoint::min());
    Run run = session.database.run(q::claim_publish);
    for (run.with(wish.lane, low, session.now, wish.n, request.token); run.row();)
      result.claimed.push_back(read_publish_claim(run, request.token));
  }
  sort_claims(result.claimed);
  return result;
}

int release_unheld(Session& session, Epoch epoch, std::span<const JobId> held) {
  const LeaseTokens tokens = tokens_of(epoch);
  GivenRows rows;
  for (const JobId id : held)
    rows.add(id);
  return session.database.run(q::release_publishing)
      .with(tokens.first, tokens.last, rows, session.now)
      .done();
}

void told_dead(Session& session, std::span<const DeadLetter> letters) {
  GivenRows rows;
  for (const DeadLetter& letter : letters)
    rows.add(letter.id, letter.failed_at);
  session.database.run(q::told_dead).with(rows, session.now).done();
}

std::vector<PausedLane> paused_lanes(Reading& reading) {
  std::vector<PausedLane> paused;
  Run run = reading.database.run(q::paused_lanes);
  for (run.with(reading.now); run.row();)
    paused.push_back(read_paused(run));
  return paused;
}

std::vector<DeadLetter> untold_dead(Reading& reading, int rows_max) {
  std::vector<DeadLetter> letters;
  Run run = reading.database.run(q::untold_dead);
  for (run.with(rows_max); run.row();)
    letters.push_back(read_dead_letter(run));
  return letters;
}

class SqlitePublishing final : public PublishBook {
 public:
  explicit SqlitePublishing(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<PublishResult> publish_round(const PublishRequest& request) override {
    return parts_->writer->run([&](Session& session) { return sqlite::publish_round(session, request); });
  }
  Result<int> release_unheld(Epoch epoch, std::span<const JobId> held) override {
    return parts_->writer->run(
        [&](Session& session) { return sqlite::release_unheld(session, epoch, held); });
  }
  Result<void> pause_lanes(std::span<const LaneId> lanes, Duration pause) override {
    return parts_->writer->run([&](Session& session) {
      for (const LaneId lane : lanes)
        session.database.run(q::pause_lanes).with(lane, session.now + pause).done();
    });
  }
  Result<std::vector<PausedLane>> paused_lanes() override {
    return parts_->readers->read([&](Reading& reading) { return sqlite::paused_lanes(reading); });
  }
  Result<std::vector<DeadLetter>> untold_dead(int rows_max) override {
    return parts_->readers->read([&](Reading& reading) { return sqlite::untold_dead(reading, rows_max); });
  }
  Result<void> told_dead(std::span<const DeadLetter> letters) override {
    return parts_->writer->run([&](Session& session) { sqlite::told_dead(session, letters); });
  }

 private:
  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

std::unique_ptr<PublishBook> make_publishing(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqlitePublishing>(std::move(parts));
}

}  // namespace eilbote::sqlite
