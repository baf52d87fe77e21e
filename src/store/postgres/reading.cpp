// Reading: content for the channels, lanes for the ledger, records and histories for people.
#include <unordered_map>

#include "store/postgres/migrator.h"
#include "store/postgres/operations.h"
#include "store/row_readers.h"
#include "store/schema_version.h"
#include "store/suppressed_recipients.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

// Lays the results so far over recipients that all wait.
void apply_results(const Rows& rows, const auto& recipients_of) {
  for (const Row row : rows) {
    std::vector<Recipient>* recipients = recipients_of(JobId{row.int8(0)});
    if (recipients != nullptr) read_recipient(row, *recipients);
  }
}

// One answer row per id, in whatever order the database likes, brought into the order asked for.
template <class T>
std::vector<T> in_order(std::span<const JobId> ids, std::unordered_map<JobId, T>& found) {
  std::vector<T> ordered;
  ordered.reserve(ids.size());
  for (const JobId id : ids)
    if (auto node = found.extract(id)) ordered.push_back(std::move(node.mapped()));
  return ordered;
}

// Looks up what is wanted of the suppression lists; mostly nothing.
Result<void> find_suppressed(Connection& connection, SuppressedRecipients& suppressed) {
  if (suppressed.wanted().empty()) return {};
  Array client(Type::int4), address(Type::text);
  for (const auto& [client_id, wanted] : suppressed.wanted()) {
    client.add(client_id);
    address.add(wanted);
  }
  auto rows =
      connection.run(q::find_suppressed, std::move(Params().add(std::move(client)).add(std::move(address))));
  if (!rows) return fail(rows.error());
  for (const Row row : *rows)
    suppressed.found(row.int4(0), row.text(1), row.time(2), row.text(3));
  return {};
}

}  // namespace

Result<std::vector<MailContent>> load_mails(Connection& connection, std::span<const JobId> ids) {
  if (ids.empty()) return std::vector<MailContent>{};
  Calls calls;
  calls.push_back({&q::load_mails, std::move(Params().add(int8_array(ids)))});
  calls.push_back({&q::load_recipients, std::move(Params().add(int8_array(ids)))});
  auto answers = connection.run(calls);
  if (!answers) return fail(answers.error());
  std::unordered_map<JobId, MailContent> found;
  for (const Row row : (*answers)[0]) {
    MailContent mail = read_mail(row);
    found.emplace(mail.id, std::move(mail));
  }
  apply_results((*answers)[1], [&](JobId id) -> std::vector<Recipient>* {
    const auto mail = found.find(id);
    return mail == found.end() ? nullptr : &mail->second.recipients;
  });
  SuppressedRecipients suppressed;
  for (const Row row : (*answers)[0])
    if (const auto client = read_suppressing_client(row))
      suppressed.ask(*client, found.at(JobId{row.int8(0)}));
  if (auto done = find_suppressed(connection, suppressed); !done) return fail(done.error());
  std::vector<MailContent> mails = in_order(ids, found);
  for (MailContent& mail : mails)
    suppressed.mark(mail);
  return mails;
}

Result<std::vector<WebhookContent>> load_webhooks(Connection& connection, std::span<const JobId> ids) {
  if (ids.empty()) return std::vector<WebhookContent>{};
  auto rows = connection.run(q::load_webhooks, std::move(Params().add(int8_array(ids))));
  if (!rows) return fail(rows.error());
  std::unordered_map<JobId, WebhookContent> found;
  for (const Row row : *rows) {
    WebhookContent content = read_webhook(row);
    found.emplace(content.id, std::move(content));
  }
  return in_order(ids, found);
}

Result<ActiveLanes> active_lanes(Connection& connection, Directory& directory) {
  auto rows = connection.run(q::active_lanes);
  if (!rows) return fail(rows.error());
  ActiveLanes active;
  active.now = (*rows)[0].time(0);
  bool reloaded = false;
  for (const Row row : *rows) {
    if (row.is_null(1)) continue;
    auto lane = directory.lane(read_lane(row));
    if (!lane && !std::exchange(reloaded, true)) {
      if (auto read = directory.reload(connection); !read) return fail(read.error());
      lane = directory.lane(read_lane(row));
    }
    if (lane)
      active.lanes.push_back({lane->id, lane->channel, lane->client, lane->pool, lane->route, row.time(2)});
  }
  return active;
}

Result<std::vector<JobRecord>> find_jobs(Connection& connection, Directory& directory,
                                         std::span<const JobId> ids) {
  auto rows = connection.run(q::find_many, std::move(Params().add(int8_array(ids))));
  if (!rows) return fail(rows.error());
  if (auto known = directory.know_lanes(connection, *rows); !known) return fail(known.error());
  std::unordered_map<JobId, JobRecord> found;
  for (const Row row : *rows) {
    JobRecord record = read_record(row);
    if (const auto lane = directory.lane(read_lane(row))) name_job(record.job, *lane);
    found.emplace(record.job.id, std::move(record));
  }
  return in_order(ids, found);
}

Result<void> complete_records(Connection& connection, std::vector<JobRecord>& records) {
  if (records.empty()) return {};
  std::unordered_map<JobId, JobRecord*> by_id;
  std::vector<JobId> ids;
  for (JobRecord& record : records) {
    by_id[record.job.id] = &record;
    ids.push_back(record.job.id);
  }
  Calls calls;
  for (const sql::Text* statement : {&q::load_recipients, &q::last_failure, &q::provider_ids})
    calls.push_back({statement, std::move(Params().add(int8_array(ids)))});
  auto answers = connection.run(calls);
  if (!answers) return fail(answers.error());
  apply_results((*answers)[0], [&](JobId id) { return &by_id.at(id)->recipients; });
  for (const Row row : (*answers)[1])
    by_id.at(JobId{row.int8(0)})->last_failure = read_attempt(row);
  for (const Row row : (*answers)[2])
    by_id.at(JobId{row.int8(0)})->provider_message_id = row.text(1);
  return {};
}

Result<JobHistory> history(Connection& connection, JobId id) {
  Calls calls;
  for (const sql::Text* statement : {&q::find_attempts_of, &q::find_events_of})
    calls.push_back({statement, std::move(Params().add(id.value()))});
  auto answers = connection.run(calls);
  if (!answers) return fail(answers.error());
  JobHistory history;
  for (const Row row : (*answers)[0])
    history.attempts.push_back(read_attempt(row));
  for (const Row row : (*answers)[1])
    history.events.push_back(read_event(row));
  return history;
}

Result<void> check_schema(Connection& connection) {
  auto rows = connection.run(q::find_migrations);
  if (!rows && connection.sqlstate() == kUndefinedTable)
    return fail(ErrorKind::invalid, "the database has no schema yet: run `eilbote migrate`");
  if (!rows) return fail(rows.error());
  return judge_version(read_migrations(*rows), schema_version());
}

}  // namespace eilbote::postgres
