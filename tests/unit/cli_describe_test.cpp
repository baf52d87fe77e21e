// The generated documents are what the program prints, and the tables of the views hold together.
#include "cli/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "cli/answer_view.h"
#include "cli/message_filter.h"
#include "cli/message_view.h"
#include "cli/text_table.h"

namespace eilbote::cli::cli_describe_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string document(const std::string& name) {
  std::ifstream in(std::string(EILBOTE_SOURCE_DIR) + "/docs/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CliDescribe, the_documents_are_what_the_program_prints) {
  EXPECT_EQ(document("states.md"), states_markdown()) << "run ./dev fmt";
  EXPECT_EQ(document("metrics.md"), metrics_markdown()) << "run ./dev fmt";
  EXPECT_EQ(document("errors.md"), errors_markdown()) << "run ./dev fmt";
}

TEST(CliDescribe, routes_are_a_table) {
  EXPECT_THAT(routes_markdown({{"GET", "/x", "none", "get_x"}}), HasSubstr("| GET | `/x` | none | get_x |"));
}

TEST(CliTextTable, columns_are_as_wide_as_their_widest_cell) {
  EXPECT_EQ(text_table({{"A", "B"}, {"längst", "x"}, {"s", "y"}}), "A       B\nlängst  x\ns       y\n");
}

TEST(CliTextTable, a_peers_text_cannot_move_the_cursor) {
  EXPECT_THAT(text_table({{"A"}, {"red\x1b[31m\r\nline"}}), Not(testing::ContainsRegex("[\x1b\r]")));
}

TEST(CliMessageView, members_are_found_by_path) {
  const auto value = boost::json::parse(R"({"a":{"b":7,"c":"text","d":null},"e":[1]})");
  EXPECT_EQ(member_text(value, "a.b"), "7");
  EXPECT_EQ(member_text(value, "a.c"), "text");
  EXPECT_EQ(member_text(value, "a.d"), "");
  EXPECT_EQ(member_text(value, "a.x.y"), "");
  EXPECT_EQ(member_text(value, "e.b"), "");
}

TEST(CliMessageView, a_message_shows_what_matters_and_nothing_that_is_absent) {
  const auto message = boost::json::parse(R"({"messageId":"0HZX3T8Q6N2VB","status":"FAILED","lastUpdate":"t",
      "details":{"retryCount":5,"maxAttempts":5,"deadReason":"MaxAttemptsExceeded",
      "lastError":{"code":"CAPTURE_WRITE_FAILED","class":"transient","message":"disk full"},
      "recipients":[{"address":"a@example.org","kind":"to","status":"waiting"}]}})");
  const std::string text = message_text(message);
  EXPECT_THAT(text, HasSubstr("status            FAILED\n"));
  EXPECT_THAT(text, HasSubstr("last error        disk full\n"));
  EXPECT_THAT(text, HasSubstr("a@example.org  to    waiting\n"));
  EXPECT_THAT(text, Not(HasSubstr("next attempt")));
}

TEST(CliMessageFilter, becomes_a_query_and_json) {
  MessageFilter filter;
  EXPECT_TRUE(filter.empty());
  filter.status = "FAILED";
  filter.recipient = "a+b@example.org";
  EXPECT_EQ(filter.query(), "status=FAILED&recipient=a%2Bb%40example.org");
  EXPECT_EQ(boost::json::serialize(filter.json()), R"({"status":"FAILED","recipient":"a+b@example.org"})");
  filter = {};
  filter.pool = "bulk";
  filter.metadata = {"order=47=11", "a b=&"};
  EXPECT_FALSE(filter.empty());
  EXPECT_EQ(filter.query(), "pool=bulk&metadata.order=47%3D11&metadata.a%20b=%26");
  EXPECT_EQ(boost::json::serialize(filter.json()),
            R"({"pool":"bulk","metadata.order":"47=11","metadata.a b":"&"})");
}

}  // namespace
}  // namespace eilbote::cli::cli_describe_test
