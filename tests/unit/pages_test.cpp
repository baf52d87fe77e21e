// What pages tell of tables in the code: the threads in docs/ARCHITECTURE.md, the scopes in docs/identity.md. (Pages that
// are generated are compared in cli_describe_test and config_reference_test.)
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "api/route_table.h"
#include "domain/identity.h"
#include "unit/tidy_files.h"

namespace eilbote::tidy::pages_test {
namespace {

// A row of the only table under a heading: its cells, and the line.
struct PageRow {
  std::vector<std::string> cells;
  int line;
};

std::vector<PageRow> table_under(const std::string& page, const std::string& heading) {
  std::ifstream in(std::string(EILBOTE_SOURCE_DIR) + "/" + page);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::vector<PageRow> rows;
  int number = 0;
  bool here = false;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.starts_with("## ")) here = line == "## " + heading;
    if (!here || !line.starts_with("| ")) continue;
    PageRow row{{}, number};
    std::string cell;
    for (const char c : line.substr(1)) {
      if (c != '|') {
        cell += c;
        continue;
      }
      row.cells.push_back(cell.substr(1, cell.size() < 2 ? 0 : cell.size() - 2));
      cell.clear();
    }
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) rows.erase(rows.begin());  // the heads of the columns
  return rows;
}

std::vector<std::string> in_backticks(const std::string& text) {
  static const std::regex kName("`([^`]+)`");
  std::vector<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), kName), end; it != end; ++it)
    names.push_back((*it)[1]);
  return names;
}

// Name to the file that starts it: every name beside a body that takes a stop_token, and names that are set by hand.
std::map<std::string, std::string> threads_in(const std::vector<SourceFile>& files) {
  static const std::regex kThread(
      R"re("([a-z0-9-]+)",\s*\[[^\]]*\]\s*\((?:const )?std::stop_token|pthread_setname_np\(pthread_self\(\), "([^"]+)")re");
  std::map<std::string, std::string> threads;
  for (const SourceFile& file : files) {
    if (!file.under("src/") || !file.is_cpp()) continue;
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), kThread), end; it != end; ++it)
      threads.emplace((*it)[1].matched ? (*it)[1] : (*it)[2], file.path);
  }
  return threads;
}

TEST(Pages, every_thread_is_in_the_architecture) {
  const auto threads = threads_in(read_project(EILBOTE_SOURCE_DIR));
  EXPECT_GT(threads.size(), 12U);
  std::map<std::string, int> told;
  for (const PageRow& row : table_under("docs/ARCHITECTURE.md", "Threads"))
    for (const std::string& name : in_backticks(row.cells.at(0)))
      told.emplace(name, row.line);
  for (const auto& [name, file] : threads)
    EXPECT_TRUE(told.contains(name)) << file << ": the thread '" << name
                                     << "' is in no row of the table under Threads in docs/ARCHITECTURE.md";
  for (const auto& [name, line] : told) {
    const bool is_option = name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
    const bool is_other = name == "main" || name == "oidc";  // the program's own; an option's value
    EXPECT_TRUE(threads.contains(name) || is_option || is_other)
        << "docs/ARCHITECTURE.md:" << line << ": no Service in src/ is named '" << name << "'";
  }
}

TEST(Pages, finds_a_thread_however_it_is_made) {
  const auto threads =
      threads_in({{"src/a.cpp", "service_(\"one\", [this](std::stop_token stop) { run(stop); })"},
                  {"src/b.h", "Service(\"two-2\",\n   [a, b](const std::stop_token&) {})"},
                  {"src/c.cpp", "pthread_setname_np(pthread_self(), \"three\");"},
                  {"tests/d.cpp", "Service(\"four\", [](std::stop_token) {})"}});
  EXPECT_EQ(threads, (std::map<std::string, std::string>{
                         {"one", "src/a.cpp"}, {"two-2", "src/b.h"}, {"three", "src/c.cpp"}}));
}

TEST(Pages, scopes_are_those_of_the_code) {
  std::map<std::string, PageRow> told;
  for (PageRow& row : table_under("docs/identity.md", "Scopes"))
    told.emplace(in_backticks(row.cells.at(0)).at(0), row);
  ScopeSet of_routes;
  for (const Route& route : route_table())
    for (const auto& [scope, name] : kScopeNames.entries)
      if (route.scopes.has(scope)) of_routes.add(scope);
  for (const auto& [scope, name] : kScopeNames.entries) {
    EXPECT_TRUE(of_routes.has(scope)) << name << " opens no route";
    const auto row = told.find(std::string(name));
    if (row == told.end()) {
      ADD_FAILURE() << "docs/identity.md, Scopes: no row for " << name;
      continue;
    }
    const std::string want = kScopesAcrossClients.has(scope) ? "everybody's" : "its own client's";
    EXPECT_EQ(row->second.cells.at(2), want) << "docs/identity.md:" << row->second.line << ": " << name;
  }
  for (const auto& [name, row] : told)
    EXPECT_TRUE(kScopeNames.parse(name)) << "docs/identity.md:" << row.line << ": there is no scope " << name
                                         << "; there are " << kScopeNames.list();
}

// The diagram of docs/concepts.md shows some of the moves of docs/states.md, and none that is not there.
TEST(Pages, the_diagram_of_the_concepts_has_the_moves_of_the_states) {
  static const std::regex kMove(R"(^ +(\S+) --> (\S+): (.+)$)"), kEvent(R"([a-z_]+)");
  std::ifstream concepts(EILBOTE_SOURCE_DIR "/docs/concepts.md"), in(EILBOTE_SOURCE_DIR "/docs/states.md");
  const std::string states((std::istreambuf_iterator<char>(in)), {});
  int moves = 0;
  std::smatch move;
  for (std::string line; std::getline(concepts, line);) {
    if (!std::regex_match(line, move, kMove)) continue;
    const std::string from = move[1], to = move[2], events = move[3];
    if (from == "[*]") {
      EXPECT_NE(states.find(line + "\n"), std::string::npos) << line;
      continue;
    }
    for (std::sregex_iterator it(events.begin(), events.end(), kEvent), end; it != end; ++it, ++moves)
      EXPECT_NE(states.find("| " + from + " | " + it->str() + " | " + to + " |"), std::string::npos)
          << "docs/concepts.md: " << line;
  }
  EXPECT_GT(moves, 10);
}

// docs/api.md is a walk through the whole API: each route is called there with curl.
TEST(Pages, the_api_guide_calls_every_route) {
  std::ifstream in(EILBOTE_SOURCE_DIR "/docs/api.md");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  static const std::regex kPlaceholder(R"(\{\w+\})");
  for (const Route& route : route_table()) {
    const std::string pattern(route.pattern);
    if (pattern == "/webhooks/graph") continue;  // Microsoft calls it
    const std::string path = std::regex_replace(pattern, kPlaceholder, R"([\$$\w@.-]+)");
    EXPECT_TRUE(std::regex_search(text, std::regex(R"(\$api)" + path + R"([\s"?])")))
        << "docs/api.md does not show " << route.method << ' ' << pattern;
  }
}

// The routes that need no token are named in one sentence.
TEST(Pages, open_routes_are_told) {
  std::ifstream in(EILBOTE_SOURCE_DIR "/docs/identity.md");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  for (const Route& route : route_table()) {
    if (!route.scopes.empty()) continue;
    std::string pattern(route.pattern);
    if (pattern.starts_with("/health/")) pattern = "/health/*";
    EXPECT_NE(text.find("`" + pattern + "`"), std::string::npos)
        << route.pattern << " needs no token, and docs/identity.md does not say so";
  }
}

}  // namespace
}  // namespace eilbote::tidy::pages_test
