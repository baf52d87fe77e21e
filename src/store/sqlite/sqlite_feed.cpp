// The status feed on SQLite; shares the outbox's writer and readers.
#include "store/row_readers.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"
#include "store/sqlite/sqlite_store.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

std::vector<UntoldChange> find_untold(Reading& reading, int limit) {
  std::vector<UntoldChange> changes;
  Run run = reading.database.run(q::untold_changes);
  for (run.with(limit); run.row();)
    changes.push_back(read_untold(run));
  return changes;
}

class SqliteFeed final : public StatusFeed {
 public:
  explicit SqliteFeed(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<std::vector<UntoldChange>> untold(int limit) override {
    return parts_->readers->read([&](Reading& reading) { return find_untold(reading, limit); });
  }
  Result<void> told(std::span<const UntoldChange> changes) override {
    return parts_->writer->run([&](Session& session) {
      for (const UntoldChange& change : changes)
        session.database.run(q::told_changes).with(change.job, change.seq).done();
    });
  }

 private:
  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

std::unique_ptr<StatusFeed> make_feed(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqliteFeed>(std::move(parts));
}

}  // namespace eilbote::sqlite
