// What of an answer of Microsoft Graph goes into logs and records: one short line, whoever answered and wherever it stood.
#include "channel/graph_answer.h"

#include <gtest/gtest.h>

#include "base/ascii.h"
#include "channel/graph_batch.h"

namespace eilbote::test::graph_answer_test {
namespace {

const TimePoint kNow{std::chrono::days{20'000}};
const std::string kLong(5000, 'x');

void expect_short_line(const std::string& id) {
  EXPECT_FALSE(id.empty());
  EXPECT_FALSE(has_control(id)) << id;
  EXPECT_LE(id.size(), 100U);
}

TEST(GraphAnswer, a_request_id_is_a_short_line) {
  HttpAnswer raw;
  raw.status = 503;
  raw.body = R"({"error":{"code":"a","innerError":{"request-id":"r\n)" + kLong + "\"}}}";
  expect_short_line(read_graph_answer(raw, "graph.example", kNow).request_id);
}

TEST(GraphAnswer, a_request_id_in_a_batch_is_one_too) {
  const auto answers =
      read_graph_batch(R"({"responses":[{"id":"1","status":200,"headers":{"request-id":"r\n)" + kLong +
                           R"("}},{"id":"2","status":400,"body":{"error":{"code":"a","request-id":"r\u0000)" +
                           kLong + "\"}}}]}",
                       2, kNow);
  ASSERT_EQ(answers.size(), 2U);
  for (const GraphAnswer& answer : answers)
    expect_short_line(answer.request_id);
}

}  // namespace
}  // namespace eilbote::test::graph_answer_test
