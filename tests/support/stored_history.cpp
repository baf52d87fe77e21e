// What a database says of its jobs in the end, as events of a history.
#include "domain/tsid.h"
#include "support/history.h"
#include "support/raw_sql.h"

namespace eilbote::test {
namespace {

constexpr const char* kJobsOfPostgres =
    "SELECT eilbote_tsid(id), status, dead_reason, retry_count + (status = 'sent')::int, max_attempts, "
    "(extract(epoch FROM finished_at) * 1000000)::bigint FROM outbox";
constexpr const char* kAttemptsOfPostgres =
    "SELECT eilbote_tsid(job_id), (extract(epoch FROM attempted_at) * 1000000)::bigint, "
    "(extract(epoch FROM completed_at) * 1000000)::bigint, verdict FROM attempts ORDER BY attempted_at";
constexpr const char* kJobsOfSqlite =
    "SELECT id, status, dead_reason, retry_count + (status = 'sent'), max_attempts, finished_at FROM outbox";
constexpr const char* kAttemptsOfSqlite =
    "SELECT job_id, attempted_at, completed_at, verdict FROM attempts ORDER BY attempted_at";

std::string null_is_empty(const std::string& column) {
  return column == "NULL" ? "" : column;
}

std::int64_t null_is_zero(const std::string& column) {
  return column == "NULL" ? 0 : std::stoll(column);
}

}  // namespace

std::string job_id_in(const std::string& column, HistoryStore store) {
  return store == HistoryStore::postgres ? column : to_text(JobId{std::stoll(column)});
}

void add_stored(RawSql& sql, History& history, HistoryStore store) {
  const bool on_postgres = store == HistoryStore::postgres;
  const auto id_in = [&](const std::string& column) { return job_id_in(column, store); };
  for (const SqlRow& row : sql.rows(on_postgres ? kJobsOfPostgres : kJobsOfSqlite))
    history.add({.kind = HistoryKind::stored,
                 .id = id_in(row[0]),
                 .status = row[1],
                 .dead_reason = null_is_empty(row[2]),
                 .attempts = std::stoi(row[3]),
                 .budget = std::stoi(row[4]),
                 .finished_at = null_is_zero(row[5])});
  for (const SqlRow& row : sql.rows(on_postgres ? kAttemptsOfPostgres : kAttemptsOfSqlite))
    history.add({.kind = HistoryKind::attempt,
                 .at = std::stoll(row[1]),
                 .until = std::stoll(row[2]),
                 .id = id_in(row[0]),
                 .status = null_is_empty(row[3])});
}

}  // namespace eilbote::test
