// Pools in JSON: what a body makes of them, what is refused, and when a pool counts as limited.
#include "api/pool_json.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace eilbote::api_pool_json_test {
namespace {

std::vector<std::string> pointers(const PoolReading& reading) {
  std::vector<std::string> all;
  if (reading.problem)
    for (const Fault& fault : reading.problem->errors)
      all.push_back(fault.pointer);
  return all;
}

TEST(PoolJson, ANewPoolHasItsDefaults) {
  const PoolReading reading = read_new_pool(R"({"code":"bulk"})");
  ASSERT_FALSE(reading.problem);
  EXPECT_EQ(reading.pool.code, "bulk");
  EXPECT_EQ(reading.pool.name, "bulk");
  EXPECT_FALSE(reading.pool.rate_limit_per_minute);
  EXPECT_EQ(reading.pool.burst, 1);
  EXPECT_EQ(reading.pool.concurrency, 256);
  EXPECT_FALSE(reading.pool.limited);
  EXPECT_EQ(reading.pool.status, PoolStatus::ACTIVE);
}

TEST(PoolJson, EveryFieldIsRead) {
  const PoolReading reading = read_new_pool(
      R"({"code":"bulk","name":"Newsletters","rateLimitPerMinute":600,"burst":10,"concurrency":20})");
  ASSERT_FALSE(reading.problem);
  EXPECT_EQ(reading.pool.name, "Newsletters");
  EXPECT_EQ(reading.pool.rate_limit_per_minute, 600);
  EXPECT_EQ(reading.pool.burst, 10);
  EXPECT_EQ(reading.pool.concurrency, 20);
  EXPECT_TRUE(reading.pool.limited);
}

struct Refusal {
  const char* body;
  std::vector<std::string> pointers;
};

TEST(PoolJson, NewPoolsThatAreRefused) {
  const std::vector<Refusal> table{
      {"", {"/code"}},
      {"{}", {"/code"}},
      {"[]", {""}},
      {R"({"code":null})", {"/code"}},
      {R"({"code":1})", {"/code"}},
      {R"({"code":""})", {"/code"}},
      {R"({"code":"A"})", {"/code"}},
      {R"({"code":"a b"})", {"/code"}},
      {R"({"code":"a","name":1})", {"/name"}},
      {R"({"code":"a","name":""})", {"/name"}},
      {R"({"burst":0})", {"/burst", "/code"}},
      {R"({"code":"a","name":"a\nb"})", {"/name"}},
      {R"({"code":"a","rateLimitPerMinute":0})", {"/rateLimitPerMinute"}},
      {R"({"code":"a","rateLimitPerMinute":1000001})", {"/rateLimitPerMinute"}},
      {R"({"code":"a","rateLimitPerMinute":"600"})", {"/rateLimitPerMinute"}},
      {R"({"code":"a","rateLimitPerMinute":0.5})", {"/rateLimitPerMinute"}},
      {R"({"code":"a","rateLimitPerMinute":-1})", {"/rateLimitPerMinute"}},
      {R"({"code":"a","rateLimitPerMinute":9223372036854775807})", {"/rateLimitPerMinute"}},
      {R"({"code":"a","burst":0})", {"/burst"}},
      {R"({"code":"a","burst":null})", {"/burst"}},
      {R"({"code":"a","burst":100001})", {"/burst"}},
      {R"({"code":"a","burst":4294967297})", {"/burst"}},
      {R"({"code":"a","concurrency":0})", {"/concurrency"}},
      {R"({"code":"a","concurrency":10001})", {"/concurrency"}},
      {R"({"code":"a","concurrency":true})", {"/concurrency"}},
      {R"({"code":"a","status":"SUSPENDED"})", {"/status"}},
      {R"({"code":"a","id":"0000000000001"})", {"/id"}},
      {R"({"code":"A","burst":0,"concurrency":0,"rate":1})", {"/burst", "/concurrency", "/rate", "/code"}},
  };
  for (const Refusal& row : table) {
    const PoolReading reading = read_new_pool(row.body);
    ASSERT_TRUE(reading.problem) << row.body;
    EXPECT_EQ(reading.problem->status(), 400) << row.body;
    EXPECT_EQ(pointers(reading), row.pointers) << row.body;
  }
  EXPECT_EQ(read_new_pool("{").problem->kind, ProblemKind::malformed_json);
}

Pool pool_now() {
  Pool pool;
  pool.code = "bulk";
  pool.name = "Bulk";
  pool.rate_limit_per_minute = 600;
  pool.burst = 10;
  pool.concurrency = 20;
  pool.limited = true;
  pool.status = PoolStatus::SUSPENDED;
  return pool;
}

TEST(PoolJson, AChangeLeavesTheRestAsItIs) {
  const PoolReading nothing = read_pool_change("{}", pool_now());
  ASSERT_FALSE(nothing.problem);
  EXPECT_EQ(nothing.pool.rate_limit_per_minute, 600);
  EXPECT_EQ(nothing.pool.status, PoolStatus::SUSPENDED);
  const PoolReading rate = read_pool_change(R"({"rateLimitPerMinute":60,"code":"bulk"})", pool_now());
  ASSERT_FALSE(rate.problem);
  EXPECT_EQ(rate.pool.rate_limit_per_minute, 60);
  EXPECT_EQ(rate.pool.name, "Bulk");
  EXPECT_EQ(rate.pool.burst, 10);
  EXPECT_EQ(rate.pool.concurrency, 20);
}

TEST(PoolJson, ChangesThatAreRefused) {
  const std::vector<Refusal> table{
      {R"({"code":"other"})", {"/code"}},
      {R"({"name":""})", {"/name"}},
      {R"({"burst":0,"rateLimitPerMinute":0})", {"/burst", "/rateLimitPerMinute"}},
      {R"({"status":"ACTIVE"})", {"/status"}},
  };
  for (const Refusal& row : table) {
    const PoolReading reading = read_pool_change(row.body, pool_now());
    EXPECT_EQ(pointers(reading), row.pointers) << row.body;
  }
}

TEST(PoolJson, WhenAPoolIsLimited) {
  struct Case {
    const char* name;
    bool was_limited;
    std::optional<int> had_rate;
    const char* body;
    bool limited;
  };
  const std::vector<Case> table{
      {"nothing changes", false, {}, "{}", false},
      {"still limited", true, 600, "{}", true},
      {"a rate", false, {}, R"({"rateLimitPerMinute":1})", true},
      {"a concurrency of its own", false, {}, R"({"concurrency":5})", true},
      {"the concurrency that was read", false, {}, R"({"concurrency":20})", false},
      {"the rate goes, concurrency may be people's", true, 600, R"({"rateLimitPerMinute":null})", true},
      {"both go", true, 600, R"({"rateLimitPerMinute":null,"concurrency":null})", false},
      {"concurrency goes, the rate stays", true, 600, R"({"concurrency":null})", true},
  };
  for (const Case& row : table) {
    Pool pool = pool_now();
    pool.limited = row.was_limited;
    pool.rate_limit_per_minute = row.had_rate;
    const PoolReading reading = read_pool_change(row.body, pool);
    ASSERT_FALSE(reading.problem) << row.name;
    EXPECT_EQ(reading.pool.limited, row.limited) << row.name;
  }
}

TEST(PoolJson, AsItIsShown) {
  PoolRow row{.number = 7, .pool = pool_now(), .updated_at = *parse_rfc3339("2026-11-15T21:00:00Z")};
  EXPECT_EQ(boost::json::serialize(pool_json(row)),
            R"({"id":"0000000000007","code":"bulk","name":"Bulk","rateLimitPerMinute":600,"burst":10,)"
            R"("concurrency":20,"status":"SUSPENDED","updatedAt":"2026-11-15T21:00:00.000Z"})");
  row.pool.rate_limit_per_minute.reset();
  EXPECT_TRUE(pool_json(row).at("rateLimitPerMinute").is_null());
}

}  // namespace
}  // namespace eilbote::api_pool_json_test
