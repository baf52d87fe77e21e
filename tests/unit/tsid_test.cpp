// TSIDs: unique, monotonic, ordered as texts like as numbers, and the same back and forth.
#include "domain/tsid.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>
#include <vector>

namespace eilbote::tsid_test {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{std::chrono::sys_days{std::chrono::year{2020} / 1 / 1}};
constexpr TimePoint kNow{std::chrono::sys_days{std::chrono::year{2026} / 11 / 15}};

TEST(Tsid, text_and_number_go_back_and_forth) {
  const struct {
    const char* name;
    std::int64_t input;
    const char* want;
  } cases[] = {
      {"zero", 0, "0000000000000"},
      {"one", 1, "0000000000001"},
      {"thirty-one", 31, "000000000000Z"},
      {"thirty-two", 32, "0000000000010"},
      {"all letters skip I, L, O, U", 0x7FFFFFFFFFFFFFFF, "7ZZZZZZZZZZZZ"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(to_text(JobId{c.input}), c.want) << c.name;
    EXPECT_EQ(parse_job_id(c.want), JobId{c.input}) << c.name;
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    const JobId id{static_cast<std::int64_t>(random() >> 1)};
    ASSERT_EQ(parse_job_id(to_text(id)), id);
  }
}

TEST(Tsid, lower_case_is_read_too) {
  EXPECT_EQ(parse_job_id("0abcdefghjkmn"), parse_job_id("0ABCDEFGHJKMN"));
  EXPECT_TRUE(parse_job_id("0abcdefghjkmn").has_value());
}

TEST(Tsid, refuses_texts_that_are_none) {
  const char* const cases[] = {
      "",                // nothing
      "0",               // too short
      "000000000000",    // 12 characters
      "00000000000000",  // 14 characters
      "8000000000000",   // would need the sign bit
      "ZZZZZZZZZZZZZ",   // overflows 64 bits
      "000000000000I",
      "000000000000L",
      "000000000000O",
      "000000000000U",
      "000000000000i",
      "000000000000-",
      "000000000000 ",
      " 000000000000",
      "+000000000000",
      "00000000000\xC3\xA4",
  };
  for (const char* input : cases)
    EXPECT_FALSE(parse_job_id(input).has_value()) << "'" << input << "'";
  EXPECT_FALSE(parse_job_id(std::string_view("000000000000\0", 13)).has_value());
}

TEST(Tsid, texts_sort_like_numbers) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 10'000; ++i) {
    const JobId a{static_cast<std::int64_t>(random() >> 1)};
    const JobId b{static_cast<std::int64_t>(random() >> 1)};
    ASSERT_EQ(a < b, to_text(a) < to_text(b));
  }
}

TEST(Tsid, carries_its_millisecond) {
  TsidFactory factory(Epoch{1});
  EXPECT_EQ(tsid_time(factory.next(kNow + 123'456us)), kNow + 123ms);
  EXPECT_EQ(tsid_time(tsid_floor(kNow + 999us)), kNow);
}

TEST(Tsid, floor_bounds_a_millisecond) {
  TsidFactory factory(Epoch{1023});
  const JobId id = factory.next(kNow);
  EXPECT_LE(tsid_floor(kNow), id);
  EXPECT_GT(tsid_floor(kNow + 1ms), id);
  EXPECT_EQ(tsid_floor(kStart), JobId{0});
  EXPECT_EQ(tsid_floor(kStart - 1h), JobId{0}) << "before the first millisecond";
  EXPECT_GT(tsid_floor(TimePoint{std::chrono::sys_days{std::chrono::year{9999} / 1 / 1}}), id);
}

// Draws `count` ids with the times `clock` gives and expects each to be larger than the one before.
template <class ClockFunction>
void expect_monotonic(int count, ClockFunction clock) {
  TsidFactory factory(Epoch{3});
  JobId last{0};
  for (int i = 0; i < count; ++i) {
    const JobId id = factory.next(clock(i));
    ASSERT_GT(id, last) << "at draw " << i;
    ASSERT_GT(id.value(), 0);
    last = id;
  }
}

TEST(Tsid, grows_while_the_clock_stands) {
  expect_monotonic(20'000, [](int) { return kNow; });
}
TEST(Tsid, grows_while_the_clock_runs_backwards) {
  expect_monotonic(20'000, [](int i) { return kNow - std::chrono::milliseconds{i}; });
}
TEST(Tsid, grows_over_jumps_of_the_clock) {
  expect_monotonic(20'000, [](int i) { return kNow + std::chrono::milliseconds{i % 7 == 0 ? -5'000 : i}; });
}

TEST(Tsid, borrows_the_next_millisecond_after_4096) {
  TsidFactory factory(Epoch{3});
  JobId id;
  for (int i = 0; i < 4096; ++i)
    id = factory.next(kNow);
  EXPECT_EQ(tsid_time(id), kNow);
  EXPECT_EQ(tsid_time(factory.next(kNow)), kNow + 1ms);
  EXPECT_EQ(tsid_time(factory.next(kNow + 1ms)), kNow + 1ms) << "the borrowed millisecond goes on";
  EXPECT_EQ(tsid_time(factory.next(kNow + 2ms)), kNow + 2ms);
}

TEST(Tsid, two_instances_never_meet) {
  TsidFactory one(Epoch{41}), two(Epoch{42});
  std::set<std::int64_t> seen;
  for (int i = 0; i < 10'000; ++i) {
    const TimePoint now = kNow + std::chrono::milliseconds{i / 5'000};
    ASSERT_TRUE(seen.insert(one.next(now).value()).second);
    ASSERT_TRUE(seen.insert(two.next(now).value()).second);
  }
}

TEST(Tsid, threads_of_one_instance_never_meet) {
  TsidFactory factory(Epoch{5});
  std::vector<std::vector<JobId>> drawn(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : drawn)
      threads.emplace_back([&factory, &mine] {
        for (int i = 0; i < 10'000; ++i)
          mine.push_back(factory.next(kNow));
      });
  }
  std::set<JobId> all;
  for (const auto& mine : drawn) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(all.size(), 40'000U);
}

TEST(LeaseToken, holds_epoch_and_round) {
  EXPECT_EQ(make_lease_token(Epoch{0}, 0).value(), 0);
  EXPECT_EQ(make_lease_token(Epoch{1}, 0).value(), std::int64_t{1} << 32);
  EXPECT_EQ(make_lease_token(Epoch{7}, 0xFFFFFFFF).value(), (std::int64_t{8} << 32) - 1);
  EXPECT_LT(make_lease_token(Epoch{7}, 0xFFFFFFFF), make_lease_token(Epoch{8}, 0));
}

TEST(LeaseToken, tells_its_epoch_and_lies_in_its_range) {
  for (const Epoch epoch : {Epoch{0}, Epoch{1}, Epoch{7}, Epoch{0x7FFF'FFFF}}) {
    const LeaseTokens range = tokens_of(epoch);
    EXPECT_EQ(range.first, make_lease_token(epoch, 0).value());
    EXPECT_EQ(range.last, make_lease_token(epoch, 0xFFFFFFFF).value());
    EXPECT_EQ(epoch_of(LeaseToken{range.first}), epoch);
    EXPECT_EQ(epoch_of(LeaseToken{range.last}), epoch);
  }
}

}  // namespace
}  // namespace eilbote::tsid_test
