// What `eilbote import` makes of rows: how files are read, which rows become mails and how, and what is told about the others.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "cli/import_mail.h"
#include "cli/import_rows.h"
#include "support/cli_fixture.h"
#include "support/temp_folder.h"

namespace eilbote::test::cli_import_test {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

std::vector<std::string> rows_in(const std::string& text, char delimiter = ',') {
  std::istringstream in(text);
  cli::ImportRows rows(in, delimiter);
  std::vector<std::string> all;
  while (const auto row = rows.next())
    all.push_back(std::to_string(rows.line()) + " " +
                  (*row ? json::serialize((*row)->cells) : "error: " + row->error().message));
  return all;
}

TEST(CliImportRows, are_read_from_json_lines_and_csv) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(rows_in("{\"id\":1}\r\n\n{\"id\":\"b\"}"), (Lines{R"(1 {"id":1})", R"(3 {"id":"b"})"}));
  EXPECT_EQ(rows_in("id,subject\n1,\"a, \"\"b\"\"\nc\"\n2,\n"),
            (Lines{R"(2 {"id":"1","subject":"a, \"b\"\nc"})", R"(4 {"id":"2","subject":null})"}));
  EXPECT_EQ(rows_in("id;to\r\n1;x@y.org\r\n", ';'), (Lines{R"(2 {"id":"1","to":"x@y.org"})"}));
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(rows_in(mark + "id,to\n1,x@y.org\n"), (Lines{R"(2 {"id":"1","to":"x@y.org"})"}));
  EXPECT_EQ(rows_in(mark + "{\"id\":1}\n"), (Lines{R"(1 {"id":1})"}));
  EXPECT_TRUE(rows_in("").empty());
  EXPECT_TRUE(rows_in("id,to\n").empty());
  const Lines faulty = rows_in("{\"id\":1}\n{oops\n[]\n{\"id\":2}\n");
  ASSERT_EQ(faulty.size(), 4U);
  EXPECT_THAT(faulty[1], HasSubstr("2 error: must be a JSON object"));
  EXPECT_EQ(faulty[3], R"(4 {"id":2})");
  EXPECT_THAT(rows_in("id,to\n1\n").at(0), HasSubstr("has 1 cells, the heading has 2"));
}

TEST(CliImportMail, maps_columns_whatever_they_are_called) {
  struct Case {
    const char *row, *mail;
  };
  const Case cases[] = {
      {R"({"id":7,"status":"queued","sender":"Shop <s@a.org>","recipient":"x@b.org; Ada <y@b.org>","subject":"S","body":"T",)"
       R"("next_attempt_at":"2026-01-31 12:00:00.5+00"})",
       R"({"from":{"email":"s@a.org","name":"Shop"},"to":["x@b.org",{"email":"y@b.org","name":"Ada"}],"subject":"S",)"
       R"("body":{"text":"T"},"scheduledFor":"2026-01-31T12:00:00.500Z"})"},
      {R"({"EmailId":"e-1","Status":"RetryQueued","FromAddress":"s@a.org","ToAddress":"x@b.org","Subject":"S","Body":"<p>T",)"
       R"("IsBodyHtml":"True","NextAttemptAt":"2026-01-31T12:00:00"})",
       R"({"from":"s@a.org","to":["x@b.org"],"subject":"S","body":{"html":"<p>T"},"scheduledFor":"2026-01-31T12:00:00.000Z"})"},
      {R"({"id":1,"state":null,"payload":"{\"from\":\"s@a.org\",\"to\":[\"x@b.org\"],\"tags\":[\"t\"]}","subject":"over it"})",
       R"({"from":"s@a.org","to":["x@b.org"],"tags":["t"],"subject":"over it"})"},
      {R"({"id":1,"status":"new","to":["x@b.org",{"email":"y@b.org"}],"cc":"[\"z@b.org\"]","reply_to":"r@a.org"})",
       R"({"to":["x@b.org",{"email":"y@b.org"}],"cc":["z@b.org"],"replyTo":["r@a.org"]})"},
  };
  for (const Case& one : cases) {
    const auto made = cli::import_mail(json::parse(one.row).as_object(), {});
    ASSERT_TRUE(made) << one.row << made.error().message;
    EXPECT_EQ(made->skipped_as, "") << one.row;
    EXPECT_EQ(json::value(made->mail), json::parse(one.mail)) << json::serialize(made->mail);
  }
}

TEST(CliImportMail, goes_by_the_state_and_the_id) {
  const auto made = [](const std::string& row, const cli::ImportRules& rules = {}) {
    return cli::import_mail(json::parse(row).as_object(), rules);
  };
  for (const char* state : {"sent", "Delivered", "FAILED", "Dead", "dispatching", "cancelled"})
    EXPECT_NE(made(R"({"id":1,"status":")" + std::string(state) + "\"}")->skipped_as, "") << state;
  for (const char* state : {"queued", "Pending", "RETRY_PENDING", "RetryQueued", ""})
    EXPECT_EQ(made(R"({"id":1,"status":")" + std::string(state) + "\"}")->skipped_as, "") << state;
  cli::ImportRules also;
  also.also = {"failed"};
  also.source = "crm";
  also.pool = "bulk";
  const auto failed = made(R"({"id":"4711","status":"Failed"})", also);
  EXPECT_EQ(failed->skipped_as, "");
  EXPECT_EQ(failed->key, "import-crm-4711");
  EXPECT_EQ(failed->mail.at("pool"), "bulk");
  EXPECT_THAT(made(R"({"id":1,"status":"limbo"})").error().message, HasSubstr("--also 'limbo'"));
  EXPECT_THAT(made(R"({"status":"queued"})").error().message, HasSubstr("no id"));
  EXPECT_THAT(made(R"({"id":1,"status":"new","send_at":"soon"})").error().message,
              HasSubstr("2026-01-31T12:00:00Z"));
  EXPECT_THAT(made(R"({"id":1,"status":"new","payload":"x"})").error().message, HasSubstr("JSON object"));
  const auto odd = made(R"({"id":"näh\n","status":""})"),
             long_one = made("{\"status\":\"\",\"id\":\"" + std::string(300, 'x') + "\"}");
  EXPECT_EQ(odd->key.size(), 7U + 64) << "an id that fits no header is hashed";
  EXPECT_LE(long_one->key.size(), 128U);
  EXPECT_NE(odd->key, long_one->key);
}

TEST(CliImportMail, is_made_only_of_rows_that_say_whether_they_wait) {
  const auto made = [](const std::string& row, const cli::ImportRules& rules = {}) {
    return cli::import_mail(json::parse(row).as_object(), rules);
  };
  const auto refused = made(R"({"id":1,"to":"x@b.org"})");
  ASSERT_FALSE(refused);
  for (const char* word : {"status", "state", "sent_at", "--no-state"})
    EXPECT_THAT(refused.error().message, HasSubstr(word));
  cli::ImportRules all_wait;
  all_wait.no_state = true;
  EXPECT_EQ(made(R"({"id":1})", all_wait)->skipped_as, "");
  for (const char* row : {R"({"id":1,"sent_at":null})", R"({"id":1,"SentOn":""})"})
    EXPECT_EQ(made(row)->skipped_as, "") << row;
  for (const char* row : {R"({"id":1,"sent_at":"2026-01-31 12:00:00"})", R"({"id":1,"SentAt":1769860800})",
                          R"({"id":1,"status":"queued","delivered_at":"2026-01-31T12:00:00Z"})"}) {
    EXPECT_EQ(made(row)->skipped_as, "sent") << row;
    EXPECT_EQ(made(row, all_wait)->skipped_as, "sent") << row;
  }
}

class CliImport : public CliFixture {
 protected:
  std::string file(const std::string& text) {
    std::ofstream(folder_ / "rows") << text;
    return folder_ / "rows";
  }
  TempFolder folder_;
};

TEST_F(CliImport, posts_what_waits_and_tells_about_the_rest) {
  handler_.answers["POST /messages"] = {202, "application/json", {}, R"({"messageId":"0M"})"};
  const std::string rows =
      file("id,status,from,to\n1,queued,a@b.org,c@d.org\n2,sent,a@b.org,c@d.org\n3,limbo,,\n");
  const auto dry = ask({"import", rows, "--dry-run"});
  EXPECT_EQ(dry.out,
            "line 4 (id ): status 'limbo' is not known; --also 'limbo' sends its rows too\n"
            "1 would be imported, 0 were there before, 1 refused\n1 skipped: sent\n");
  EXPECT_TRUE(handler_.asked().empty());
  const auto done = ask({"import", rows, "--json", "--source", "crm"});
  EXPECT_EQ(done.code, ExitCode::failed) << "a row was refused";
  const json::value report = json::parse(done.out);
  EXPECT_EQ(report.at("imported"), 1);
  EXPECT_EQ(report.at("skipped").at("sent"), 1);
  EXPECT_EQ(report.at("refusedRows").at(0).at("line"), 4);
  EXPECT_EQ(handler_.last().header("idempotency-key"), "import-crm-1");
  EXPECT_EQ(ask({"import", rows, "--from-line", "3", "--also", "limbo", "--dry-run"}).code, ExitCode::ok);
}

TEST_F(CliImport, refuses_rows_without_a_state_unless_all_wait) {
  const std::string bare = file("id,from,to\n1,a@b.org,c@d.org\n");
  const auto refused = ask({"import", bare, "--dry-run"});
  EXPECT_EQ(refused.code, ExitCode::failed);
  EXPECT_THAT(refused.out, HasSubstr("--no-state"));
  EXPECT_THAT(ask({"import", bare, "--dry-run", "--no-state"}).out, HasSubstr("1 would be imported"));
  EXPECT_THAT(ask({"import", file("id,sent_at\n1,\n2,2026-01-31 12:00:00\n"), "--dry-run"}).out,
              HasSubstr("1 would be imported, 0 were there before, 0 refused\n1 skipped: sent\n"));
}

TEST_F(CliImport, stops_where_the_server_does_and_says_how_to_go_on) {
  handler_.answers["POST /messages"] = handler_.refusal(503, "away");
  const auto stopped = ask({"import", file("id,status\n1,queued\n2,queued\n"), "--json"});
  EXPECT_EQ(stopped.code, ExitCode::failed);
  EXPECT_THAT(stopped.err, HasSubstr("--from-line 2; or, within a day, from the start"));
  EXPECT_EQ(json::parse(stopped.out).at("stoppedAtLine"), 2);
  EXPECT_EQ(handler_.asked().size(), 1U);
  handler_.answers["POST /messages"] = handler_.refusal(400, "no good");
  const auto refused = ask({"import", file("id,status\n1,queued\n2,queued\n")});
  EXPECT_EQ(refused.code, ExitCode::failed);
  EXPECT_THAT(refused.out, HasSubstr("line 3 (id 2): no good\n"));
  EXPECT_EQ(ask({"import", folder_ / "nowhere"}).code, ExitCode::usage);
  EXPECT_EQ(ask({"import", file("id\n"), "--delimiter", ",,"}).code, ExitCode::usage);
}

}  // namespace
}  // namespace eilbote::test::cli_import_test
