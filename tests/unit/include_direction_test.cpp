// Who may include whom. The folders under src/ form the picture of docs/ARCHITECTURE.md; a step in the wrong
// direction fails here, with the way out in the message.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "unit/tidy_files.h"

namespace eilbote::tidy::include_direction_test {
namespace {

// A folder may always include itself. app is the composition root and sees everything.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"base", {}},
    {"domain", {"base"}},
    {"ports", {"domain", "base"}},
    {"metrics", {"base"}},
    {"config", {"domain", "base"}},
    {"engine", {"ports", "domain", "base", "metrics"}},
    {"store", {"ports", "domain", "base", "metrics", "sql"}},
    {"channel", {"net", "ports", "domain", "base", "metrics"}},
    {"auth", {"net", "ports", "domain", "base", "metrics"}},
    {"transport", {"net", "ports", "domain", "base", "metrics"}},
    {"tracing", {"net", "ports", "domain", "base", "metrics"}},
    {"secrets", {"net", "ports", "domain", "base", "metrics"}},
    {"net", {"ports", "domain", "base", "metrics"}},
    {"api", {"engine", "ports", "domain", "base", "metrics"}},
    {"cli", {"engine", "config", "ports", "domain", "base", "metrics"}},
};

// Made by the build, so not under src/.
const std::set<std::string> kGenerated{"openapi_yaml.h", "console_index_html.h", "console_app_js.h",
                                       "console_app_css.h", "console_icon_svg.h"};

std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

std::string list(const std::set<std::string>& names) {
  std::string all;
  for (const auto& name : names)
    all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "nothing" : all;
}

std::vector<Finding> wrong_includes(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!file.under("src/") || !file.is_cpp()) return findings;
  const std::string from = folder_of(std::string_view(file.path).substr(4));
  static const std::regex kInclude(R"re(^\s*#\s*include\s*"([^"]+)")re");
  int number = 0;
  for (const auto line : lines_of(file.text)) {
    ++number;
    std::cmatch match;
    if (!std::regex_search(line.begin(), line.end(), match, kInclude)) continue;
    const std::string target = match[1];
    if (kGenerated.contains(target)) continue;
    const std::string to = folder_of(target);
    if (target.find('/') == std::string::npos || target.starts_with(".")) {
      findings.push_back({file.path, number, "include \"" + target + "\" by its path from src/ instead"});
      continue;
    }
    if (from == "app" || from == to) continue;
    const auto row = kMayInclude.find(from);
    if (row == kMayInclude.end()) {
      findings.push_back(
          {file.path, number, "src/" + from + " is not in the table of folders; add it there"});
      return findings;
    }
    if (row->second.contains(to)) continue;
    findings.push_back({file.path, number,
                        from + " must not include " + to + " (it may: " + list(row->second) +
                            "); use a port, or let app hand it in"});
  }
  return findings;
}

TEST(IncludeDirection, is_kept_by_every_file) {
  std::vector<Finding> all;
  int looked_at = 0;
  for (const auto& file : read_project(EILBOTE_SOURCE_DIR)) {
    if (file.under("src/")) ++looked_at;
    for (auto& finding : wrong_includes(file))
      all.push_back(std::move(finding));
  }
  EXPECT_GT(looked_at, 30);
  EXPECT_TRUE(all.empty()) << in_words(all);
}

TEST(IncludeDirection, finds_a_wrong_step) {
  struct Case {
    const char* path;
    const char* line;
    bool wrong;
  };
  const Case cases[] = {
      {"src/domain/job.h", "#include \"base/time.h\"", false},
      {"src/domain/job.h", "#include \"ports/outbox.h\"", true},
      {"src/store/store.cpp", "#include \"engine/intake.h\"", true},
      {"src/store/store.cpp", "#include \"channel/capture.h\"", true},
      {"src/channel/capture.cpp", "#include \"net/resolver.h\"", false},
      {"src/cli/serve.cpp", "#include \"store/store.h\"", true},
      {"src/app/main.cpp", "#include \"store/store.h\"", false},
      {"src/base/log.cpp", "#include \"log.h\"", true},
      {"src/base/log.cpp", "#include \"../base/log.h\"", true},
      {"src/base/log.cpp", "#include <domain/x.h>", false},
      {"src/novel/thing.cpp", "#include \"base/log.h\"", true},
      {"tests/unit/x_test.cpp", "#include \"store/store.h\"", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(!wrong_includes({c.path, c.line}).empty(), c.wrong) << c.path << " " << c.line;
}

}  // namespace
}  // namespace eilbote::tidy::include_direction_test
