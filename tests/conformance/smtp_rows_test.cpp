// What a relay may answer, row by row: what becomes of the mail, of each recipient and of the route, when it is tried again,
// and how loud the log is. The numbers keep them in order: first the route, then the message and its recipients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/public_state.h"
#include "support/scripted_smtp.h"
#include "support/smtp_world.h"

namespace eilbote::test::smtp_rows_test {
namespace {

using namespace std::chrono_literals;

// What one attempt must come to. Recipients as a letter each: T taken, R refused, W waiting.
struct Expected {
  const char* state;
  const char* recipients;
  std::chrono::seconds again{};  // 0: not tried again
  bool burns = true;             // counts against the attempts
  bool opens = false;            // the breaker
  const char* loudest = "info";
};

struct Row {
  const char* name;
  std::map<std::string, std::vector<std::string>> replies;
  Expected expected;
  std::vector<std::string> to{"ann@example.org"};
  std::function<void(SmtpWorld::Options&)> with{};
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

constexpr auto kMinute = 60s;
const std::vector<std::string> kThree{"ann@example.org", "bob@example.org", "eve@example.org"};

void login(SmtpWorld::Options& options) {
  options.smtp.target.user = "me";
  options.smtp.secret_ref = "env://PATH";  // any secret will do: the relay decides
}
void no_retry(SmtpWorld::Options& options) {
  options.smtp.connect_retries.clear();
}
void short_timeouts(SmtpWorld::Options& options) {
  no_retry(options);
  options.smtp.timeouts.command = options.smtp.timeouts.dot = options.smtp.timeouts.banner = 300ms;
}
void must_encrypt(SmtpWorld::Options& options) {
  options.smtp.target.tls = SmtpTls::required;
}

const char* const kOffersLogin = "250-relay.example.org\r\n250-PIPELINING\r\n250 AUTH PLAIN";

// Rows about the route.
const std::vector<Row> kRouteRows{
    {"r06_banner_220", {}, {"SENT", "T"}},
    {"r07_banner_4xx", {{"BANNER", {"450 busy"}}}, {"RETRY_PENDING", "W", kMinute, true, true, "error"}},
    {"r07_banner_421",
     {{"BANNER", {"421 too many connections"}}},
     {"RETRY_PENDING", "W", kMinute, true, true, "error"}},
    {"r08_banner_5xx",
     {{"BANNER", {"554 no SMTP service here"}}},
     {"RETRY_PENDING", "W", kMinute, true, true, "error"}},
    {"r09_banner_garbage",
     {{"BANNER", {"HTTP/1.1 400 Bad Request"}}},
     {"RETRY_PENDING", "W", kMinute, true, true, "error"}},
    {"r09_reply_garbage",
     {{"MAIL", {"\x01\x02\x03 what"}}},
     {"RETRY_PENDING", "W", kMinute, true, true, "error"},
     {"ann@example.org"},
     no_retry},
    {"r10_ehlo_unknown", {{"EHLO", {"502 what?"}}}, {"SENT", "T"}},
    {"r10_ehlo_unknown_but_needed",
     {{"EHLO", {"502 what?"}}},
     {"RETRY_PENDING", "W", 300s, false, true, "error"},
     {"ann@example.org"},
     must_encrypt},
    {"r11_no_starttls",
     {},
     {"RETRY_PENDING", "W", 300s, false, true, "error"},
     {"ann@example.org"},
     must_encrypt},
    {"r12_starttls_454",
     {{"EHLO", {"250-relay.example.org\r\n250 STARTTLS"}}, {"STARTTLS", {"454 not now"}}},
     {"RETRY_PENDING", "W", kMinute, true, true, "error"},
     {"ann@example.org"},
     must_encrypt},
    {"r14_auth_535",
     {{"EHLO", {kOffersLogin}}, {"AUTH", {"535 5.7.8 no"}}},
     {"RETRY_PENDING", "W", 300s, false, true, "error"},
     {"ann@example.org"},
     login},
    {"r14_auth_534",
     {{"EHLO", {kOffersLogin}}, {"AUTH", {"534 5.7.9 stronger please"}}},
     {"RETRY_PENDING", "W", 300s, false, true, "error"},
     {"ann@example.org"},
     login},
    {"r14_auth_closed",
     {{"EHLO", {kOffersLogin}}, {"AUTH", {"close"}}},
     {"RETRY_PENDING", "W", 300s, false, true, "error"},
     {"ann@example.org"},
     login},
    {"r14_auth_535_fail_at_once",
     {{"EHLO", {kOffersLogin}}, {"AUTH", {"535 5.7.8 no"}}},
     {"FAILED", "R", 0s, true, false, "error"},
     {"ann@example.org"},
     [](SmtpWorld::Options& o) {
       login(o);
       o.smtp.auth_failure = SmtpAuthFailure::fail;
     }},
    {"r15_auth_454",
     {{"EHLO", {kOffersLogin}}, {"AUTH", {"454 4.7.0 later"}}},
     {"RETRY_PENDING", "W", kMinute, true, true, "error"},
     {"ann@example.org"},
     login},
    {"r15_auth_421",
     {{"EHLO", {kOffersLogin}}, {"AUTH", {"421 4.7.0 later"}}},
     {"RETRY_PENDING", "W", kMinute, true, true, "error"},
     {"ann@example.org"},
     login},
    {"r16_auth_not_offered",
     {},
     {"RETRY_PENDING", "W", 300s, false, true, "error"},
     {"ann@example.org"},
     login},
};

// Rows about the message and its recipients.
const std::vector<Row> kMessageRows{
    {"r17_mail_530",
     {{"MAIL", {"530 5.7.0 authenticate first"}}},
     {"RETRY_PENDING", "W", 300s, false, true, "error"}},
    {"r17_mail_5757",
     {{"MAIL", {"550 5.7.57 client was not authenticated"}}},
     {"RETRY_PENDING", "W", 300s, false, true, "error"}},
    {"r18_too_big_known",
     {{"EHLO", {"250-relay\r\n250 SIZE 10"}}},
     {"FAILED", "R", 0s, true, false, "warning"}},
    {"r18_too_big_said", {{"MAIL", {"552 5.3.4 too big"}}}, {"FAILED", "R", 0s, true, false, "warning"}},
    {"r19_sender_refused",
     {{"MAIL", {"550 5.7.60 not allowed to send as this sender"}}},
     {"FAILED", "R", 0s, true, false, "error"}},
    {"r19_sender_unknown", {{"MAIL", {"553 5.1.8 bad sender"}}}, {"FAILED", "R", 0s, true, false, "error"}},
    {"r20_mail_4xx", {{"MAIL", {"451 4.3.0 local error"}}}, {"RETRY_PENDING", "W", kMinute}},
    {"r20_mail_rate",
     {{"MAIL", {"450 4.7.1 sending rate exceeded"}}},
     {"RETRY_PENDING", "W", kMinute, false}},
    {"r21_parameters_dropped", {{"MAIL", {"555 no parameters", "250 ok"}}}, {"SENT", "T"}},
    {"r21_refused_without_too",
     {{"MAIL", {"501 bad", "501 bad"}}},
     {"FAILED", "R", 0s, true, false, "warning"}},
    {"r22_rcpt_251", {{"RCPT", {"251 will forward"}}}, {"SENT", "T"}},
    {"r22_rcpt_252", {{"RCPT", {"252 cannot verify"}}}, {"SENT", "T"}},
    {"r23_unknown_user", {{"RCPT", {"550 5.1.1 no such user"}}}, {"FAILED", "R", 0s, true, false, "warning"}},
    {"r24_bare_550", {{"RCPT", {"550 no"}}}, {"FAILED", "R", 0s, true, false, "warning"}},
    {"r25_policy", {{"RCPT", {"554 5.7.1 relay access denied"}}}, {"FAILED", "R", 0s, true, false, "error"}},
    {"r26_mailbox_full_552", {{"RCPT", {"552 5.2.2 mailbox full"}}}, {"RETRY_PENDING", "W", 4h}},
    {"r26_mailbox_full_452", {{"RCPT", {"452 4.2.2 over quota"}}}, {"RETRY_PENDING", "W", 4h}},
    {"r27_split",
     {{"RCPT", {"250 ok", "452 4.5.3 too many", "452 4.5.3 too many", "250 ok"}}},
     {"SENT", "TTT"},
     kThree},
    {"r28_greylisted", {{"RCPT", {"450 4.7.1 greylisted"}}}, {"RETRY_PENDING", "W", 5min}},
    {"r28_greylisted_with_a_hint",
     {{"RCPT", {"451 4.7.1 greylisted, try again in 20 minutes"}}},
     {"RETRY_PENDING", "W", 20min}},
    {"r29_rcpt_452_4_3_1", {{"RCPT", {"452 4.3.1 disk full"}}}, {"RETRY_PENDING", "W", kMinute}},
    {"r29_rcpt_450", {{"RCPT", {"450 4.2.1 busy"}}}, {"RETRY_PENDING", "W", kMinute}},
    {"r30_421_keeps_answers",
     {{"RCPT", {"550 5.1.1 no", "250 ok", "421 4.3.2 shutting down"}}},
     {"RETRY_PENDING", "RWW", kMinute, true, true, "error"},
     kThree},
    {"r31_503", {{"RCPT", {"503 5.5.1 bad sequence"}}}, {"RETRY_PENDING", "W", kMinute}},
    {"r32_odd_code", {{"MAIL", {"399 what"}}}, {"RETRY_PENDING", "W", kMinute}},
    {"r33_data_250", {{"DATA", {"250 ok"}}}, {"RETRY_PENDING", "W", kMinute}},
    {"r34_nobody_left_but_354", {{"RCPT", {"550 5.1.1 no"}}}, {"FAILED", "R", 0s, true, false, "warning"}},
    {"r35_data_4xx",
     {{"RCPT", {"550 5.1.1 no", "250 ok"}}, {"DATA", {"451 4.3.0 later"}}},
     {"RETRY_PENDING", "RW", kMinute},
     {"ann@example.org", "bob@example.org"}},
    {"r35_data_5xx", {{"DATA", {"554 5.3.0 no"}}}, {"FAILED", "R", 0s, true, false, "warning"}},
    {"r36_lost_before_the_dot",
     {{"DATA", {"close"}}},
     {"RETRY_PENDING", "W", kMinute, true, true, "error"},
     {"ann@example.org"},
     no_retry},
    {"r37_dot_2xx", {{"DOT", {"251 fine"}}}, {"SENT", "T"}},
    {"r38_dot_4xx", {{"DOT", {"451 4.3.0 later"}}}, {"RETRY_PENDING", "W", kMinute}},
    {"r39_content_refused",
     {{"DOT", {"550 5.7.1 looks like spam"}}},
     {"FAILED", "R", 0s, true, false, "warning"}},
    {"r40_dot_closed", {{"DOT", {"close"}}}, {"RETRY_PENDING", "W", 10min}},
    {"r40_dot_silent",
     {{"DOT", {"silence"}}},
     {"RETRY_PENDING", "W", 10min},
     {"ann@example.org"},
     short_timeouts},
    {"r42_550_with_4_7_1", {{"RCPT", {"550 4.7.1 no"}}}, {"FAILED", "R", 0s, true, false, "error"}},
    {"r42_450_with_5_1_1", {{"RCPT", {"450 5.1.1 no"}}}, {"RETRY_PENDING", "W", kMinute}},
    {"r43_blocklisted",
     {{"RCPT", {"554 5.7.1 blocked using zen.spamhaus.org"}}},
     {"RETRY_PENDING", "W", 30min, false, false, "error"}},
    {"r44_bad_address", {}, {"FAILED", "R", 0s, true, false, "warning"}, {"not an address"}},
    {"mixed_250_450_550",
     {{"RCPT", {"250 ok", "450 4.2.1 busy", "550 5.1.1 no"}}},
     {"RETRY_PENDING", "TWR", kMinute},
     kThree},
};

class SmtpRows : public testing::TestWithParam<Row> {};

std::string letters(const std::vector<Recipient>& recipients) {
  std::string all;
  for (const Recipient& one : recipients)
    all += one.status == RecipientStatus::taken ? 'T' : one.status == RecipientStatus::refused ? 'R' : 'W';
  return all;
}

std::string loudest(const std::string& log) {
  for (const char* level : {"error", "warning", "info"})
    if (log.find(std::string("Z ") + level + " ") != std::string::npos) return level;
  return "info";
}

TEST_P(SmtpRows, BecomesWhatTheTableSays) {
  const Row& row = GetParam();
  const Expected& expected = row.expected;
  const ScriptedSmtp relay(SmtpScript{row.replies});
  SmtpWorld::Options options;
  options.smtp.target.tls = SmtpTls::off;
  if (row.with) row.with(options);
  testing::internal::CaptureStderr();
  JobRecord record;
  bool open = false;
  TimePoint now;
  {
    SmtpWorld world(relay.port(), options);
    const JobId id = world.accept(row.to);
    ASSERT_TRUE(world.settles(id, 1)) << testing::internal::GetCapturedStderr();
    record = world.record(id);
    open = world.breaker_is_open();
    now = world.now();
    const JobHistory history = world.history(id);
    ASSERT_EQ(history.attempts.size(), 1u);
    EXPECT_EQ(history.attempts[0].route, "smtp");
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(public_state_text(record.job), expected.state) << record.job.last_error;
  EXPECT_EQ(letters(record.recipients), expected.recipients) << record.job.last_error;
  if (expected.again > 0s) {
    EXPECT_EQ((record.job.next_attempt_at - now) / 1s, expected.again / 1s);
  }
  EXPECT_EQ(record.job.retry_count, expected.state != std::string("SENT") && expected.burns ? 1 : 0);
  EXPECT_EQ(open, expected.opens);
  EXPECT_EQ(loudest(log), expected.loudest) << log;
  EXPECT_THAT(log, testing::Not(testing::HasSubstr("@example.org"))) << "the log names nobody";
}

std::string name_of(const testing::TestParamInfo<Row>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(route, SmtpRows, testing::ValuesIn(kRouteRows), name_of);
INSTANTIATE_TEST_SUITE_P(message, SmtpRows, testing::ValuesIn(kMessageRows), name_of);

}  // namespace
}  // namespace eilbote::test::smtp_rows_test
