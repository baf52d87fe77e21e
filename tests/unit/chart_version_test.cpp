// The Helm chart names the version it belongs to: that of the project in CMakeLists.txt, which is also the tag of the image it
// starts when no other is set.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

namespace eilbote::test::chart_version_test {
namespace {

// What the pattern's group matches in a file of the project; empty: nothing.
std::string found_in(const std::string& path, const std::string& pattern) {
  std::ifstream in(EILBOTE_SOURCE_DIR "/" + path);
  EXPECT_TRUE(in) << path;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

TEST(ChartVersion, is_the_projects) {
  const std::string version = found_in("CMakeLists.txt", R"(project\(eilbote VERSION ([0-9.]+))");
  ASSERT_FALSE(version.empty());
  const std::string chart = "deploy/helm/eilbote/Chart.yaml";
  EXPECT_EQ(found_in(chart, R"(\nversion: (\S+)\n)"), version);
  EXPECT_EQ(found_in(chart, R"re(\nappVersion: "(\S+)"\n)re"), version);
}

}  // namespace
}  // namespace eilbote::test::chart_version_test
