// Facts that have a name are written once: words with a meaning everywhere (actors, the client without identity, the pools
// that are always there), and constants. A second copy is found here, with the name to use instead.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "unit/tidy_files.h"

namespace eilbote::tidy::written_once_test {
namespace {

struct Fact {
  const char* pattern;  // in a line of code, without its comment
  const char* home;
  const char* instead;
};
const Fact kFacts[] = {
    {R"("engine")", "src/domain/job.h", "kEngineActor"},
    // As the label of a metric it says who asked, and stays what it is.
    {R"(^(?!.*Metric::).*"operator")", "src/domain/job.h", "kOperatorActor"},
    {R"("local")", "src/domain/identity.h", "kLocalClient"},
    {R"re([Pp]ool\w*\b.*"(mail|webhook)"|"(mail|webhook)".*[Pp]ool)re", "src/domain/pool.h",
     "kMailPool or kWebhookPool"},
    {R"(\.attempts_max = 8\b|[aA]ttempts\w* = 8\b)", "src/domain/retry_policy.h", "kDefaultScheduleAttempts"},
    {R"re("0123456789(abcdef|ABCDEF)")re", "src/base/hex.h", "kLowerHex or kUpperHex"},
};

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find("//"));
}

std::vector<Finding> copies(const SourceFile& file) {
  static const auto kPatterns = [] {
    std::vector<std::regex> all;
    for (const Fact& fact : kFacts)
      all.emplace_back(fact.pattern);
    return all;
  }();
  std::vector<Finding> findings;
  if (!file.under("src/") || !file.is_cpp()) return findings;
  int number = 0;
  for (const std::string_view line : lines_of(file.text)) {
    ++number;
    const std::string_view code = without_comment(line);
    if (code.find('"') == std::string_view::npos && code.find("= 8") == std::string_view::npos) continue;
    for (std::size_t i = 0; i < std::size(kFacts); ++i)
      if (file.path != kFacts[i].home && std::regex_search(code.begin(), code.end(), kPatterns[i]))
        findings.push_back(
            {file.path, number,
             std::string("use ") + kFacts[i].instead + " of " + kFacts[i].home + " instead of its text"});
  }
  return findings;
}

// "kName = value" to the places that say so.
using Constants = std::map<std::string, std::vector<Finding>>;

void gather(const SourceFile& file, Constants& into) {
  static const std::regex kConstant(R"(\bconstexpr [\w:<> ]+ (k\w+)(?: *= *|\{)([^;,}]+))");
  if (!file.under("src/") || !file.is_cpp()) return;
  int number = 0;
  for (const std::string_view line : lines_of(file.text)) {
    ++number;
    if (line.find("constexpr ") == std::string_view::npos) continue;
    std::cmatch match;
    if (!std::regex_search(line.data(), line.data() + line.size(), match, kConstant)) continue;
    std::string value = match[2];
    std::erase(value, '\'');
    into[match[1].str() + " = " + value].push_back({file.path, number, ""});
  }
}

// Said twice, and not worth a header, or known and waiting for one.
const std::set<std::string> kKnownTwice{"kMiB", "kAddressesMax"};

std::vector<Finding> twice(const Constants& constants) {
  std::vector<Finding> findings;
  for (const auto& [fact, places] : constants) {
    std::set<std::string> files;
    for (const Finding& place : places)
      files.insert(place.path);
    if (files.size() < 2 || kKnownTwice.contains(fact.substr(0, fact.find(' ')))) continue;
    for (const Finding& place : places)
      findings.push_back(
          {place.path, place.line, fact + " is said in another file too; put it in one header"});
  }
  return findings;
}

TEST(WrittenOnce, words_with_a_name) {
  std::vector<Finding> all;
  for (const SourceFile& file : read_project(EILBOTE_SOURCE_DIR))
    for (Finding& finding : copies(file))
      all.push_back(std::move(finding));
  EXPECT_TRUE(all.empty()) << in_words(all);
}

TEST(WrittenOnce, constants) {
  Constants constants;
  for (const SourceFile& file : read_project(EILBOTE_SOURCE_DIR))
    gather(file, constants);
  EXPECT_GT(constants.size(), 200U);
  const auto findings = twice(constants);
  EXPECT_TRUE(findings.empty()) << in_words(findings);
}

TEST(WrittenOnce, finds_what_it_is_for) {
  const std::pair<SourceFile, std::size_t> cases[] = {
      {{"src/a.cpp", "event.actor = \"engine\";"}, 1},
      {{"src/domain/job.h", "kEngineActor = \"engine\";"}, 0},
      {{"src/a.cpp", "// the \"engine\" itself"}, 0},
      {{"src/a.cpp", "add(Metric::requeued, 1, {\"operator\"});"}, 0},
      {{"src/a.cpp", "AuditEntry audit{\"operator\"};"}, 1},
      {{"src/a.cpp", "job.pool = \"webhook\";"}, 1},
      {{"src/a.cpp", "std::pair{\"mail\", Pool{}.concurrency}"}, 1},
      {{"src/a.cpp", "body[\"webhook\"] = 1;"}, 0},
      {{"src/a.cpp", "policy.attempts_max = 8;"}, 1},
      {{"src/a.cpp", "policy.attempts_max = 80;"}, 0},
      {{"src/a.cpp", "kDigits = \"0123456789abcdef\";"}, 1},
      {{"src/a.cpp", "kAlphabet = \"0123456789ABCDEFGH\";"}, 0},
      {{"tests/a.cpp", "job.pool = \"webhook\";"}, 0},
  };
  for (const auto& [file, findings] : cases)
    EXPECT_EQ(copies(file).size(), findings) << file.text;

  Constants constants;
  gather({"src/a.cpp", "constexpr int kTwo = 1'000;\nconstexpr int kOne = 1;\n"}, constants);
  gather({"src/b.h", "inline constexpr std::size_t kTwo = 1000;\nconstexpr int kOne = 2;\n"}, constants);
  EXPECT_EQ(twice(constants).size(), 2U) << in_words(twice(constants));
}

}  // namespace
}  // namespace eilbote::tidy::written_once_test
