// The statements of the two dialects that are read by the same code (store/row_readers.h, store/registry_readers.h,
// store/graph_readers.h, store/publish_readers.h) answer
// the same columns in the same order.
#include <gtest/gtest.h>

#include <regex>

#include "sql/postgres.h"
#include "sql/sqlite.h"

namespace eilbote::sql_twins_test {
namespace {

namespace pg = sql::postgres;
namespace lite = sql::sqlite;

// Without comments, on one line.
std::string plain(const sql::Text& statement) {
  std::string text = std::regex_replace(std::string(statement.text), std::regex("--[^\n]*"), "");
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  while (text.ends_with(' '))
    text.pop_back();
  return text;
}

// What stands between the commas that are not inside brackets, without names of tables.
std::vector<std::string> columns_in(const std::string& list) {
  std::vector<std::string> columns(1);
  int depth = 0;
  for (const char c : std::regex_replace(list, std::regex("\\b\\w+\\."), "")) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0)
      columns.emplace_back();
    else if (c != ' ' || !columns.back().empty())
      columns.back() += c;
  }
  for (std::string& column : columns)
    while (column.ends_with(' '))
      column.pop_back();
  return columns;
}

// Of the last RETURNING, else of the first SELECT; the statements below without the one begin with the other.
std::vector<std::string> answer_of(const sql::Text& statement) {
  const std::string text = plain(statement);
  if (const auto at = text.rfind("RETURNING "); at != std::string::npos)
    return columns_in(text.substr(at + 10));
  const auto from = text.find("SELECT ") + 7;
  return columns_in(text.substr(from, text.find(" FROM ", from) - from));
}

bool is_name(const std::string& column) {
  return std::regex_match(column, std::regex("\\w+"));
}

TEST(SqlTwins, answer_the_same_columns_in_the_same_order) {
  const std::pair<const sql::Text&, const sql::Text&> twins[] = {
      {pg::claim_due, lite::claim_due},
      {pg::claim_one, lite::claim_one},
      {pg::find_many, lite::find_many},
      {pg::lock_job, lite::lock_job},
      {pg::orphans, lite::orphans},
      {pg::find_attempts_of, lite::find_attempts_of},
      {pg::last_failure, lite::last_failure},
      {pg::find_events_of, lite::find_events_of},
      {pg::untold_changes, lite::untold_changes},
      {pg::load_mails, lite::load_mails},
      {pg::load_webhooks, lite::load_webhooks},
      {pg::load_recipients, lite::load_recipients},
      {pg::rescue_dead, lite::rescue_dead},
      {pg::rescue_foreign, lite::rescue_foreign},
      {pg::expire_due, lite::expire_due},
      {pg::exhaust_due, lite::exhaust_due},
      {pg::find_accounts, lite::find_accounts},
      {pg::find_schemas, lite::find_schemas},
      {pg::list_pools, lite::list_pools},
      {pg::list_audit, lite::list_audit},
      {pg::list_reports, lite::list_reports},
      {pg::list_reports_of, lite::list_reports_of},
      {pg::list_reports_unmatched, lite::list_reports_unmatched},
      {pg::list_suppressions, lite::list_suppressions},
      {pg::find_suppressed, lite::find_suppressed},
      {pg::find_drafts, lite::find_drafts},
      {pg::keep_mailboxes, lite::keep_mailboxes},
      {pg::subscribed_mailboxes, lite::subscribed_mailboxes},
      {pg::waiting_notices, lite::waiting_notices},
      {pg::claim_publish, lite::claim_publish},
      {pg::untold_dead, lite::untold_dead},
  };
  for (const auto& [one, other] : twins) {
    SCOPED_TRACE(one.name);
    const std::vector<std::string> want = answer_of(one), got = answer_of(other);
    EXPECT_GT(want.size(), 3U);
    // SQLite may add what PostgreSQL has in memory (the names of a lane).
    ASSERT_GE(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      // An expression is written differently in the two; it stands at the same place.
      if (is_name(want[i]) && is_name(got[i])) {
        EXPECT_EQ(got[i], want[i]) << "column " << i;
      }
    }
  }
}

TEST(SqlTwins, a_second_run_of_accept_differs_in_what_it_does_about_rows_that_are_there) {
  const std::string tail = " ON CONFLICT (id) DO NOTHING RETURNING id";
  EXPECT_EQ(plain(pg::insert_outbox_again), plain(pg::insert_outbox) + tail);
  EXPECT_EQ(plain(lite::insert_outbox_again), plain(lite::insert_outbox) + " WHERE true" + tail);
}

}  // namespace
}  // namespace eilbote::sql_twins_test
