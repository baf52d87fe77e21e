// Rules of the house that a program can check: sizes, banned text, where SQL lives. Each rule is a function
// from a file to its findings; one test runs them over the whole project, and one proves on samples that each
// can find something. A finding says what to do instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "unit/tidy_files.h"

namespace eilbote::tidy::tidy_test {
namespace {

constexpr int kFileLinesMax = 500;
constexpr int kFunctionLinesMax = 70;  // tests too: their tables stand outside

std::vector<Finding> long_files(const SourceFile& file) {
  if (!file.is_cpp() && !file.path.ends_with(".sql") && !file.path.ends_with(".py")) return {};
  const auto lines = static_cast<int>(lines_of(file.text).size());
  if (lines <= kFileLinesMax) return {};
  return {{file.path, lines, "more than 500 lines; split it by what its parts do"}};
}

// Is the text before a '{' the head of a function (and not of a namespace, a type or an initialiser)?
bool is_function_head(std::string_view head) {
  static const std::regex kNoFunction(
      R"(^\s*(template\s*<[^>]*>\s*)?(namespace|struct|class|union|enum|extern|typedef)\b)");
  if (std::regex_search(head.begin(), head.end(), kNoFunction)) return false;
  const auto open = head.find('(');
  if (open == std::string_view::npos) return false;
  const auto assigned = head.find('=');
  return assigned == std::string_view::npos || assigned > open;
}

// Counts braces. Only the outermost function counts: a lambda inside belongs to it.
std::vector<Finding> long_functions(const SourceFile& file) {
  if (!file.is_cpp()) return {};
  std::vector<Finding> findings;
  const std::string code = CodeSplitter(file.text).split().code;
  int line = 1, depth = 0, function_depth = -1, function_line = 0;
  std::string head;
  bool preprocessor = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\n') {
      ++line;
      if (preprocessor && (i == 0 || code[i - 1] != '\\')) preprocessor = false;
      head += ' ';
      continue;
    }
    if (c == '#' && head.find_first_not_of(' ') == std::string::npos) preprocessor = true;
    if (preprocessor) continue;
    if (c == '{') {
      if (function_depth < 0 && is_function_head(head)) {
        function_depth = depth;
        function_line = line;
      }
      ++depth;
    } else if (c == '}') {
      --depth;
      if (depth == function_depth) {
        if (line - function_line - 1 > kFunctionLinesMax)
          findings.push_back({file.path, function_line,
                              "a function of " + std::to_string(line - function_line - 1) +
                                  " lines (at most " + std::to_string(kFunctionLinesMax) +
                                  "); give its steps names of their own"});
        function_depth = -1;
      }
    }
    if (c == '{' || c == '}' || c == ';')
      head.clear();
    else
      head += c;
  }
  return findings;
}

std::vector<Finding> matches(const SourceFile& file, std::string_view text, const std::regex& pattern,
                             const std::string& what) {
  std::vector<Finding> findings;
  int number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    if (line.find_first_not_of(' ') == std::string_view::npos) continue;
    if (std::regex_search(line.begin(), line.end(), pattern)) findings.push_back({file.path, number, what});
  }
  return findings;
}

// Statements, not the words of transaction control (BEGIN, PRAGMA, LISTEN), which take no shape from a
// schema.
std::vector<Finding> sql_in_code(const SourceFile& file) {
  if (!file.under("src/") || !file.is_cpp()) return {};
  static const std::regex kSql(
      R"(\b(select\s+.+\s+from\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|(create|alter|drop)\s+(table|index|view)\b|for\s+update\b))",
      std::regex::icase);
  return matches(file, CodeSplitter(file.text).split().literals, kSql,
                 "SQL in a string; put it in sql/<dialect>/queries/NAME.sql and use sql::<dialect>::NAME");
}

std::vector<Finding> sleeps(const SourceFile& file) {
  if (!file.is_cpp()) return {};
  static const std::regex kSleep(R"(\b(sleep_for|sleep_until|usleep|nanosleep)\b|\bsleep\s*\()");
  return matches(file, CodeSplitter(file.text).split().code, kSleep,
                 "a sleep; wait for what you need (a condition variable, a file descriptor, a test signal)");
}

std::vector<Finding> bare_mutexes(const SourceFile& file) {
  if (!file.under("src/") || !file.is_cpp() || file.path == "src/base/mutex.h" ||
      file.path == "src/base/shared_mutex.h")
    return {};
  static const std::regex kBare(
      R"(\bstd::(recursive_|timed_|recursive_timed_|shared_|shared_timed_)?mutex\b)");
  return matches(
      file, CodeSplitter(file.text).split().code, kBare,
      "a mutex that clang cannot check; take Mutex of base/mutex.h, and say with EILBOTE_GUARDED_BY what "
      "it guards");
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// The words are put together here so that this file does not find itself. The plain search comes first
// because it is fast, and finds nothing in almost every file.
std::vector<Finding> unfinished_work(const SourceFile& file) {
  if (!holds_any(file.text, {"TO"
                             "DO",
                             "FIX"
                             "ME",
                             "X"
                             "XX"}))
    return {};
  static const std::regex kWords(
      "\\b(TO"
      "DO|FIX"
      "ME|X"
      "XX)\\b");
  return matches(file, file.text, kWords,
                 "unfinished work; finish it, or open an issue and leave the code whole");
}

std::vector<Finding> outside_paths(const SourceFile& file) {
  if (file.path == ".ci/run" || !holds_any(file.text, {"/wo"
                                                       "rk",
                                                       "sha"
                                                       "red/"}))
    return {};
  static const std::regex kPaths(
      "(^|[^A-Za-z0-9_.}])/wo"
      "rk(/|\\b(?!-))|\\bsha"
      "red/");
  return matches(file, file.text, kPaths,
                 "a path outside the project; take it from an environment variable that .ci/run sets");
}

std::vector<Finding> registries(const SourceFile& file) {
  if (!file.path.ends_with("package-lock.json")) return {};
  static const std::regex kResolved(R"("resolved"\s*:\s*"https?:)");
  return matches(file, file.text, kResolved,
                 "the address of a registry; write the lock file with --omit-lockfile-registry-resolved");
}

std::vector<Finding> titles(const SourceFile& file) {
  if (!file.path.ends_with(".md")) return {};
  std::vector<Finding> findings;
  int number = 0, titles = 0;
  bool code = false;
  for (const auto line : lines_of(file.text)) {
    ++number;
    if (line.starts_with("```")) code = !code;
    if (code || !line.starts_with("# ")) continue;
    if (++titles == 2) findings.push_back({file.path, number, "a second title; use ## for a section"});
  }
  return findings;
}

// Test files have helpers of the same names, and several are compiled as one.
std::vector<Finding> shared_namespaces(const SourceFile& file) {
  static const std::regex kTestFile(R"(^tests/(unit|conformance|scenarios)/(\w+)\.cpp$)");
  std::smatch name;
  if (!std::regex_match(file.path, name, kTestFile)) return {};
  if (file.text.find("::" + name[2].str() + " {\n") != std::string::npos) return {};
  return {{file.path, 1, "a test file without a namespace of its own; end its name in ::" + name[2].str()}};
}

using Rule = std::vector<Finding> (*)(const SourceFile&);
constexpr Rule kRules[] = {long_files,      long_functions, sql_in_code, sleeps, bare_mutexes,
                           unfinished_work, outside_paths,  registries,  titles, shared_namespaces};

TEST(Tidy, the_project_keeps_the_rules) {
  std::vector<Finding> all;
  const auto files = read_project(EILBOTE_SOURCE_DIR);
  EXPECT_GT(files.size(), 40U);
  for (const auto& file : files)
    for (const Rule rule : kRules)
      for (auto& finding : rule(file))
        all.push_back(std::move(finding));
  EXPECT_TRUE(all.empty()) << in_words(all);
}

TEST(Tidy, the_readme_fits_on_a_few_screens) {
  for (const auto& file : read_project(EILBOTE_SOURCE_DIR))
    if (file.path == "README.md") {
      EXPECT_LE(lines_of(file.text).size(), 150U);
      return;
    }
  FAIL() << "README.md is missing";
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i)
    all += text;
  return all;
}

TEST(Tidy, each_rule_finds_what_it_is_for) {
  const std::string work =
                        "/wo"
                        "rk/x",
                    todo =
                        "// TO"
                        "DO: later",
                    shared =
                        "sha"
                        "red/contracts";
  struct Case {
    const char* name;
    Rule rule;
    SourceFile file;
    std::size_t findings;
  };
  const Case cases[] = {
      {"500 lines", long_files, {"src/a.cpp", repeated("x\n", 500)}, 0},
      {"501 lines", long_files, {"src/a.cpp", repeated("x\n", 501)}, 1},
      {"70 lines in a function",
       long_functions,
       {"src/a.cpp", "int f() {\n" + repeated("x;\n", 70) + "}\n"},
       0},
      {"71 lines in a function",
       long_functions,
       {"src/a.cpp", "int f() {\n" + repeated("x;\n", 71) + "}\n"},
       1},
      {"71 lines in a member",
       long_functions,
       {"src/a.cpp", "namespace a {\nclass B {\n void f() const {\n" + repeated("x;\n", 71) + "}\n};\n}\n"},
       1},
      {"71 lines in a test",
       long_functions,
       {"tests/a.cpp", "TEST(A, b) {\n" + repeated("x;\n", 71) + "}\n"},
       1},
      {"a long namespace is no function",
       long_functions,
       {"src/a.cpp", "namespace a {\n" + repeated("int f();\n", 80) + "}\n"},
       0},
      {"a long table is no function",
       long_functions,
       {"src/a.cpp", "const int t[] = {\n" + repeated("1,\n", 80) + "};\n"},
       0},
      {"braces in literals do not count",
       long_functions,
       {"src/a.cpp", "int f() {\n g(\"{\", '{'); // {\n}\nint h() {\n" + repeated("x;\n", 60) + "}\n"},
       0},
      {"sql in a string", sql_in_code, {"src/a.cpp", "auto s = \"SELECT id FROM outbox\";"}, 1},
      {"sql in a raw string", sql_in_code, {"src/a.h", "auto s = R\"(\nupdate outbox set x = 1)\";"}, 1},
      {"sql in a comment", sql_in_code, {"src/a.cpp", "// SELECT id FROM outbox is what runs"}, 0},
      {"transaction control", sql_in_code, {"src/a.cpp", "auto s = \"BEGIN IMMEDIATE\";"}, 0},
      {"sql in a test", sql_in_code, {"tests/a.cpp", "auto s = \"SELECT id FROM outbox\";"}, 0},
      {"sleep", sleeps, {"tests/a.cpp", "std::this_thread::sleep_for(1s);"}, 1},
      {"sleep in words", sleeps, {"tests/a.cpp", "// no sleep_for here"}, 0},
      {"a bare mutex", bare_mutexes, {"src/a.h", "mutable std::shared_mutex mutex_;"}, 1},
      {"a bare mutex in a test", bare_mutexes, {"tests/a.h", "std::mutex mutex_;"}, 0},
      {"the one there must be", bare_mutexes, {"src/base/mutex.h", "std::mutex mutex_;"}, 0},
      {"unfinished", unfinished_work, {"docs/a.md", todo}, 1},
      {"outside path", outside_paths, {"src/a.cpp", "open(\"" + work + "\")"}, 1},
      {"outside folder", outside_paths, {"README.md", "see " + shared}, 1},
      {"the one exception", outside_paths, {".ci/run", "../" + shared}, 0},
      {"a route that begins alike", outside_paths, {"src/a.cpp", "GET /workers and lib/worker.py"}, 0},
      {"two titles", titles, {"docs/a.md", "# A\ntext\n# B\n"}, 1},
      {"a comment in a shell block", titles, {"docs/a.md", "# A\n```\n# B\n```\n"}, 0},
      {"own namespace", shared_namespaces, {"tests/unit/a_test.cpp", "namespace eilbote::a_test {\n"}, 0},
      {"shared namespace", shared_namespaces, {"tests/unit/a_test.cpp", "namespace eilbote {\n"}, 1},
      {"registry", registries, {"tests/package-lock.json", "\"resolved\": \"https://example.org/x.tgz\""}, 1},
  };
  for (const auto& c : cases)
    EXPECT_EQ(c.rule(c.file).size(), c.findings) << c.name;
}

}  // namespace
}  // namespace eilbote::tidy::tidy_test
