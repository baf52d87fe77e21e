// eilbote dsn: what it takes from standard input, what it asks the server, what it prints, and the exit codes that tell a mail
// server whether to keep the bounce.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sysexits.h>

#include <boost/json.hpp>
#include <iostream>
#include <sstream>

#include "domain/dsn.h"
#include "support/cli_fixture.h"

namespace eilbote::test::cli_dsn_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRequest = "POST /webhooks/dsn";
constexpr const char* kBounce =
    "Message-ID: <own@x>\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n"
    "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n"
    "Final-Recipient: rfc822;ada@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b--\r\n";

class CliDsn : public CliFixture {
 protected:
  ~CliDsn() override {
    std::cin.rdbuf(before_);
    std::cin.clear();
  }
  void pipe(const std::string& bytes) {
    input_.str(bytes);
    std::cin.rdbuf(input_.rdbuf());
    std::cin.clear();
  }
  // What a mail server sees when `kBounce` is piped and the server answers so.
  CliOutcome piped(int status, const std::string& answer) {
    handler_.answers[kRequest] = {status, "application/json", {}, answer};
    pipe(kBounce);
    return ask({"dsn"});
  }

 private:
  std::istringstream input_;
  std::streambuf* const before_ = std::cin.rdbuf();
};

TEST_F(CliDsn, posts_the_bytes_as_they_are_and_says_what_became_of_them) {
  const auto done = piped(
      200, R"({"outcome":"changed","messageId":"0HZX3T8Q6N2VB","from":"SENT","to":"BOUNCED","kind":"report",)"
           R"("recipients":[{"address":"ada@example.org","action":"failed","status":"5.1.1"}]})");
  EXPECT_EQ(done.code, ExitCode::ok) << done.err;
  EXPECT_EQ(done.out, "changed: 0HZX3T8Q6N2VB SENT -> BOUNCED (report)\n  ada@example.org failed 5.1.1\n");
  EXPECT_EQ(handler_.last().body, kBounce);
  EXPECT_EQ(handler_.last().header("Content-Type"), "message/rfc822");
}

TEST_F(CliDsn, a_bounce_of_no_mail_of_ours_is_done_with) {
  const auto done = piped(200, R"({"outcome":"unmatched","kind":"other","recipients":[]})");
  EXPECT_EQ(done.code, ExitCode::ok);
  EXPECT_EQ(done.out, "unmatched (other)\n");
}

TEST_F(CliDsn, the_exit_code_tells_a_mail_server_whether_to_keep_it) {
  struct Case {
    int status, code;
  };
  for (const auto& [status, code] :
       {Case{400, EX_DATAERR}, Case{413, EX_DATAERR}, Case{415, EX_DATAERR}, Case{401, EX_TEMPFAIL},
        Case{403, EX_TEMPFAIL}, Case{404, EX_TEMPFAIL}, Case{429, EX_TEMPFAIL}, Case{500, EX_TEMPFAIL},
        Case{503, EX_TEMPFAIL}}) {
    const auto refused = piped(status, R"({"detail":"not now"})");
    EXPECT_EQ(static_cast<int>(refused.code), code) << status;
    EXPECT_THAT(refused.err, HasSubstr("bounce: not now")) << status;
    EXPECT_THAT(refused.out, IsEmpty()) << status;
  }
}

TEST_F(CliDsn, a_server_that_is_away_means_later) {
  server_->stop();
  pipe(kBounce);
  const auto away = ask({"dsn"});
  EXPECT_EQ(static_cast<int>(away.code), EX_TEMPFAIL);
  EXPECT_THAT(away.err, HasSubstr("is the server running?"));
}

TEST_F(CliDsn, explain_asks_no_server) {
  pipe(kBounce);
  const auto explained = ask({"dsn", "--explain"});
  EXPECT_EQ(explained.code, ExitCode::ok) << explained.err;
  EXPECT_EQ(explained.out, explain(read_dsn(kBounce)) + "\n");
  const auto json = boost::json::parse(explained.out);
  EXPECT_EQ(json.at_pointer("/recipients/0/address").as_string(), "ada@example.org");
  EXPECT_EQ(json.at_pointer("/kind").as_string(), "report");
  EXPECT_THAT(handler_.asked(), IsEmpty());
}

TEST_F(CliDsn, nothing_on_standard_input_is_told) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"dsn"}, {"dsn", "--explain"}}) {
    pipe("");
    const auto empty = ask(words);
    EXPECT_EQ(static_cast<int>(empty.code), EX_DATAERR);
    EXPECT_THAT(empty.err, HasSubstr("no message on standard input"));
  }
  EXPECT_THAT(handler_.asked(), IsEmpty());
}

TEST_F(CliDsn, what_is_beyond_the_limit_stays_behind) {
  handler_.answers[kRequest] = {200, "application/json", {}, R"({"outcome":"unmatched"})"};
  pipe(kBounce + std::string(kDsnBytesMax, 'x'));
  EXPECT_EQ(ask({"dsn"}).code, ExitCode::ok);
  EXPECT_EQ(handler_.last().body.size(), kDsnBytesMax);
  EXPECT_TRUE(handler_.last().body.starts_with(kBounce));
  EXPECT_EQ(std::cin.peek(), std::char_traits<char>::eof());
}

}  // namespace
}  // namespace eilbote::test::cli_dsn_test
