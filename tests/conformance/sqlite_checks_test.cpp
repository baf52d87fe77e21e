// What the rows of the hot tables are held to: the words of the enums, said in a way that costs SQLite next to nothing.
#include <gmock/gmock.h>

#include <regex>

#include "domain/names.h"
#include "support/enum_words.h"
#include "support/sqlite_file.h"

namespace eilbote::test::sqlite_checks_test {
namespace {

using ::testing::HasSubstr;

class SqliteChecksTest : public SqliteFile {
 protected:
  // What SQLite has on record of tables and indexes: {name, text}.
  std::vector<std::pair<std::string, std::string>> schema_of(const std::string& table) {
    std::vector<std::pair<std::string, std::string>> found;
    sqlite3_stmt* read = nullptr;
    const auto database = connect();
    EXPECT_EQ(
        sqlite3_prepare_v2(database->handle(),
                           "SELECT name, sql FROM sqlite_schema WHERE tbl_name = ?1 AND sql IS NOT NULL", -1,
                           &read, nullptr),
        SQLITE_OK);
    sqlite3_bind_text(read, 1, table.c_str(), -1, SQLITE_TRANSIENT);
    while (sqlite3_step(read) == SQLITE_ROW)
      found.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(read, 0)),
                         reinterpret_cast<const char*>(sqlite3_column_text(read, 1)));
    sqlite3_finalize(read);
    return found;
  }
  static Words words_in(const std::string& text) {
    static const std::regex kWord("'(\\w+)'");
    Words words;
    for (std::sregex_iterator it(text.begin(), text.end(), kWord), end; it != end; ++it)
      words.insert((*it)[1]);
    return words;
  }
};

TEST_F(SqliteChecksTest, have_no_lists_that_become_tables) {
  open();
  // Two are compared one after the other; of more SQLite makes a table, for each row and each time.
  static const std::regex kLongList(R"(\bIN\s*\(\s*'[^')]*'\s*,\s*'[^')]*'\s*,)", std::regex::icase);
  for (const char* table : {"outbox", "messages", "webhooks", "recipients", "attempts", "mail_status",
                            "facet_index", "facet_inbox", "idempotency_keys"}) {
    const auto schema = schema_of(table);
    EXPECT_FALSE(schema.empty()) << table;
    for (const auto& [name, text] : schema)
      EXPECT_FALSE(std::regex_search(text, kLongList))
          << name << " has a list of more than two texts; compare one after the other: " << text;
  }
}

TEST_F(SqliteChecksTest, know_every_word_of_the_enums_and_no_other) {
  open();
  struct Column {
    const char *table, *name;
    Words words;
  };
  const std::vector<Column> columns{{"outbox", "status", words_of(kJobStatusNames)},
                                    {"outbox", "group_mode", words_of(kGroupModeNames)},
                                    {"outbox", "dead_reason", words_of(kDeadReasonNames)},
                                    {"recipients", "status", words_of(kRecipientStatusNames)},
                                    {"attempts", "status", words_of(kAttemptStatusNames)},
                                    {"attempts", "verdict", words_of(kVerdictNames)},
                                    {"attempts", "error_type", words_of(kErrorTypeNames)}};
  for (const Column& column : columns) {
    const std::string text = schema_of(column.table).at(0).second;
    const std::regex check("\\b" + std::string(column.name) + " TEXT[^,]*CHECK \\(([^)]*)\\)");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(text, found, check)) << column.table << "." << column.name << ": " << text;
    EXPECT_EQ(words_in(found[1]), column.words) << column.table << "." << column.name;
  }
}

TEST_F(SqliteChecksTest, refuse_a_row_that_breaks_them) {
  const auto outbox = open();
  ASSERT_TRUE(accept(*outbox, new_job()));
  const auto database = connect();
  const auto answer = [&](const std::string& change) {
    sqlite3_exec(database->handle(), ("UPDATE outbox SET " + change).c_str(), nullptr, nullptr, nullptr);
    return std::string(sqlite3_errmsg(database->handle()));
  };
  EXPECT_THAT(answer("status = 'lost'"), HasSubstr("CHECK constraint failed"));
  EXPECT_THAT(answer("group_mode = 'ALL'"), HasSubstr("CHECK constraint failed"));
  EXPECT_THAT(answer("dead_reason = 'Boredom'"), HasSubstr("CHECK constraint failed"));
  EXPECT_THAT(answer("group_id = 1"), HasSubstr("CHECK constraint failed"))
      << "one in a group that waits is blocked";
  EXPECT_EQ(answer("status = 'failed', dead_reason = 'Expired'"), "not an error");
}

}  // namespace
}  // namespace eilbote::test::sqlite_checks_test
