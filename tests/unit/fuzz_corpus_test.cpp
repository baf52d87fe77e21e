// The fuzz targets over their seeds and a few thousand cheap mutations of them: what ./dev fuzz does for minutes and with
// coverage, here in a second and with every build.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "fuzz/fuzz.h"
#include "support/test_seed.h"

namespace eilbote::fuzz_corpus_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> seeds_of(const std::string& target) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(EILBOTE_SOURCE_DIR "/tests/fuzz/corpus/" + target))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {}

  // A seed with one to four changes.
  std::string next() {
    std::string bytes = any_seed();
    for (std::size_t changes = 1 + upto(3); changes > 0; --changes)
      change(bytes);
    return bytes;
  }

 private:
  std::size_t upto(std::size_t max) { return std::uniform_int_distribution<std::size_t>(0, max)(random_); }
  const std::string& any_seed() { return seeds_[upto(seeds_.size() - 1)]; }
  std::string any_stretch(const std::string& bytes) {
    const std::size_t begin = upto(bytes.size());
    return bytes.substr(begin, upto(std::min<std::size_t>(bytes.size() - begin, 64)));
  }

  void change(std::string& bytes) {
    const std::size_t at = upto(bytes.size());
    switch (upto(4)) {
      case 0:
        bytes.insert(at, 1, static_cast<char>(upto(255)));
        break;
      case 1:
        bytes.erase(at, upto(32));
        break;
      case 2:
        if (at < bytes.size()) bytes[at] = static_cast<char>(upto(255));
        break;
      case 3:
        bytes.insert(at, any_stretch(bytes));
        break;
      default:
        bytes.insert(at, any_stretch(any_seed()));
        break;
    }
  }

  const std::vector<std::string> seeds_;
  std::mt19937_64 random_;
};

struct Target {
  const char* name;
  std::string (*check)(std::string_view);
};

void PrintTo(const Target& target, std::ostream* out) {
  *out << target.name;
}

class FuzzCorpus : public testing::TestWithParam<Target> {};

TEST_P(FuzzCorpus, has_no_fault) {
  constexpr int kMutations = 3000;
  const auto& [name, check] = GetParam();
  const std::vector<std::string> seeds = seeds_of(name);
  ASSERT_FALSE(seeds.empty());
  for (const std::string& bytes : seeds)
    EXPECT_EQ(check(bytes), "") << testing::PrintToString(bytes);
  const std::uint64_t seed = test::test_seed();
  Mutator mutator(seeds, seed);
  for (int i = 0; i < kMutations; ++i) {
    const std::string bytes = mutator.next();
    ASSERT_EQ(check(bytes), "") << testing::PrintToString(bytes)
                                << "\nrepeat with EILBOTE_TEST_SEED=" << seed;
  }
}

const Target kTargets[] = {
    {"smtp_reply_fuzz", fuzz::smtp_reply_fuzz},
    {"address_fuzz", fuzz::address_fuzz},
    {"mime_writer_fuzz", fuzz::mime_writer_fuzz},
    {"webhook_url_fuzz", fuzz::webhook_url_fuzz},
    {"token_fuzz", fuzz::token_fuzz},
    {"dsn_fuzz", fuzz::dsn_fuzz},
    {"carried_job_fuzz", fuzz::carried_job_fuzz},
    {"json_schema_fuzz", fuzz::json_schema_fuzz},
    {"mail_json_fuzz", fuzz::mail_json_fuzz},
    {"webhook_json_fuzz", fuzz::webhook_json_fuzz},
    {"provider_event_fuzz", fuzz::provider_event_fuzz},
    {"query_fuzz", fuzz::query_fuzz},
    {"http_request_fuzz", fuzz::http_request_fuzz},
    {"http_answer_fuzz", fuzz::http_answer_fuzz},
    {"graph_answer_fuzz", fuzz::graph_answer_fuzz},
    {"sqs_answer_fuzz", fuzz::sqs_answer_fuzz},
    {"secret_answer_fuzz", fuzz::secret_answer_fuzz},
    {"config_fuzz", fuzz::config_fuzz},
    {"import_fuzz", fuzz::import_fuzz},
};

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus, testing::ValuesIn(kTargets),
                         [](const auto& one) { return std::string(one.param.name); });

// A target that nobody lists here would be compiled and never called.
TEST(FuzzTargets, are_all_listed) {
  std::vector<std::string> listed, found;
  for (const Target& target : kTargets)
    listed.emplace_back(target.name);
  for (const auto& entry : fs::directory_iterator(EILBOTE_SOURCE_DIR "/tests/fuzz"))
    if (const std::string name = entry.path().filename(); name.ends_with("_fuzz.cpp"))
      found.push_back(entry.path().stem());
  std::sort(listed.begin(), listed.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(listed, found);
}

}  // namespace
}  // namespace eilbote::fuzz_corpus_test
