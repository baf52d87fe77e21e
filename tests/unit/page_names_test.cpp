// What README.md and the pages in docs/ name must be there: options, metrics and routes. A page that sends a person at night
// to an option that was renamed is worse than none. (The pages of the past, docs/decisions and CHANGELOG.md, keep their words.)
#include <gtest/gtest.h>

#include <regex>

#include "api/route_table.h"
#include "unit/tidy_files.h"

namespace eilbote::tidy::page_names_test {
namespace {

std::string text_of(const std::vector<SourceFile>& files, const std::string& path) {
  for (const SourceFile& file : files)
    if (file.path == path) return file.text;
  return {};
}

// The generated references, which other tests hold against the tables.
struct Known {
  std::string options, metrics;
};

bool is_route(const std::string& method, const std::string& path) {
  return find_route(method, path).route != nullptr;
}

std::vector<Finding> unknown_names(const SourceFile& page, const Known& known) {
  static const std::regex kOption(R"(\bEILBOTE_[A-Z0-9_]*[A-Z0-9](?!\w))"),
      kMetric(R"(\beilbote_[a-z_]+(?!\w|\.py\b))"), kRoute(R"(\b(GET|POST|PUT|DELETE) (/[\w{}/-]*))");
  std::vector<Finding> findings;
  int number = 0;
  for (const std::string_view view : lines_of(page.text)) {
    const std::string line(view);
    ++number;
    const auto each = [&](const std::regex& pattern, auto check) {
      for (std::sregex_iterator it(line.begin(), line.end(), pattern), end; it != end; ++it)
        if (!check(*it))
          findings.push_back({page.path, number, it->str() + " does not exist; name what is meant now"});
    };
    each(kOption, [&](const std::smatch& name) {
      return known.options.find("`" + name.str() + "`") != std::string::npos;
    });
    each(kMetric, [&](const std::smatch& name) {
      return known.metrics.find("`" + name.str() + "`") != std::string::npos;
    });
    each(kRoute, [&](const std::smatch& name) { return is_route(name[1], name[2]); });
  }
  return findings;
}

bool is_page(const SourceFile& file) {
  return file.path == "README.md" ||
         (file.under("docs/") && file.path.ends_with(".md") && !file.under("docs/decisions/"));
}

TEST(PageNames, are_there) {
  const auto files = read_project(EILBOTE_SOURCE_DIR);
  const Known known{text_of(files, "docs/configuration.md"), text_of(files, "docs/metrics.md")};
  std::vector<Finding> all;
  int pages = 0;
  for (const SourceFile& file : files) {
    if (!is_page(file)) continue;
    ++pages;
    for (Finding& finding : unknown_names(file, known))
      all.push_back(std::move(finding));
  }
  EXPECT_GT(pages, 10);
  EXPECT_TRUE(all.empty()) << in_words(all);
}

TEST(PageNames, finds_what_is_not_there) {
  const Known known{"| `EILBOTE_LISTEN` |", "| `eilbote_in_flight` |"};
  const std::pair<const char*, std::size_t> cases[] = {
      {"`EILBOTE_LISTEN` and `EILBOTE_LISTEN_*`", 0},
      {"`EILBOTE_LISTENS`", 1},
      {"`eilbote_in_flight`, eilbote_in_flights", 1},
      {"`eilbote_dispatch.py` is a file", 0},
      {"GET /messages/{id}/attempts, POST /internal/dispatch.", 0},
      {"GET /messages/{id}/tries", 1},
  };
  for (const auto& [text, findings] : cases)
    EXPECT_EQ(unknown_names({"docs/a.md", text}, known).size(), findings) << text;
}

}  // namespace
}  // namespace eilbote::tidy::page_names_test
