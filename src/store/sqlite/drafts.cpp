// The draft book on SQLite; shares the outbox's writer and readers.
#include "ports/draft_book.h"

#include "store/graph_readers.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

std::vector<bool> note_drafts(Session& session, std::span<const DraftNote> notes) {
  std::vector<bool> noted;
  noted.reserve(notes.size());
  for (const auto& [draft, token] : notes)
    noted.push_back(
        session.database.run(q::note_drafts)
            .with(draft.job, token, draft.id, draft.mailbox, draft.internet_message_id, session.now)
            .done() > 0);
  return noted;
}

DraftBook::Found find_drafts(Reading& reading, std::span<const JobId> jobs) {
  DraftBook::Found found;
  found.now = reading.now;
  for (const JobId job : jobs)
    if (Run run = reading.database.run(q::find_drafts); run.with(job).row())
      found.drafts.push_back(read_draft(run));
  return found;
}

class SqliteDrafts final : public DraftBook {
 public:
  explicit SqliteDrafts(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<std::vector<bool>> note(std::span<const DraftNote> notes) override {
    return parts_->writer->run([&](Session& session) { return note_drafts(session, notes); });
  }
  Result<Found> find(std::span<const JobId> jobs) override {
    return parts_->readers->read([&](Reading& reading) { return find_drafts(reading, jobs); });
  }

 private:
  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

void close_drafts(Session& session, JobId job) {
  session.database.run(q::close_drafts).with(job).done();
}

std::unique_ptr<DraftBook> make_drafts(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqliteDrafts>(std::move(parts));
}

}  // namespace eilbote::sqlite
