// Every statement finds its rows through an index: with a million finished and a million future jobs, none
// reads a table that grows from one end to the other, and the claim does the same work as on an empty store.
#include <regex>

#include "support/sqlite_file.h"

namespace eilbote::test::sqlite_plans_test {
namespace {

namespace q = sql::sqlite;

class SqlitePlans : public SqliteFile {
 protected:
  SqlitePlans() { open(); }
};

// The plan, a line per step. Prepared here: the connection keeps statements by the address of their text.
std::vector<std::string> plan_of(sqlite::Database& database, const sql::Text& statement) {
  const std::string explain = "EXPLAIN QUERY PLAN " + std::string(statement.text);
  sqlite3_stmt* prepared = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database.handle(), explain.c_str(), -1, &prepared, nullptr), SQLITE_OK)
      << statement.name << ": " << sqlite3_errmsg(database.handle());
  std::vector<std::string> steps;
  while (sqlite3_step(prepared) == SQLITE_ROW)
    steps.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(prepared, 3)));
  sqlite3_finalize(prepared);
  return steps;
}

std::string in_lines(const std::vector<std::string>& steps) {
  std::string all;
  for (const std::string& step : steps)
    all += "  " + step + "\n";
  return all;
}

// Settings and the declaration of given() have no plan.
bool has_plan(const sql::Text& statement) {
  return !statement.name.starts_with("open_") && statement.name != q::given_table.name;
}

TEST_F(SqlitePlans, every_statement_prepares) {
  const auto database = connect();
  for (const sql::Text* statement : q::queries) {
    const std::string text(statement->text);
    const char* rest = text.c_str();
    int statements = 0;
    while (*rest != '\0') {
      sqlite3_stmt* prepared = nullptr;
      ASSERT_EQ(sqlite3_prepare_v2(database->handle(), rest, -1, &prepared, &rest), SQLITE_OK)
          << statement->name << ": " << sqlite3_errmsg(database->handle());
      if (prepared != nullptr) ++statements;
      sqlite3_finalize(prepared);
    }
    EXPECT_GE(statements, 1) << statement->name;
    if (has_plan(*statement)) {
      EXPECT_EQ(statements, 1) << statement->name;
    }
  }
}

TEST_F(SqlitePlans, no_statement_scans_a_table_that_grows) {
  // By table name, or by the names the statements give them. outbox_exhausted holds only what a foreign hand
  // left over, outbox_blocking only what people have to look at, outbox_untold only what is to be told,
  // mail_notices_waiting only what is to be read.
  const std::regex scan(
      R"(SCAN (outbox|o|q|b|h|messages|m|attempts|a|mail_status|s|recipients|facet_index|idempotency_keys|k|audit_log|graph_drafts|d|mail_notices|n|delivery_reports|suppressions|u)\b(?! USING (COVERING )?INDEX (outbox_(exhausted|blocking|untold)|mail_notices_waiting)))");
  const auto database = connect();
  for (const sql::Text* statement : q::queries) {
    if (!has_plan(*statement)) continue;
    const std::vector<std::string> steps = plan_of(*database, *statement);
    for (const std::string& step : steps)
      EXPECT_FALSE(std::regex_search(step, scan)) << statement->name << "\n" << in_lines(steps);
  }
}

struct HotCase {
  const sql::Text& statement;
  const char* step;
  bool sorts_few = false;  // the rows of one id, of which there are hardly two
};
const HotCase kHotCases[] = {
    {q::claim_due,
     "SEARCH q USING INDEX outbox_ready (lane_id=? AND next_attempt_at>? AND next_attempt_at<?)"},
    {q::claim_offered, "SEARCH o USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::unpublish_stale, "SEARCH q USING INDEX outbox_published (last_queued_at<?)"},
    {q::claim_one, "SEARCH outbox USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::settle, "SEARCH o USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::rescue_dead, "SEARCH q USING INDEX outbox_leased (lease_token>? AND lease_token<?)"},
    {q::orphans, "SEARCH outbox USING INDEX outbox_leased (lease_token>? AND lease_token<?)"},
    {q::rescue_foreign, "SEARCH q USING INDEX outbox_leased (lease_token=?)"},
    {q::leased_by_epoch, "SEARCH outbox USING INDEX outbox_leased (lease_token>? AND lease_token<?)"},
    {q::promote_groups, "SEARCH b USING INDEX outbox_line (group_id=?)"},
    {q::expire_due, "SEARCH q USING INDEX outbox_expiry (expires_at>? AND expires_at<?)"},
    {q::find_finished, "SEARCH o USING INDEX outbox_finished (status=? AND finished_at>? AND finished_at<?)"},
    {q::delete_keys, "SEARCH k USING COVERING INDEX idempotency_keys_expiry (expires_at<?)"},
    {q::list_ids_all_mails,
     "SEARCH messages USING COVERING INDEX messages_client (client_id=? AND rowid>? AND rowid<?)"},
    {q::list_ids_ended,
     "SEARCH outbox USING COVERING INDEX outbox_ended (client_id=? AND status=? AND rowid>? AND "
     "rowid<?)"},
    {q::list_ids_retrying, "SEARCH outbox USING INDEX outbox_retrying (client_id=? AND rowid>? AND rowid<?)"},
    {q::list_ids_reported,
     "SEARCH outbox USING COVERING INDEX outbox_reported (client_id=? AND report=? AND rowid>? "
     "AND rowid<?)"},
    {q::list_ids_facet, "SEARCH facet_index USING PRIMARY KEY (hash=? AND id>? AND id<?)"},
    {q::list_ids_due, "SEARCH outbox USING INDEX outbox_ready_mail (next_attempt_at<?)"},
    {q::retries_due, "SEARCH outbox USING INDEX outbox_retries (next_attempt_at<?)"},
    {q::queue_ages,
     "SEARCH o USING INDEX outbox_ready (lane_id=? AND next_attempt_at>? AND next_attempt_at<?)"},
    {q::queue_errors, "SEARCH e USING INDEX outbox_errors (lane_id=? AND last_attempt_at>?)"},
    {q::pool_depth, "SEARCH o USING INDEX outbox_ready (lane_id=?)"},
    {q::find_many, "SEARCH o USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::find_mail_by_provider_id, "SEARCH a USING INDEX attempts_provider_id (provider_message_id=?)", true},
    {q::find_mail_by_message_id, "SEARCH d USING INDEX graph_drafts_message (internet_message_id=?)", true},
    {q::list_reports_unmatched, "SEARCH r USING INDEX delivery_reports_job (job_id=? AND number<?)"},
    {q::list_suppressions, "SEARCH u USING PRIMARY KEY (client_id=? AND address>?)"},
    {q::load_mails, "SEARCH u USING PRIMARY KEY (client_id=?)"},
    {q::note_drafts, "SEARCH outbox USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::waiting_notices, "SCAN n USING INDEX mail_notices_waiting"},
    {q::claim_publish,
     "SEARCH q USING INDEX outbox_ready (lane_id=? AND next_attempt_at>? AND next_attempt_at<?)"},
    {q::mark_published, "SEARCH o USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::release_publishing, "SEARCH q USING INDEX outbox_leased (lease_token>? AND lease_token<?)"},
    {q::untold_dead, "SCAN o USING INDEX outbox_untold"},
    {q::told_dead, "SEARCH o USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::paused_lanes, "SEARCH p USING COVERING INDEX paused_lanes_until (until>?)"},
    {q::dead_counts, "SEARCH o USING COVERING INDEX outbox_dead_reason (dead_reason=? AND status=?)"},
    {q::dead_lately, "SEARCH o USING COVERING INDEX outbox_finished (status=? AND finished_at>?)"},
    {q::route_depth, "SEARCH o USING INDEX outbox_ready (lane_id=?)"},
    {q::tell_breakers, "SEARCH instances USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::find_resets, "SEARCH instances USING INTEGER PRIMARY KEY (rowid=?)"},
    {q::find_flow, "SEARCH flow_minutes USING INTEGER PRIMARY KEY (rowid>?)"},
    {q::sum_flow, "SEARCH flow_minutes USING INTEGER PRIMARY KEY (rowid>?)"},
    {q::delete_read_notices, "SEARCH n USING COVERING INDEX mail_notices_read (read_at<?)"},
};

TEST_F(SqlitePlans, each_hot_statement_uses_the_index_made_for_it) {
  const auto database = connect();
  for (const HotCase& expected : kHotCases) {
    const std::vector<std::string> steps = plan_of(*database, expected.statement);
    EXPECT_NE(std::find(steps.begin(), steps.end(), expected.step), steps.end())
        << expected.statement.name << " should " << expected.step << " but:\n"
        << in_lines(steps);
    for (const std::string& step : steps) {
      if (expected.sorts_few) break;
      EXPECT_EQ(step.find("TEMP B-TREE FOR ORDER BY"), std::string::npos)
          << expected.statement.name << " sorts:\n"
          << in_lines(steps);
    }
  }
}

TEST_F(SqlitePlans, a_plain_look_up_by_status_and_due_time_uses_an_index) {
  const sql::Text plain{"plain", R"(SELECT id FROM mail_outbox
      WHERE status = 'queued' AND next_attempt_at <= 1 AND retry_count < max_attempts
      ORDER BY next_attempt_at, id LIMIT 50)"};
  const auto steps = plan_of(*connect(), plain);
  EXPECT_EQ(in_lines(steps), "  SEARCH outbox USING INDEX outbox_ready_mail (next_attempt_at<?)\n");
}

// Steps of SQLite's machine for one run of a statement that this connection has prepared.
int steps_taken(sqlite::Database& database, const sql::Text& statement) {
  for (sqlite3_stmt* s = sqlite3_next_stmt(database.handle(), nullptr); s != nullptr;
       s = sqlite3_next_stmt(database.handle(), s))
    if (sqlite3_sql(s) == statement.text) return sqlite3_stmt_status(s, SQLITE_STMTSTATUS_VM_STEP, 1);
  return 0;
}

int steps_of_a_claim(sqlite::Database& database, const FakeClock& clock) {
  database.run(q::begin_transaction).done();
  int claimed = 0;
  {
    sqlite::Run run = database.run(q::claim_due);
    for (run.with(1, std::int64_t{0}, clock.now(), 50, std::int64_t{1} << 32); run.row();)
      ++claimed;
  }
  EXPECT_EQ(claimed, 50);
  database.run(q::rollback_transaction).done();
  EXPECT_FALSE(database.failed());
  return steps_taken(database, q::claim_due);
}

// `n` jobs of lane 1 from id `?1`, all in one state.
void plant(sqlite::Database& database, std::int64_t first, int n, std::string_view status, TimePoint due,
           std::optional<TimePoint> finished) {
  static const sql::Text kPlant{"plant", R"(
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
      INSERT INTO outbox (id, lane_id, client_id, channel, status, next_attempt_at, finished_at, expires_at, created_at,
                          updated_at)
      SELECT ?1 + i, 1, 1, 'mail', ?3, ?4 + i, ?5 + i, ?4 + 432000000000 + i, ?4, ?4 FROM n)"};
  database.run(kPlant).with(first, n, status, due, finished).done();
  ASSERT_FALSE(database.failed()) << database.take_error().message;
}

TEST_F(SqlitePlans, a_claim_costs_the_same_among_two_million_other_jobs) {
  constexpr int kMillion = 1'000'000;
  const auto database = connect();
  const TimePoint now = clock_.now();
  plant(*database, 1, 1000, "queued", now - std::chrono::seconds{1}, std::nullopt);
  const int among_none = steps_of_a_claim(*database, clock_);

  // Durability is not what is tested here.
  sqlite3_exec(database->handle(), "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000", nullptr, nullptr,
               nullptr);
  plant(*database, 2 * kMillion, kMillion, "sent", now - std::chrono::hours{1}, now);
  plant(*database, 4 * kMillion, kMillion, "queued", now + std::chrono::hours{1}, std::nullopt);
  EXPECT_EQ(steps_of_a_claim(*database, clock_), among_none);
}

}  // namespace
}  // namespace eilbote::test::sqlite_plans_test
