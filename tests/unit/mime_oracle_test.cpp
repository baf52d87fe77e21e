// What write_mime writes, read back by two readers that share no code with it, Python's email package and GMime: a table
// of nasty mails and a few hundred random ones, each compared in full with what was handed in.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/child_process.h"
#include "support/gmime_reader.h"
#include "support/mime_cases.h"
#include "support/temp_folder.h"
#include "support/test_seed.h"

namespace eilbote::mime_oracle_test {
namespace {

namespace json = boost::json;
using test::MimeCase;

constexpr int kRandomMails = 200;

std::vector<MimeCase> random_mails(std::uint64_t seed) {
  std::vector<MimeCase> mails;
  mails.reserve(kRandomMails);
  for (int i = 0; i < kRandomMails; ++i)
    mails.push_back(test::random_mail(seed + static_cast<std::uint64_t>(i)));
  return mails;
}

void expect_accepted(const MimeCase& one) {
  for (const Fault& fault : check_mail(one.mail, {}, TimePoint{}))
    ADD_FAILURE() << one.name << " is no mail to begin with: " << fault.pointer << " " << fault.detail;
}

// One Python for all of them: starting it takes longer than reading a hundred mails.
void expect_python_reads(const std::vector<MimeCase>& mails) {
  const test::TempFolder folder;
  for (const MimeCase& one : mails) {
    expect_accepted(one);
    std::ofstream(folder / (one.name + ".eml"), std::ios::binary) << test::written(one);
    std::ofstream(folder / (one.name + ".json")) << json::serialize(test::meant(one));
  }
  const auto python =
      test::run_command({"python3", EILBOTE_SOURCE_DIR "/tests/unit/mime_oracle.py", folder.path()});
  EXPECT_EQ(python.exit_code, 0) << python.out << python.err;
  EXPECT_NE(python.out.find(fmt::format("{} messages read", mails.size())), std::string::npos) << python.out;
}

// GMime strips a display name, also of blanks that were encoded.
void strip_names(json::value& boxes) {
  for (json::value& box : boxes.as_array()) {
    const std::string_view name = box.at(0).as_string();
    const std::size_t begin = std::min(name.find_first_not_of(' '), name.size());
    box.as_array()[0] = json::string(name.substr(begin, name.find_last_not_of(' ') + 1 - begin));
  }
}

void expect_gmime_reads(const MimeCase& one) {
  expect_accepted(one);
  json::object want = test::meant(one);
  json::object got = test::read_with_gmime(test::written(one));
  want.erase("utf8");
  for (const char* key : {"from", "to", "cc", "replyTo"})
    strip_names(want[key]);
  for (const auto& [key, value] : want)
    EXPECT_EQ(json::serialize(got[key]), json::serialize(value)) << one.name << ": " << key;
  EXPECT_EQ(json::serialize(got["warnings"]), "[]") << one.name;
}

TEST(MimeOracle, python_reads_what_was_meant) {
  expect_python_reads(test::nasty_mails());
}

TEST(MimeOracle, gmime_reads_what_was_meant) {
  for (const MimeCase& one : test::nasty_mails()) {
    expect_gmime_reads(one);
    EXPECT_EQ(test::written(one).find("hidden@"), std::string::npos) << one.name << " names a Bcc";
  }
}

TEST(MimeOracle, python_reads_random_mails) {
  const std::uint64_t seed = test::test_seed();
  expect_python_reads(random_mails(seed));
  if (HasFailure()) ADD_FAILURE() << "repeat with EILBOTE_TEST_SEED=" << seed;
}

TEST(MimeOracle, gmime_reads_random_mails) {
  const std::uint64_t seed = test::test_seed();
  for (const MimeCase& one : random_mails(seed))
    expect_gmime_reads(one);
  if (HasFailure()) ADD_FAILURE() << "repeat with EILBOTE_TEST_SEED=" << seed;
}

}  // namespace
}  // namespace eilbote::mime_oracle_test
