// The walks in docs/ARCHITECTURE.md name a function and a file for every hop; what they name is there.
#include <gtest/gtest.h>

#include <regex>

#include "unit/tidy_files.h"

namespace eilbote::tidy::walk_test {
namespace {

struct Hop {
  std::string number;
  std::vector<std::string> functions;  // without their class
  std::vector<std::string> files;
};

std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1].str());
  return found;
}

// The rows `| number | what | `function`, ... | file; ... |`.
std::vector<Hop> hops_of(const std::string& page) {
  static const std::regex kRow(R"(\n\| ([0-9-]+) \|[^|]*\|([^|]*)\|([^|]*)\|)");
  static const std::regex kFunction(R"(`(?:\w+::)*(\w+)`)");
  static const std::regex kFile(R"(([\w/]+\.(?:cpp|h)))");
  std::vector<Hop> hops;
  for (std::sregex_iterator it(page.begin(), page.end(), kRow), end; it != end; ++it)
    hops.push_back(
        {(*it)[1].str(), all_matches((*it)[2].str(), kFunction), all_matches((*it)[3].str(), kFile)});
  return hops;
}

std::string text_of(const std::vector<SourceFile>& files, const std::string& path) {
  for (const SourceFile& file : files)
    if (file.path == path) return file.text;
  return "";
}

TEST(Walk, every_hop_is_where_the_page_says) {
  const auto files = read_project(EILBOTE_SOURCE_DIR);
  const std::vector<Hop> hops = hops_of(text_of(files, "docs/ARCHITECTURE.md"));
  ASSERT_GE(hops.size(), 40U) << "the tables of docs/ARCHITECTURE.md are not read any more";
  for (const Hop& hop : hops) {
    std::string code;
    for (const std::string& file : hop.files) {
      const std::string text = text_of(files, "src/" + file);
      EXPECT_FALSE(text.empty()) << "hop " << hop.number << " names src/" << file << ", which is not there";
      code += CodeSplitter(text).split().code;
    }
    for (const std::string& function : hop.functions)
      EXPECT_TRUE(std::regex_search(code, std::regex("\\b" + function + "\\b")))
          << "hop " << hop.number << ": " << function << " is in none of its files; name the one it moved to";
  }
}

TEST(Walk, a_function_is_read_without_its_class) {
  const auto hops = hops_of("\n| 9-12 | what | `A::b` -> `c` | x/y.cpp; z.h |\n");
  ASSERT_EQ(hops.size(), 1U);
  EXPECT_EQ(hops[0].functions, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(hops[0].files, (std::vector<std::string>{"x/y.cpp", "z.h"}));
}

}  // namespace
}  // namespace eilbote::tidy::walk_test
