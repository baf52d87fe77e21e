// Bounces that were cut off, hit by a flipped byte, or lost and doubled lines on their way. Nobody may be reported to have
// bounced by such damage: what is read is part of what the whole message says. The seeds of the fuzz target, and other
// people's bounces where EILBOTE_CONTRACTS names their folder.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "base/ascii.h"
#include "domain/dsn.h"
#include "support/contracts.h"

namespace eilbote::test::dsn_mangled_test {
namespace {

namespace fs = std::filesystem;

// The same damage every time: rare damage could make an honest field of anything.
constexpr std::uint64_t kSeed = 3464;
constexpr int kTrials = 25;  // per sample and kind of damage

struct Sample {
  std::string name, bytes;
};

std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const auto& entry : fs::directory_iterator(EILBOTE_SOURCE_DIR "/tests/fuzz/corpus/dsn_fuzz")) {
    std::ifstream in(entry.path(), std::ios::binary);
    all.push_back({entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  if (const auto expected = contract("dsn/expected.json"))
    for (const auto& one : expected->at("cases").as_object())
      all.push_back({std::string(one.key()), contract_bytes("dsn/" + std::string(one.key())).value_or("")});
  std::sort(all.begin(), all.end(), [](const Sample& a, const Sample& b) { return a.name < b.name; });
  return all;
}

// Where the fields about recipients are: what damages them may well change what they say.
struct Zone {
  std::size_t begin = 0, end = 0;
  bool holds(std::size_t at) const { return at >= begin && at < end; }
};

Zone status_zone(const std::string& bytes) {
  const std::string lower = ascii_lower(bytes);
  Zone zone{lower.find("\nreporting-mta:"), lower.rfind("\naction:")};
  if (zone.begin == std::string::npos || zone.end == std::string::npos || zone.end < zone.begin) return {};
  zone.end = std::min(lower.find("\n--", zone.end), lower.size());
  return zone;
}

std::string said_of(const RecipientReport& one) {
  return fmt::format("{} {} {}", one.address, kReportActionNames.text(one.action), one.status);
}

std::set<std::string> sayings(const Dsn& dsn) {
  std::set<std::string> all;
  for (const RecipientReport& one : dsn.recipients)
    all.insert(said_of(one));
  return all;
}

std::set<std::string> addresses(const Dsn& dsn) {
  std::set<std::string> all;
  for (const RecipientReport& one : dsn.recipients)
    for (const std::string& address : {one.address, one.original_address})
      if (!address.empty()) all.insert(address);
  return all;
}

template <class Range>
bool is_part(const Range& part, const Range& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  char byte() { return static_cast<char>(below(256)); }

  // One to three lines lost or doubled; inside of the zone only, or outside of it only.
  std::string without_or_twice(const std::string& bytes, const Zone& zone, bool inside) {
    const std::size_t wanted = 1 + below(3);
    std::set<std::size_t> starts;
    for (int tries = 0; tries < 1000 && starts.size() < wanted; ++tries) {
      const std::size_t at = below(bytes.size());
      const std::size_t start = at == 0 ? 0 : bytes.rfind('\n', at - 1) + 1;
      if (zone.holds(at) == inside && zone.holds(start) == inside) starts.insert(start);
    }
    std::string out = bytes;
    for (auto start = starts.rbegin(); start != starts.rend(); ++start) {
      const std::string line = out.substr(*start, out.find('\n', *start) - *start + 1);
      if (below(2) == 0)
        out.erase(*start, line.size());
      else
        out.insert(*start, line);
    }
    return out;
  }

 private:
  std::mt19937_64 random_;
};

// Every kind of damage to every sample; `check` gets the whole and the damaged message, both read.
template <class Mangle, class Check>
void for_all(Mangle mangle, Check check) {
  Damage damage(kSeed);
  int reports = 0;
  for (const Sample& sample : samples()) {
    ASSERT_FALSE(sample.bytes.empty()) << sample.name;
    const Dsn whole = read_dsn(sample.bytes);
    const bool is_report = whole.kind == DsnKind::report;
    // Encoded, every byte is one of the fields; and a report inside a mail is one when the mail around it is gone, also when that
    // mail is a report itself that says nothing of anybody.
    if (is_report != (status_zone(sample.bytes).end > 0) || (is_report && whole.recipients.empty())) continue;
    reports += is_report ? 1 : 0;
    for (int i = 0; i < kTrials; ++i) {
      const std::string bytes = mangle(damage, sample.bytes, i);
      ASSERT_TRUE(check(whole, read_dsn(bytes))) << sample.name << "\n" << bytes;
    }
  }
  EXPECT_GE(reports, 4);
}

TEST(DsnMangled, a_message_that_was_cut_says_less_and_nothing_else) {
  for_all(
      [](Damage& damage, const std::string& bytes, int i) {
        // From end to end, and more often where the fields are.
        const Zone zone = status_zone(bytes);
        const bool in_zone = i % 2 == 0 && zone.end > zone.begin;
        return bytes.substr(
            0, in_zone ? zone.begin + damage.below(zone.end - zone.begin) : damage.below(bytes.size()));
      },
      [](const Dsn& whole, const Dsn& cut) {
        // A status may end early ("5.7.60"); who it is about and what became of it may not change.
        return cut.recipients.size() <= whole.recipients.size() &&
               std::equal(cut.recipients.begin(), cut.recipients.end(), whole.recipients.begin(),
                          [](const auto& a, const auto& b) {
                            return a.address == b.address && a.action == b.action;
                          });
      });
}

TEST(DsnMangled, flipped_bytes_elsewhere_do_not_change_what_is_said_of_anybody) {
  for_all(
      [](Damage& damage, const std::string& bytes, int) {
        const Zone zone = status_zone(bytes);
        std::string out = bytes;
        for (std::size_t flips = 1 + damage.below(20); flips > 0; --flips)
          if (const std::size_t at = damage.below(bytes.size()); !zone.holds(at)) out[at] = damage.byte();
        return out;
      },
      [](const Dsn& whole, const Dsn& flipped) { return is_part(sayings(flipped), sayings(whole)); });
}

TEST(DsnMangled, lines_lost_or_doubled_elsewhere_do_not_change_what_is_said_of_anybody) {
  for_all([](Damage& damage, const std::string& bytes,
             int) { return damage.without_or_twice(bytes, status_zone(bytes), false); },
          [](const Dsn& whole, const Dsn& damaged) { return is_part(sayings(damaged), sayings(whole)); });
}

TEST(DsnMangled, lines_lost_or_doubled_among_the_fields_bring_nobody_in) {
  for_all(
      [](Damage& damage, const std::string& bytes, int) {
        const Zone zone = status_zone(bytes);
        return damage.without_or_twice(bytes, zone, zone.end > zone.begin);
      },
      [](const Dsn& whole, const Dsn& damaged) { return is_part(addresses(damaged), addresses(whole)); });
}

}  // namespace
}  // namespace eilbote::test::dsn_mangled_test
