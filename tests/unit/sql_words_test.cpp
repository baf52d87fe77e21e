// The words in the statements of both dialects: every one is in a table of domain/names.h, every list of states is one of
// the sets that have a name here, and a statement of the same name holds the same sets in both dialects. The statements
// move states on their own (sweeps, settle), so a word that was renamed or a state that was added must show here.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>

#include "domain/names.h"
#include "domain/states.h"
#include "support/enum_words.h"
#include "unit/tidy_files.h"

namespace eilbote::tidy::sql_words_test {
namespace {

using test::Words;
using test::words_of;

Words joined(std::initializer_list<Words> all) {
  Words words;
  for (const Words& some : all)
    words.insert(some.begin(), some.end());
  return words;
}

std::string in_quotes(const Words& words) {
  std::string all;
  for (const std::string& word : words)
    all += (all.empty() ? "'" : ", '") + word + "'";
  return all;
}

// By the column's name; recipients and pools have a status too.
const std::map<std::string, Words> kColumns{
    {"status",
     joined({words_of(kJobStatusNames), words_of(kRecipientStatusNames), words_of(kPoolStatusNames)})},
    {"channel", words_of(kChannelNames)},
    {"group_mode", words_of(kGroupModeNames)},
    {"report", words_of(kReportNames)},
    {"dead_reason", words_of(kDeadReasonNames)},
    {"on_uncertain", words_of(kOnUncertainNames)},
};

const Words kKnown =
    joined({words_of(kJobStatusNames), words_of(kRecipientStatusNames), words_of(kPoolStatusNames),
            words_of(kChannelNames), words_of(kGroupModeNames), words_of(kReportNames),
            words_of(kDeadReasonNames), words_of(kOnUncertainNames), words_of(kAttemptStatusNames),
            words_of(kVerdictNames), words_of(kErrorTypeNames)});

// Words that are no states: texts for people, members of JSON, arguments of the database's own functions.
const Words kOther{"EXPIRED", "expired", "group",  "messageGroup", "outbox_place", "hex",
                   "UTF8",    "capture", "minute", "UTC",          "route",        "status_changes_seq"};

Words states_where(const std::function<bool(JobStatus)>& holds) {
  Words words;
  for (const auto& [status, text] : kJobStatusNames.entries)
    if (holds(status)) words.emplace(text);
  return words;
}

struct NamedSet {
  const char* name;
  Words words;
};
const NamedSet kSets[] = {
    {"leased", states_where(is_leased)},
    {"final", states_where(is_final)},
    {"not final", states_where([](JobStatus s) { return !is_final(s); })},
    {"neither leased nor final", states_where([](JobStatus s) { return !is_leased(s) && !is_final(s); })},
    {"ended without a delivery", {"cancelled", "failed"}},
    {"ended and not dead", {"cancelled", "sent"}},
    {"what settle puts back in line", {"blocked", "queued"}},
    {"what settle ends a group's turn with", {"blocked", "cancelled", "sent"}},
    {"what a broker's message may start", {"published", "publishing"}},
    {"recipients that will not get it", {"bounced", "refused", "suppressed"}},
};

std::string all_sets() {
  std::string all;
  for (const NamedSet& set : kSets)
    all += "\n    " + std::string(set.name) + ": " + in_quotes(set.words);
  return all;
}

// The statement without its comments; every line stays where it is.
std::string without_comments(const std::string& sql) {
  return std::regex_replace(sql, std::regex("--[^\n]*"), "");
}

int line_at(const std::string& text, std::ptrdiff_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + offset, '\n'));
}

Words quoted_in(const std::string& list) {
  static const std::regex kWord("'(\\w+)'");
  Words words;
  for (std::sregex_iterator it(list.begin(), list.end(), kWord), end; it != end; ++it)
    words.insert((*it)[1]);
  return words;
}

// Every `IN ('a', 'b')`, and every chain of comparisons of one column that stands for it, with the place where it begins. Chains are for
// conditions of SQLite's partial indexes (sql/sqlite/migrations/011_cheap_checks.sql).
struct List {
  Words words;
  int line;
};
std::vector<List> lists_of(const std::string& sql) {
  static const std::regex kList(R"(\bIN\s*\(\s*('[^)]*)\))", std::regex::icase);
  std::vector<List> lists;
  for (std::sregex_iterator it(sql.begin(), sql.end(), kList), end; it != end; ++it)
    lists.push_back({quoted_in((*it)[1]), line_at(sql, it->position())});
  static const std::regex kChain(R"(([\w.]+) = '\w+'(?:\s+OR\s+\1 = '\w+'){2,})");
  for (std::sregex_iterator it(sql.begin(), sql.end(), kChain), end; it != end; ++it)
    lists.push_back({quoted_in(it->str()), line_at(sql, it->position())});
  return lists;
}

std::vector<Finding> unknown_words(const SourceFile& file) {
  static const std::regex kWord("'(\\w+)'");
  const std::string sql = without_comments(file.text);
  std::vector<Finding> findings;
  for (std::sregex_iterator it(sql.begin(), sql.end(), kWord), end; it != end; ++it) {
    const std::string word = (*it)[1];
    if (kKnown.contains(word) || kOther.contains(word)) continue;
    findings.push_back(
        {file.path, line_at(sql, it->position()),
         "'" + word + "' is in no table of domain/names.h; spell it as there, or add it to kOther here"});
  }
  return findings;
}

// `channel = 'mial'`, also where the word is one of another column's.
std::vector<Finding> words_of_other_columns(const SourceFile& file) {
  static const std::regex kCompared(R"((\w+)\s*(?:=|<>|IS NOT|IS)\s*'(\w+)')", std::regex::icase);
  const std::string sql = without_comments(file.text);
  std::vector<Finding> findings;
  for (std::sregex_iterator it(sql.begin(), sql.end(), kCompared), end; it != end; ++it) {
    const auto column = kColumns.find((*it)[1]);
    if (column == kColumns.end() || column->second.contains((*it)[2])) continue;
    findings.push_back(
        {file.path, line_at(sql, it->position()),
         column->first + " is never '" + (*it)[2].str() + "'; it may be " + in_quotes(column->second)});
  }
  return findings;
}

std::vector<Finding> nameless_sets(const SourceFile& file) {
  std::vector<Finding> findings;
  for (const List& list : lists_of(without_comments(file.text))) {
    const bool named =
        std::ranges::any_of(kSets, [&](const NamedSet& set) { return set.words == list.words; });
    if (!named)
      findings.push_back({file.path, list.line,
                          "(" + in_quotes(list.words) + ") is none of the sets with a name; use one of" +
                              all_sets() + "\n    or give this one a name in kSets"});
  }
  return findings;
}

std::map<std::string, SourceFile> queries(const std::string& dialect) {
  const std::string folder = "sql/" + dialect + "/queries/";
  std::map<std::string, SourceFile> files;
  for (SourceFile& file :
       read_project(std::filesystem::path(EILBOTE_SOURCE_DIR) / "sql" / dialect / "queries")) {
    std::string name = file.path;
    file.path = folder + name;
    files.emplace(std::move(name), std::move(file));
  }
  return files;
}

std::set<Words> sets_of(const SourceFile& file) {
  std::set<Words> sets;
  for (List& list : lists_of(without_comments(file.text)))
    sets.insert(std::move(list.words));
  return sets;
}

// Where the dialects divide the work between statement and code differently.
const std::map<std::string, const char*> kMayDiffer{
    {"dead_instances.sql", "SQLite has one instance: no rows of others to look for"},
    {"find_finished.sql", "SQLite is asked for one status at a time"},
    {"settle.sql", "SQLite is told when the job was finished"},
};

TEST(SqlWords, are_those_of_the_tables) {
  std::vector<Finding> all;
  for (const char* dialect : {"postgres", "sqlite"}) {
    const auto files = queries(dialect);
    EXPECT_GT(files.size(), 80U) << dialect;
    for (const auto& [name, file] : files)
      for (const auto rule : {unknown_words, words_of_other_columns, nameless_sets})
        for (Finding& finding : rule(file))
          all.push_back(std::move(finding));
  }
  EXPECT_TRUE(all.empty()) << in_words(all);
}

TEST(SqlWords, lists_are_the_same_in_both_dialects) {
  const auto postgres = queries("postgres"), sqlite = queries("sqlite");
  for (const auto& [name, file] : postgres) {
    const auto twin = sqlite.find(name);
    if (twin == sqlite.end()) continue;
    const bool same = sets_of(file) == sets_of(twin->second);
    if (const auto reason = kMayDiffer.find(name); reason != kMayDiffer.end()) {
      EXPECT_FALSE(same) << name << " no longer differs (" << reason->second
                         << "): take it out of kMayDiffer";
      continue;
    }
    std::string lists;
    for (const SourceFile* one : {&file, &twin->second})
      for (const List& list : lists_of(without_comments(one->text)))
        lists += "\n  " + one->path + ":" + std::to_string(list.line) + ": (" + in_quotes(list.words) + ")";
    EXPECT_TRUE(same) << "the same statement looks at other states in the other database:" << lists;
  }
}

TEST(SqlWords, every_set_with_a_name_is_used) {
  std::set<Words> used;
  for (const char* dialect : {"postgres", "sqlite"})
    for (const auto& [name, file] : queries(dialect))
      used.merge(sets_of(file));
  for (const NamedSet& set : kSets)
    EXPECT_TRUE(used.contains(set.words))
        << "no statement looks at '" << set.name << "': take it out of kSets";
}

TEST(SqlWords, each_rule_finds_what_it_is_for) {
  struct Case {
    const char* sql;
    std::vector<Finding> (*rule)(const SourceFile&);
    std::size_t findings;
  };
  const Case cases[] = {
      {"SELECT 1 WHERE status = 'queued'", unknown_words, 0},
      {"SELECT 1 WHERE status = 'waits'", unknown_words, 1},
      {"SELECT 1 -- 'waits'", unknown_words, 0},
      {"SELECT iif(x, 'sent', 'lost')", unknown_words, 1},
      {"SELECT 1 WHERE o.channel = 'mail'", words_of_other_columns, 0},
      {"SELECT 1 WHERE o.channel <> 'queued'", words_of_other_columns, 1},
      {"SELECT 1 WHERE group_mode IS NOT 'mail'", words_of_other_columns, 1},
      {"SELECT 1 WHERE status IN ('dispatching', 'in_flight',\n 'publishing')", nameless_sets, 0},
      {"SELECT 1 WHERE status NOT IN ('dispatching', 'in_flight')", nameless_sets, 1},
      {"SELECT 1 WHERE (o.status = 'queued' OR o.status = 'blocked' OR o.status = 'published')",
       nameless_sets, 0},
      {"SELECT 1 WHERE (o.status = 'queued' OR o.status = 'blocked' OR o.status = 'sent')", nameless_sets, 1},
      {"SELECT 1 WHERE id IN (SELECT id FROM outbox)", nameless_sets, 0},
  };
  for (const Case& c : cases)
    EXPECT_EQ(c.rule({"a.sql", c.sql}).size(), c.findings) << c.sql;
  EXPECT_EQ(nameless_sets({"a.sql", "SELECT 1\n-- x\n WHERE status IN ('sent')"}).at(0).line, 3);
}

// store/list_plan.h promises a statement for every source, of the same name.
TEST(SqlWords, every_source_of_a_list_is_a_statement) {
  std::ifstream in(EILBOTE_SOURCE_DIR "/src/store/list_plan.h");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::smatch match;
  ASSERT_TRUE(std::regex_search(text, match, std::regex(R"(enum class ListSource \{([^}]*)\})")));
  std::set<std::string> want{"list_ids_due.sql"};  // of /internal/dispatch, which is no list of people
  const std::string body = match[1];
  const std::regex word("\\w+");
  for (std::sregex_iterator it(body.begin(), body.end(), word), end; it != end; ++it)
    want.insert("list_ids_" + it->str() + ".sql");
  for (const char* dialect : {"postgres", "sqlite"}) {
    std::set<std::string> got;
    for (const auto& [name, file] : queries(dialect))
      if (name.starts_with("list_ids_")) got.insert(name);
    EXPECT_EQ(got, want) << "sql/" << dialect << "/queries against ListSource in src/store/list_plan.h";
  }
}

}  // namespace
}  // namespace eilbote::tidy::sql_words_test
