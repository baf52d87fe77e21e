// /log-level: what is answered, what is refused and with which words, what is on the audit record; and that the log itself
// obeys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/log.h"
#include "support/api_world.h"

namespace eilbote::test::api_log_level_test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

class ApiLogLevel : public testing::Test {
 protected:
  void SetUp() override { log::configure(log::Format::text, log::Level::info); }
  void TearDown() override { log::configure(log::Format::text, log::Level::info); }

  json::value put(const std::string& body) {
    const HttpResponse answer = world_.ask("PUT", "/log-level", body).get();
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body);
  }

  ApiWorld world_;
};

TEST_F(ApiLogLevel, is_shown_changed_and_on_record) {
  EXPECT_EQ(json::parse(world_.ask("GET", "/log-level").get().body),
            json::parse(R"({"level":"info","configured":"info","until":null})"));
  EXPECT_EQ(put(R"({"level":"debug"})"),
            json::parse(R"({"level":"debug","configured":"info","until":null})"));
  EXPECT_TRUE(log::enabled(log::Level::debug));
  ASSERT_EQ(world_.registry.audit_entries.size(), 1U);
  const AuditEntry& entry = world_.registry.audit_entries[0];
  EXPECT_EQ(entry.act, "log-level.change");
  EXPECT_EQ(entry.target, "log-level");
  EXPECT_EQ(json::parse(entry.detail),
            json::parse(R"({"before":{"level":"info"},"after":{"level":"debug"}})"));
}

TEST_F(ApiLogLevel, holds_for_the_time_that_was_asked_for) {
  const auto before = std::chrono::system_clock::now();
  const json::value now = put(R"({"level":"error","forSeconds":600})");
  const auto until = parse_rfc3339(std::string(now.at("until").as_string()));
  ASSERT_TRUE(until);
  EXPECT_GT(*until, before + std::chrono::seconds{598});
  EXPECT_LT(*until, before + std::chrono::seconds{660});
  EXPECT_FALSE(log::enabled(log::Level::warning));
}

TEST_F(ApiLogLevel, says_what_would_be_right) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "/level"},
      {R"({"level":"loud"})", "debug, info, warning, error"},
      {R"({"level":3})", "/level"},
      {R"({"level":"info","forSeconds":0})", "1 to 86400"},
      {R"({"level":"info","forSeconds":86401})", "1 to 86400"},
      {R"({"level":"info","forSecond":5})", "forSeconds"},
      {R"([])", "object"},
  };
  for (const auto& [body, says] : cases) {
    const HttpResponse answer = world_.ask("PUT", "/log-level", body).get();
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(answer.body, HasSubstr(says)) << body;
  }
  EXPECT_EQ(log::level_view().level, log::Level::info);
  EXPECT_TRUE(world_.registry.audit_entries.empty());
}

}  // namespace
}  // namespace eilbote::test::api_log_level_test
