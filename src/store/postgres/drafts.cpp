// The draft book on PostgreSQL; shares the outbox's connections. A note takes the locks of its mails' rows, by id, as
// everybody does.
#include "ports/draft_book.h"

#include "store/graph_readers.h"
#include "store/postgres/connection_pool.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

Result<std::vector<bool>> note_drafts(Connection& connection, std::span<const DraftNote> notes) {
  Array job(Type::int8), token(Type::int8), id(Type::text), mailbox(Type::text), message_id(Type::text);
  for (const DraftNote& note : notes) {
    job.add(note.draft.job.value());
    token.add(note.token.value());
    id.add(note.draft.id);
    mailbox.add(note.draft.mailbox);
    message_id.add(note.draft.internet_message_id);
  }
  Params params;
  params.add(std::move(job)).add(std::move(token)).add(std::move(id));
  params.add(std::move(mailbox)).add(std::move(message_id));
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&q::note_drafts, std::move(params)});
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());
  std::vector<bool> noted(notes.size());
  for (const Row row : (*done)[1])
    noted.at(static_cast<std::size_t>(row.int8(0) - 1)) = true;
  return noted;
}

Result<DraftBook::Found> find_drafts(Connection& connection, std::span<const JobId> jobs) {
  Calls calls;
  calls.push_back({&q::find_drafts, std::move(Params().add(int8_array(jobs)))});
  calls.push_back({&q::transaction_now, {}});
  auto rows = connection.run(calls);
  if (!rows) return fail(rows.error());
  DraftBook::Found found;
  for (const Row row : rows->front())
    found.drafts.push_back(read_draft(row));
  found.now = rows->back()[0].time(0);
  return found;
}

class PostgresDrafts final : public DraftBook {
 public:
  explicit PostgresDrafts(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<std::vector<bool>> note(std::span<const DraftNote> notes) override {
    if (notes.empty()) return std::vector<bool>{};
    return pool_->with_connection([&](Connection& c) { return note_drafts(c, notes); });
  }
  Result<Found> find(std::span<const JobId> jobs) override {
    return pool_->with_connection([&](Connection& c) { return find_drafts(c, jobs); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
};

}  // namespace

Call close_drafts_call(std::span<const JobId> jobs) {
  return {&q::close_drafts, std::move(Params().add(int8_array(jobs)))};
}

std::unique_ptr<DraftBook> make_drafts(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresDrafts>(std::move(pool));
}

}  // namespace eilbote::postgres
