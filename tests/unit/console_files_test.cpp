// The console's files: there, small enough, the same compressed and not, and served under a strict policy.
#include "api/console_files.h"

#include <gtest/gtest.h>

namespace eilbote::console_files_test {
namespace {

TEST(ConsoleFiles, are_embedded_whole_and_small) {
  std::size_t bytes = 0;
  for (const char* name : {"index.html", "app.js", "app.css", "icon.svg"}) {
    const ConsoleFile* file = find_console_file(name);
    ASSERT_NE(file, nullptr) << name;
    EXPECT_TRUE(file->gzip.starts_with("\x1f\x8b")) << name;
    EXPECT_FALSE(inflated(*file).empty()) << name;
    EXPECT_NE(tag_of(*file, true), tag_of(*file, false));
    bytes += file->gzip.size();
  }
  EXPECT_LT(bytes, 150U * 1024);
  EXPECT_EQ(find_console_file("app.js.map"), nullptr);
}

TEST(ConsoleFiles, the_page_asks_for_its_own_files_by_version) {
  const std::string page = inflated(*find_console_file("index.html"));
  for (const char* part : {"/console/app.js?v=", "/console/app.css?v=", "/console/icon.svg?v="})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find(" style="), std::string::npos) << "the policy forbids it";
  EXPECT_EQ(page.find("http"), std::string::npos) << "nothing comes from elsewhere";
}

TEST(ConsoleFiles, the_policy_names_the_issuer_only) {
  EXPECT_EQ(
      content_policy(""),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  EXPECT_NE(content_policy("https://idp.example").find("connect-src 'self' https://idp.example;"),
            std::string::npos);
}

TEST(ConsoleFiles, gzip_is_for_those_who_take_it) {
  struct Case {
    const char* header;
    bool want;
  };
  const Case cases[] = {{"", false},
                        {"gzip", true},
                        {"gzip, deflate, br", true},
                        {"br;q=1.0, GZIP;q=0.8", true},
                        {"deflate, gzip;q=0", false},
                        {"gzip;q=0.000", false},
                        {"*", true},
                        {"*;q=0", false},
                        {"identity", false},
                        {"xgzip", false}};
  for (const Case& row : cases)
    EXPECT_EQ(takes_gzip(row.header), row.want) << row.header;
}

}  // namespace
}  // namespace eilbote::console_files_test
