// How the query of a list is read, to the letter: clients see these texts.
#include "api/query_fields.h"

#include <gtest/gtest.h>

#include "api/json_out.h"

namespace eilbote::test::query_fields_test {
namespace {

struct Wanted {
  std::string name;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<TimePoint> from;
  std::optional<JobId> before;
  std::optional<std::int64_t> below;
  int limit = 50;
};

using W = Wanted;
using Key = std::string_view;
using Value = const std::string&;

std::string set_metadata(W& wanted, Key key, Value value) {
  if (key.empty()) return "must name a key";
  wanted.metadata.emplace_back(std::string(key), value);
  return "";
}

constexpr QueryRow<Wanted> kRows[] = {
    {"name", [](W& w, Key, Value v) { return set_text(w.name, v, 8); }},
    {"metadata.", set_metadata},
    {"from", [](W& w, Key, Value v) { return set_time(w.from, v); }},
    {"cursor", [](W& w, Key, Value v) { return set_cursor(w.before, v); }},
    {"below", [](W& w, Key, Value v) { return set_cursor(w.below, v); }},
    {"limit", [](W& w, Key, Value v) { return set_page_limit(w.limit, v); }},
};

TEST(QueryFields, what_is_given_is_set_and_the_rest_stays) {
  const auto read =
      read_query("name=a%20b&metadata.a.b=c&from=2026-11-15T21:00:00Z&below=12&limit=200", kRows, Wanted{});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "a b");
  ASSERT_EQ(read->metadata.size(), 1u);
  EXPECT_EQ(read->metadata[0], (std::pair<std::string, std::string>{"a.b", "c"}));
  ASSERT_TRUE(read->from);
  EXPECT_EQ(to_rfc3339(*read->from), to_rfc3339(*parse_rfc3339("2026-11-15T21:00:00Z")));
  EXPECT_EQ(read->below, 12);
  EXPECT_FALSE(read->before);
  EXPECT_EQ(read->limit, 200);
  EXPECT_EQ(read_query("", kRows, Wanted{})->limit, 50);
}

struct Refusal {
  std::string query;
  std::vector<std::string> faults;
};
const Refusal kRefusals[] = {
    {"nmae=a", {"unknown query parameter 'nmae'; did you mean 'name'?"}},
    {"somethingElse=a", {"unknown query parameter 'somethingElse'"}},
    {std::string(70, 'x') + "=a", {"unknown query parameter '" + std::string(64, 'x') + "'"}},
    {"name=", {"query parameter 'name' must have 1 to 8 bytes"}},
    {"name=123456789", {"query parameter 'name' must have 1 to 8 bytes"}},
    {"metadata.=a", {"query parameter 'metadata.' must name a key"}},
    {"from=now", {"query parameter 'from' must be an RFC 3339 time such as 2026-11-15T21:00:00Z"}},
    {"cursor=x", {"query parameter 'cursor' must be the nextCursor of an earlier page"}},
    {"below=0", {"query parameter 'below' must be the nextCursor of an earlier page"}},
    {"below=12a", {"query parameter 'below' must be the nextCursor of an earlier page"}},
    {"limit=0", {"query parameter 'limit' must be a whole number from 1 to 200"}},
    {"limit=201", {"query parameter 'limit' must be a whole number from 1 to 200"}},
    {"limit=5.0&name=",
     {"query parameter 'limit' must be a whole number from 1 to 200",
      "query parameter 'name' must have 1 to 8 bytes"}},
};

TEST(QueryFields, every_fault_is_told) {
  for (const Refusal& refusal : kRefusals) {
    const auto read = read_query(refusal.query, kRows, Wanted{});
    ASSERT_FALSE(read) << refusal.query;
    EXPECT_EQ(read.error().kind, ProblemKind::invalid_request) << refusal.query;
    std::vector<std::string> faults;
    for (const Fault& fault : read.error().errors)
      faults.push_back(fault.pointer + fault.detail);
    EXPECT_EQ(faults, refusal.faults) << refusal.query;
  }
}

TEST(QueryFields, a_query_that_is_none_is_refused_before_its_parameters) {
  const auto read = read_query("name=a&name=b&nmae=c", kRows, Wanted{});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().detail, "query parameter 'name' is given twice");
}

TEST(QueryFields, lists_are_answered_in_one_form) {
  const auto write = [](int number) { return boost::json::object{{"n", number}}; };
  EXPECT_EQ(list_json(std::vector<int>{}, write), R"({"data":[]})");
  EXPECT_EQ(list_json(std::vector<int>{1, 2}, write), R"({"data":[{"n":1},{"n":2}]})");
  EXPECT_EQ(page_json(std::vector<int>{1}, write, std::nullopt), R"({"data":[{"n":1}],"nextCursor":null})");
  EXPECT_EQ(page_json(std::vector<int>{1}, write, "7"), R"({"data":[{"n":1}],"nextCursor":"7"})");
}

}  // namespace
}  // namespace eilbote::test::query_fields_test
