// The words in the CHECK constraints of both dialects are the words of their enums' tables, in full and nothing
// else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "domain/names.h"
#include "ports/mailbox_watch.h"
#include "support/enum_words.h"

namespace eilbote::check_lists_test {
namespace {

namespace fs = std::filesystem;
using test::Words;
using test::words_of;

// "table.column" to the table of its words. A column that several tables share is listed for each.
const std::map<std::string, Words> kWant{
    {"dispatch_pools.status", words_of(kPoolStatusNames)},
    {"outbox.channel", words_of(kChannelNames)},
    {"outbox.status", words_of(kJobStatusNames)},
    {"outbox.group_mode", words_of(kGroupModeNames)},
    {"outbox.report", words_of(kReportNames)},
    {"outbox.dead_reason", words_of(kDeadReasonNames)},
    {"lanes.channel", words_of(kChannelNames)},
    {"messages.on_uncertain", words_of(kOnUncertainNames)},
    {"recipients.status", words_of(kRecipientStatusNames)},
    {"attempts.status", words_of(kAttemptStatusNames)},
    {"attempts.verdict", words_of(kVerdictNames)},
    {"attempts.error_type", words_of(kErrorTypeNames)},
    {"watched_mailboxes.wants", words_of(kGraphLifecycleNames)},
};

std::string migrations(const std::string& dialect) {
  std::set<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(EILBOTE_SOURCE_DIR) / "sql" / dialect / "migrations"))
    files.insert(entry.path());
  std::stringstream all;
  for (const fs::path& file : files)
    all << std::ifstream(file).rdbuf() << '\n';
  return std::regex_replace(all.str(), std::regex("--[^\n]*"), "");
}

// Every `column ... CHECK (column IN ('a', 'b'))` inside a CREATE TABLE: "table.column" to its words.
std::map<std::string, Words> check_lists(const std::string& sql) {
  static const std::regex kToken(
      R"(CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)|CHECK\s*\(\s*(\w+)\s+IN\s*\(([^)]*)\)\s*\))",
      std::regex::icase);
  static const std::regex kWord("'([^']*)'");
  std::map<std::string, Words> lists;
  std::string table;
  for (std::sregex_iterator it(sql.begin(), sql.end(), kToken), end; it != end; ++it) {
    if ((*it)[1].matched) {
      table = (*it)[1];
      continue;
    }
    const std::string list = (*it)[3];
    Words words;
    for (std::sregex_iterator word(list.begin(), list.end(), kWord); word != end; ++word)
      words.insert((*word)[1]);
    if (words.empty()) continue;  // a truth value: IN (0, 1)
    lists[table + "." + (*it)[2].str()] = words;
  }
  return lists;
}

class CheckLists : public testing::TestWithParam<const char*> {};

TEST_P(CheckLists, are_the_enum_tables) {
  const auto got = check_lists(migrations(GetParam()));
  for (const auto& [column, words] : kWant) {
    const auto list = got.find(column);
    if (list == got.end())
      ADD_FAILURE() << column << " has no CHECK list";
    else
      EXPECT_EQ(list->second, words) << column;
  }
  for (const auto& [column, words] : got)
    EXPECT_TRUE(kWant.contains(column)) << column << " has a CHECK list that no enum table is named for here";
}

INSTANTIATE_TEST_SUITE_P(Dialects, CheckLists, testing::Values("postgres", "sqlite"),
                         [](const auto& dialect) { return std::string(dialect.param); });

TEST(CheckListsReader, finds_what_is_written) {
  const auto got = check_lists(
      "CREATE TABLE a (x text CHECK (x IN ('p', 'q')),\n y text NOT NULL CHECK (y IN (\n'r')),"
      " CHECK (z IS NULL OR x IN ('p')));\nCREATE TABLE b (x text CHECK (x IN ('s')));");
  EXPECT_EQ(got, (std::map<std::string, Words>{{"a.x", {"p", "q"}}, {"a.y", {"r"}}, {"b.x", {"s"}}}));
}

}  // namespace
}  // namespace eilbote::check_lists_test
