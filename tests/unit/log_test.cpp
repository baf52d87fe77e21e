// Log lines: one JSON object per line whatever is in the fields, or readable text; levels are obeyed.
#include "base/log.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <thread>

#include "base/time.h"

namespace eilbote::log::log_test {
namespace {

using namespace std::string_literals;

class Log : public testing::Test {
 protected:
  void TearDown() override { configure(Format::text, Level::info); }

  template <class Function>
  static std::vector<std::string> lines(Function write) {
    testing::internal::CaptureStderr();
    write();
    std::string all = testing::internal::GetCapturedStderr();
    std::vector<std::string> list;
    while (!all.empty()) {
      const std::size_t end = all.find('\n');
      list.push_back(all.substr(0, end));
      all.erase(0, end == std::string::npos ? all.size() : end + 1);
    }
    return list;
  }
};

TEST_F(Log, json_lines_hold_time_level_event_and_fields) {
  configure(Format::json, Level::debug);
  const auto got = lines([] {
    warning("lease lost", {{"job", "0ABC"},
                           {"count", 7},
                           {"big", std::int64_t{1} << 60},
                           {"ratio", 0.5},
                           {"late", true},
                           {"text", "ein \"Wort\"\n\\ und ü"s}});
  });
  ASSERT_EQ(got.size(), 1U);
  const auto line = boost::json::parse(got[0]).as_object();
  EXPECT_EQ(line.at("level").as_string(), "warning");
  EXPECT_EQ(line.at("event").as_string(), "lease lost");
  EXPECT_EQ(line.at("job").as_string(), "0ABC");
  EXPECT_EQ(line.at("count").as_int64(), 7);
  EXPECT_EQ(line.at("big").as_int64(), std::int64_t{1} << 60);
  EXPECT_EQ(line.at("ratio").as_double(), 0.5);
  EXPECT_TRUE(line.at("late").as_bool());
  EXPECT_EQ(line.at("text").as_string(), "ein \"Wort\"\n\\ und ü");
  EXPECT_TRUE(parse_rfc3339(line.at("time").as_string().c_str()).has_value());
  EXPECT_EQ(line.size(), 9U);
}

TEST_F(Log, json_stays_valid_whatever_is_written) {
  configure(Format::json, Level::debug);
  const std::vector<std::string> texts{
      "",         "\"",     "\\",           "a\r\nb",        "\0\x01\x1F\x7F"s,
      "\xFF\xC3", "{}[]:,", "\xED\xA0\x80", "😀 grün \u2028", "%s {} {0}"};
  for (const std::string& text : texts) {
    const auto got = lines([&] { error(text, {{"field", text}, {text, 1}}); });
    ASSERT_EQ(got.size(), 1U) << "one line each";
    boost::json::error_code broken;
    EXPECT_TRUE(boost::json::parse(got[0], broken).is_object()) << got[0];
  }
}

TEST_F(Log, json_numbers_are_json) {
  configure(Format::json, Level::debug);
  const auto got = lines([] {
    info("numbers", {{"nan", std::numeric_limits<double>::quiet_NaN()},
                     {"inf", -std::numeric_limits<double>::infinity()},
                     {"small", 1e-300},
                     {"whole", 2.0}});
  });
  ASSERT_EQ(got.size(), 1U);
  boost::json::error_code broken;
  boost::json::parse(got[0], broken);
  EXPECT_FALSE(broken) << got[0];
}

TEST_F(Log, text_lines_are_for_people) {
  configure(Format::text, Level::info);
  const auto got = lines([] { info("ready", {{"host", "127.0.0.1"}, {"port", 8925}, {"tls", false}}); });
  ASSERT_EQ(got.size(), 1U);
  ASSERT_GT(got[0].size(), 25U);
  EXPECT_TRUE(parse_rfc3339(got[0].substr(0, 24)).has_value());
  EXPECT_EQ(got[0].substr(24), " info    ready host=127.0.0.1 port=8925 tls=false");
}

TEST_F(Log, text_stays_on_one_line) {
  configure(Format::text, Level::info);
  const auto got = lines([] { info("peer\nsaid", {{"reply", "250 ok\r\n2026-01-01 error forged"}}); });
  EXPECT_EQ(got.size(), 1U) << "a peer must not forge a line";
}

TEST_F(Log, levels_below_the_chosen_one_are_silent) {
  const struct {
    Level level;
    std::size_t want;
  } cases[] = {{Level::debug, 4}, {Level::info, 3}, {Level::warning, 2}, {Level::error, 1}};
  for (const auto& c : cases) {
    configure(Format::json, c.level);
    EXPECT_EQ(lines([] {
                debug("d");
                info("i");
                warning("w");
                error("e");
              }).size(),
              c.want);
    EXPECT_EQ(enabled(Level::debug), c.level == Level::debug);
    EXPECT_TRUE(enabled(Level::error));
  }
}

TEST_F(Log, lines_of_many_threads_do_not_mix) {
  configure(Format::json, Level::info);
  const auto got = lines([] {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([t] {
        for (int i = 0; i < 250; ++i)
          info("from a thread", {{"thread", t}, {"text", std::string(100, 'x')}});
      });
  });
  EXPECT_EQ(got.size(), 1000U);
  for (const std::string& line : got) {
    boost::json::error_code broken;
    ASSERT_TRUE(boost::json::parse(line, broken).is_object()) << line;
  }
}

TEST_F(Log, a_level_may_be_chosen_until_the_next_configuration) {
  configure(Format::text, Level::warning);
  choose_level(Level::debug, std::nullopt);
  EXPECT_EQ(level_view().level, Level::debug);
  EXPECT_EQ(level_view().configured, Level::warning);
  EXPECT_FALSE(level_view().until);
  EXPECT_EQ(lines([] { debug("shown"); }).size(), 1U);
  configure(Format::text, Level::error);
  EXPECT_EQ(level_view().level, Level::error);
  EXPECT_TRUE(lines([] { warning("not shown"); }).empty());
}

TEST_F(Log, a_level_chosen_for_a_while_ends_by_itself) {
  configure(Format::text, Level::info);
  choose_level(Level::debug, std::chrono::hours{1});
  ASSERT_TRUE(level_view().until);
  EXPECT_GT(*level_view().until, std::chrono::system_clock::now() + std::chrono::minutes{59});
  EXPECT_EQ(lines([] { debug("shown"); }).size(), 1U);

  const auto got = lines([] {
    choose_level(Level::debug, Duration{0});
    debug("not shown");
    info("shown");
  });
  ASSERT_EQ(got.size(), 2U);
  EXPECT_NE(got[0].find("is over"), std::string::npos) << got[0];
  EXPECT_NE(got[1].find("shown"), std::string::npos) << got[1];
  EXPECT_EQ(level_view().level, Level::info);
  EXPECT_FALSE(level_view().until);
}

}  // namespace
}  // namespace eilbote::log::log_test
