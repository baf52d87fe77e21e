// The codes of deliveries: each is written once, in domain/delivery_codes.h, and each has its advice.
#include "domain/delivery_codes.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "unit/tidy_files.h"

namespace eilbote::delivery_codes_test {
namespace {

using tidy::Finding;
using tidy::SourceFile;

constexpr const char* kHeader = "src/domain/delivery_codes.h";

// The texts of the constants, as they stand in the header.
std::set<std::string> all_codes() {
  std::set<std::string> codes;
  static const std::regex kConstant(R"x(constexpr const char\* \w+ = "([A-Z0-9_]+)";)x");
  for (const SourceFile& file : tidy::read_project(EILBOTE_SOURCE_DIR))
    if (file.path == kHeader)
      for (std::sregex_iterator it(file.text.begin(), file.text.end(), kConstant), end; it != end; ++it)
        codes.insert((*it)[1]);
  return codes;
}

// A literal that is a code, looks like one, or is put where one belongs.
std::vector<Finding> codes_written_out(const SourceFile& file, const std::set<std::string>& codes) {
  const bool may_hold_one = file.under("src/domain/") || file.under("src/engine/") ||
                            file.under("src/channel/") || file.under("src/net/");
  const bool is_exempt =
      file.path.starts_with("src/domain/delivery_codes.") || file.path == "src/domain/names.h";
  if (!may_hold_one || is_exempt || !file.is_cpp()) return {};
  static const std::regex kLiteral(R"x((\bcode\s*=\s*)?"([A-Z][A-Z0-9]*(_[A-Z0-9{][A-Z0-9_:{}]*)?)")x");
  std::vector<Finding> findings;
  int number = 0;
  for (const std::string_view line : tidy::lines_of(file.text)) {
    ++number;
    if (line.substr(0, line.find("//")).find('"') == std::string_view::npos) continue;
    const std::string text(line);
    for (std::sregex_iterator it(text.begin(), text.end(), kLiteral), end; it != end; ++it) {
      const std::string word = (*it)[2];
      const bool looks_like_one = (*it)[1].matched || (*it)[3].matched;
      if (word.starts_with("EILBOTE_") || (!looks_like_one && !codes.contains(word))) continue;
      findings.push_back(
          {file.path, number, "the code " + word + "; use its name in domain/delivery_codes.h"});
    }
  }
  return findings;
}

TEST(DeliveryCodes, are_written_in_one_place) {
  const std::set<std::string> codes = all_codes();
  EXPECT_GT(codes.size(), 30U);
  std::vector<Finding> all;
  for (const SourceFile& file : tidy::read_project(EILBOTE_SOURCE_DIR))
    for (Finding& finding : codes_written_out(file, codes))
      all.push_back(std::move(finding));
  EXPECT_TRUE(all.empty()) << tidy::in_words(all);
}

TEST(DeliveryCodes, are_found_where_they_do_not_belong) {
  const std::set<std::string> codes{"BUSY"};
  const struct {
    const char* path;
    const char* text;
    std::size_t findings;
  } cases[] = {
      {"src/channel/a.cpp", "result.code = \"NEW\";", 1},
      {"src/channel/a.cpp", "refuse(\"BAD_LUCK\", why);", 1},
      {"src/net/a.cpp", "fmt::format(\"SMTP_{:03}\", code)", 1},
      {"src/domain/a.cpp", "{fault, \"BUSY\", \"words\"}", 1},
      {"src/domain/a.cpp", "{fault, \"GET\", \"words\"}", 0},
      {"src/engine/a.cpp", "// \"BAD_LUCK\" is what it says", 0},
      {"src/engine/a.cpp", "say(\"EILBOTE_SMTP_URL\")", 0},
      {"src/domain/names.h", "{MailState::RETRY_PENDING, \"RETRY_PENDING\"}", 0},
      {"src/secrets/a.cpp", "getenv(\"CREDENTIALS_DIRECTORY\")", 0},
  };
  for (const auto& c : cases)
    EXPECT_EQ(codes_written_out({c.path, c.text}, codes).size(), c.findings) << c.path << ": " << c.text;
}

TEST(DeliveryAdvice, IsThereForEveryCode) {
  for (const std::string& code : all_codes())
    EXPECT_NE(delivery_advice(code), nullptr) << code;
  for (const char* code : {"SMTP_DNS",
                           "SMTP_CONNECT",
                           "SMTP_CONNECTION_LOST",
                           "SMTP_PROTOCOL",
                           "SMTP_TLS",
                           "SMTP_TLS_NOT_OFFERED",
                           "SMTP_CERTIFICATE",
                           "SMTP_SECRET",
                           "SMTP_AUTH",
                           "SMTP_AUTH_NOT_OFFERED",
                           "SMTP_AUTH_IN_CLEAR",
                           "SMTP_ANSWER_LOST",
                           "WORKER_LOST",
                           "SMTP_454",
                           "SMTP_550",
                           "SMTP_535",
                           "HTTP_302",
                           "HTTP_404",
                           "HTTP_500",
                           "CAPTURE_WRITE_FAILED"})
    EXPECT_NE(delivery_advice(code), nullptr) << code;
  EXPECT_EQ(delivery_advice(smtp_code(535))->code, "SMTP_535") << "the narrower row comes first";
  EXPECT_EQ(delivery_advice(smtp_code(550))->code, "SMTP_5xx");
  EXPECT_EQ(delivery_advice(http_code(429))->code, "HTTP_429");
  EXPECT_EQ(delivery_advice(http_code(404))->code, "HTTP_4xx");
  EXPECT_EQ(delivery_advice("FOREIGN_CODE"), nullptr) << "a worker of somebody else may write what it likes";
}

TEST(DeliveryAdvice, RowsStandByGroupAndEachOnce) {
  std::set<std::string_view> seen;
  CodeGroup group = CodeGroup::smtp;
  for (const DeliveryAdvice& row : delivery_advice_table()) {
    EXPECT_GE(row.group, group) << row.code;
    group = row.group;
    EXPECT_TRUE(seen.insert(row.code).second) << row.code;
    EXPECT_EQ(delivery_advice(row.code), &row) << row.code << " is hidden by a wider row before it";
  }
}

}  // namespace
}  // namespace eilbote::delivery_codes_test
