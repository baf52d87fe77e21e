// Why a mail did not get through, by what servers of all kinds have said, and how that is shown to clients.
#include "domain/smtp_reasons.h"

#include <gtest/gtest.h>

#include <set>

#include "api/message_json.h"
#include "domain/smtp_judge.h"
#include "domain/smtp_words.h"

namespace eilbote::test::smtp_reasons_test {
namespace {

struct Case {
  const char* said;
  const char* want;  // empty: no reason
};

const Case kReplies[] = {
    {"550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"550-5.1.1 The email account that you tried to reach does not exist.", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"550 No such user here", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"550 5.7.1 unknown user", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"553 5.1.3 not an address", "SMTP_5XX_BAD_ADDRESS"},
    {"550 5.1.2 bad destination system", "SMTP_5XX_DOMAIN_UNKNOWN"},
    {"550 5.2.1 The email account is disabled", "SMTP_5XX_MAILBOX_DISABLED"},
    {"550 account suspended", "SMTP_5XX_MAILBOX_DISABLED"},
    {"552 5.2.2 over quota", "SMTP_MAILBOX_FULL"},
    {"452 4.2.2 mailbox full", "SMTP_MAILBOX_FULL"},
    {"550 user is over quota", "SMTP_MAILBOX_FULL"},
    {"554 5.7.1 <a@b.example>: Relay access denied", "SMTP_5XX_RELAY_DENIED"},
    {"550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "SMTP_5XX_RELAY_DENIED"},
    {"550 relay not permitted", "SMTP_5XX_RELAY_DENIED"},
    {"553 5.1.8 <x@nowhere>: Sender address rejected: Domain not found", "SMTP_5XX_SENDER_REFUSED"},
    {"550 5.7.60 SMTP; Client does not have permissions to send as this sender", "SMTP_5XX_SENDER_REFUSED"},
    {"550 5.7.26 Unauthenticated email from example.org is not accepted", "SMTP_5XX_AUTHENTICATION_POLICY"},
    {"550 5.7.23 SPF validation failed", "SMTP_5XX_AUTHENTICATION_POLICY"},
    {"550 5.7.509 Access denied, sending domain does not pass DMARC verification",
     "SMTP_5XX_AUTHENTICATION_POLICY"},
    {"550 rejected by DMARC policy", "SMTP_5XX_AUTHENTICATION_POLICY"},
    {"554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
     "SMTP_5XX_BLOCKED"},
    {"550 5.7.606 Access denied, banned sending IP", "SMTP_5XX_BLOCKED"},
    {"554 5.7.1 message looks like spam", "SMTP_5XX_CONTENT_REFUSED"},
    {"554 5.6.0 corrupt message content", "SMTP_5XX_CONTENT_REFUSED"},
    {"552 5.3.4 the message has 2 bytes, the relay takes 1", "SMTP_5XX_MESSAGE_TOO_LARGE"},
    {"552 too much", "SMTP_5XX_MESSAGE_TOO_LARGE"},
    {"550 5.7.1 not allowed here", "SMTP_5XX_POLICY"},
    {"550 5.7.28 too much mail", "SMTP_5XX_POLICY"},
    {"554 no", "SMTP_5XX_REFUSED"},
    {"550 4.7.1 the code decides", "SMTP_5XX_POLICY"},
    {"450 4.7.1 come back", "SMTP_4XX_GREYLISTED"},
    {"451 Greylisted, try again in 5 minutes", "SMTP_4XX_GREYLISTED"},
    {"421 4.7.28 unusual rate of mail", "SMTP_4XX_THROTTLED"},
    {"450 4.2.1 The user is receiving mail at a rate that is too fast", "SMTP_4XX_THROTTLED"},
    {"452 4.3.1 Insufficient system storage", "SMTP_4XX_SERVER_BUSY"},
    {"421 closing", "SMTP_4XX_SERVER_BUSY"},
    {"451 4.1.8 later", "SMTP_4XX_LATER"},
    {"450", "SMTP_4XX_LATER"},
    {"535 5.7.8 wrong password", "SMTP_535"},
    {"530 5.7.0 login first", "SMTP_530"},
    {"250 2.0.0 Ok: queued as 4Xyz", ""},
    {"accepted by Microsoft Graph", ""},
    {"the connection was lost: 550 bytes were sent, at 5.1.1", ""},
    {"5500 no", ""},
    {"5.1.1.1 no", ""},
    {"", ""},
    {"   ", ""},
    {";;--", ""},
};

const Case kBounces[] = {
    {"5.1.1 smtp; 550 5.1.1 user unknown", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"5.1.351 Remote server returned unknown recipient", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"5.4.312 smtp;550 5.4.312 Message expired, DNS query failed", "SMTP_5XX_DOMAIN_UNKNOWN"},
    {"5.4.310", "SMTP_5XX_DOMAIN_UNKNOWN"},
    {"5.4.316 Message expired, connection refused", "SMTP_DELIVERY_EXPIRED"},
    {"4.4.7 delivery time expired", "SMTP_DELIVERY_EXPIRED"},
    {"4.4.1 smtp; 450 4.7.1 greylisted", "SMTP_DELIVERY_EXPIRED"},
    {"451 4.7.1 greylisted", "SMTP_DELIVERY_EXPIRED"},
    {"4.2.2 mailbox full", "SMTP_MAILBOX_FULL"},
    {"5.2.2 over quota", "SMTP_MAILBOX_FULL"},
    {"5.0.0 smtp; 550 no such user", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"5.0.0", "SMTP_5XX_REFUSED"},
    {"550 (#5.1.1): no", "SMTP_5XX_MAILBOX_UNKNOWN"},
    {"message trace: failed", ""},
    {"", ""},
};

TEST(SmtpReasons, of_replies) {
  for (const Case& c : kReplies)
    EXPECT_EQ(reason_of_reply(c.said).value_or(DeliveryReason{}).code, c.want) << c.said;
}

TEST(SmtpReasons, of_bounces) {
  for (const Case& c : kBounces)
    EXPECT_EQ(reason_of_bounce(c.said).value_or(DeliveryReason{}).code, c.want) << c.said;
}

TEST(SmtpReasons, every_reason_of_the_table_can_be_given_and_says_what_to_do) {
  std::set<std::string> given;
  for (const Case& c : kReplies)
    given.insert(c.want);
  for (const Case& c : kBounces)
    given.insert(c.want);
  for (const DeliveryAdvice& row : delivery_advice_table()) {
    if (row.group != CodeGroup::reason) continue;
    EXPECT_TRUE(given.contains(std::string(row.code))) << row.code;
    ASSERT_TRUE(row.verdict) << row.code;
    EXPECT_FALSE(row.meaning.empty() || row.what_to_do.empty()) << row.code;
    const auto reason = reason_of_code(row.code, Verdict::uncertain);
    ASSERT_TRUE(reason);
    EXPECT_EQ(reason->verdict, *row.verdict) << "the table's own class";
  }
}

// A reason must not promise what the judge does not do: what is for good to the one is so to the other.
TEST(SmtpReasons, agree_with_the_judge_about_what_is_for_good) {
  for (const Case& c : kReplies) {
    const auto reason = reason_of_reply(c.said);
    if (!reason || reason->verdict == Verdict::configuration) continue;
    SmtpReplyReader reader;
    std::string line = std::string(c.said) + "\r\n";
    if (line[3] == '-') line[3] = ' ';
    std::string_view rest = line;
    ASSERT_EQ(reader.read(rest), SmtpReplyReader::Step::complete) << c.said;
    const Verdict verdict = judge(SmtpStage::rcpt, reader.take(), {false, false, true}).verdict;
    const bool is_full = reason->code == code::smtp_mailbox_full,
               is_blocked = reason->code == code::smtp_blocked;
    if (!is_full &&
        !is_blocked) {  // those two are waited for whatever the code says, where the judge can tell
      EXPECT_EQ(reason->verdict == Verdict::permanent, verdict == Verdict::permanent) << c.said;
    }
  }
}

TEST(SmtpReasons, of_other_codes_are_their_advice) {
  const auto lost = reason_of_code(code::smtp_connect, Verdict::route_fault);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->code, "SMTP_CONNECT");
  EXPECT_EQ(lost->verdict, Verdict::route_fault);
  EXPECT_EQ(lost->hint, delivery_advice("SMTP_CONNECT")->what_to_do);
  EXPECT_EQ(reason_of_code("SMTP_577", Verdict::permanent)->code, "SMTP_577");
  EXPECT_FALSE(reason_of_code("FOREIGN_CODE", Verdict::permanent));
  EXPECT_FALSE(reason_of_code("", Verdict::permanent));
}

// ---- as clients see it ----

namespace json = boost::json;

std::string reason_at(const json::object& message, std::size_t recipient) {
  const auto& row = message.at("details").at("recipients").at(recipient).as_object();
  return row.contains("reason") ? std::string(row.at("reason").at("code").as_string()) : "";
}

JobRecord failed_at_the_relay() {
  JobRecord record;
  record.job.status = JobStatus::failed;
  record.job.dead_reason = DeadReason::PermanentFailure;
  record.job.last_error = "550 5.1.1 no such user";
  record.last_failure.emplace();
  record.last_failure->code = smtp_code(550);
  record.last_failure->verdict = Verdict::permanent;
  record.last_failure->smtp_code = 550;
  record.last_failure->enhanced_code = "5.1.1";
  return record;
}

TEST(SmtpReasons, are_shown_with_each_recipient) {
  JobRecord record;
  record.job.status = JobStatus::sent;
  record.recipients = {
      {RecipientKind::to, "a@example.org", RecipientStatus::taken, "250 2.0.0 Ok"},
      {RecipientKind::to, "b@example.org", RecipientStatus::refused, "550 5.1.1 no"},
      {RecipientKind::to, "c@example.org", RecipientStatus::bounced, "4.4.7 smtp; 450 4.7.1 greylisted"},
      {RecipientKind::to, "d@example.org", RecipientStatus::waiting, "450 4.7.1 greylisted"},
      {RecipientKind::to, "e@example.org", RecipientStatus::waiting, ""},
      {RecipientKind::to, "f@example.org", RecipientStatus::suppressed, "suppressed: it bounced"},
      {RecipientKind::to, "g@example.org", RecipientStatus::bounced, "message trace: failed"},
      {RecipientKind::to, "h@example.org", RecipientStatus::delivered, "5.0.0 odd"},
  };
  const json::object shown = message_json(record);
  const char* want[] = {"",
                        "SMTP_5XX_MAILBOX_UNKNOWN",
                        "SMTP_DELIVERY_EXPIRED",
                        "SMTP_4XX_GREYLISTED",
                        "",
                        "SUPPRESSED",
                        "BOUNCED",
                        ""};
  for (std::size_t i = 0; i < std::size(want); ++i)
    EXPECT_EQ(reason_at(shown, i), want[i]) << i;
  const json::object& reason = shown.at("details").at("recipients").at(1).at("reason").as_object();
  EXPECT_EQ(reason.at("class"), "permanent");
  EXPECT_EQ(reason.at("message"), json::string(delivery_advice(code::smtp_mailbox_unknown)->meaning));
  EXPECT_EQ(reason.at("hint"), json::string(delivery_advice(code::smtp_mailbox_unknown)->what_to_do));
}

TEST(SmtpReasons, are_shown_with_the_last_error_beside_what_was_there) {
  JobRecord record = failed_at_the_relay();
  const json::object error = message_json(record).at("details").at("lastError").as_object();
  EXPECT_EQ(error.at("code"), "SMTP_550");
  EXPECT_EQ(error.at("smtpCode"), 550);
  EXPECT_EQ(error.at("message"), "550 5.1.1 no such user");
  EXPECT_EQ(error.at("reason").at("code"), "SMTP_5XX_MAILBOX_UNKNOWN");

  record.last_failure->code = code::smtp_connect;
  record.last_failure->smtp_code = 0;
  record.last_failure->verdict = Verdict::route_fault;
  record.job.last_error = "550 bytes were not sent";
  const json::object lost = message_json(record).at("details").at("lastError").as_object();
  EXPECT_EQ(lost.at("reason").at("code"), "SMTP_CONNECT");
  EXPECT_EQ(lost.at("reason").at("class"), "route_fault");

  record.last_failure.reset();
  record.job.dead_reason = DeadReason::Expired;
  EXPECT_FALSE(message_json(record).at("details").at("lastError").as_object().contains("reason"));
}

TEST(SmtpReasons, of_a_bounced_mail_are_the_bounces) {
  JobRecord record = failed_at_the_relay();  // an attempt before the one that worked
  record.job.status = JobStatus::sent;
  record.job.dead_reason.reset();
  record.job.report = Report::bounced;
  record.job.last_error = "5.2.1 smtp; 550 5.2.1 mailbox disabled";
  EXPECT_EQ(message_json(record).at("details").at("lastError").at("reason").at("code"),
            "SMTP_5XX_MAILBOX_DISABLED");
}

}  // namespace
}  // namespace eilbote::test::smtp_reasons_test
