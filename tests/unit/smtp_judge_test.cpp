// The table of replies: what each means at its stage. Every line names what a server really says.
#include "domain/smtp_judge.h"

#include <gtest/gtest.h>

#include "support/smtp_reply_of.h"

namespace eilbote::smtp_judge_test {
namespace {

using test::reply_of;

using namespace std::chrono_literals;
using enum SmtpStage;

// How a judgement reads: "fail transient 300s close alarm".
std::string said(const SmtpJudgement& judgement) {
  std::string text;
  switch (judgement.action) {
    case SmtpAction::go_on:
      return "go on";
    case SmtpAction::use_helo:
      return "use HELO";
    case SmtpAction::drop_parameters:
      return "drop parameters";
    case SmtpAction::split_recipients:
      return "split";
    case SmtpAction::fail:
      text = kVerdictNames.text(judgement.verdict);
  }
  if (judgement.retry_after)
    text += " " +
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*judgement.retry_after).count()) +
            "s";
  if (judgement.close) text += " close";
  if (judgement.alarm) text += " alarm";
  return text;
}

struct Case {
  SmtpStage stage;
  std::string reply;
  std::string expected;
};

const std::vector<Case> kCases{
    {banner, "220 relay ready", "go on"},
    {banner, "421 4.3.2 too busy", "route_fault close"},
    {banner, "450 not now", "route_fault close"},
    {banner, "554 No SMTP service here", "route_fault close alarm"},
    {banner, "250 hello?", "route_fault close"},
    {ehlo, "250 relay", "go on"},
    {ehlo, "421 bye", "route_fault close"},
    {ehlo, "451 later", "route_fault close"},
    {ehlo, "502 not implemented", "use HELO"},
    {helo, "250 relay", "go on"},
    {helo, "550 go away", "route_fault close"},
    {starttls, "220 ready", "go on"},
    {starttls, "454 4.7.0 TLS not available", "route_fault close"},
    {starttls, "502 what?", "configuration close alarm"},
    {auth, "235 2.7.0 welcome", "go on"},
    {auth, "334 VXNlcm5hbWU6", "go on"},
    {auth, "535 5.7.8 bad credentials", "configuration close alarm"},
    {auth, "534 5.7.9 mechanism too weak", "configuration close alarm"},
    {auth, "538 5.7.11 encryption required", "configuration close alarm"},
    {auth, "454 4.7.0 temporary failure", "route_fault close"},
    {auth, "432 4.7.12 password transition", "route_fault close"},
    {auth, "421 4.7.0 too many failures", "route_fault close"},
    {mail, "250 2.1.0 ok", "go on"},
    {mail, "530 5.7.0 authentication required", "configuration close alarm"},
    {mail, "550 5.7.57 Client not authenticated to send mail", "configuration close alarm"},
    {mail, "552 5.3.4 message too big", "permanent"},
    {mail, "554 5.3.4 message too big", "permanent"},
    {mail, "550 5.7.60 SendAsDenied", "permanent alarm"},
    {mail, "553 5.1.8 sender domain does not exist", "permanent alarm"},
    {mail, "553 5.1.7 bad sender", "permanent alarm"},
    {mail, "550 no", "permanent"},
    {mail, "451 4.3.0 local error", "transient"},
    {mail, "451 4.7.500 Server busy, slow down", "deferred 60s"},
    {mail, "452 4.5.3 too many messages", "deferred 60s"},
    {mail, "450 4.7.1 rate limit exceeded, try again in 10 minutes", "deferred 600s"},
    {mail, "451 a moderate and generated delay", "transient"},
    {mail, "503 5.5.1 nested MAIL", "transient close"},
    {mail, "354 go on", "transient close"},
    {rcpt, "250 2.1.5 ok", "go on"},
    {rcpt, "251 will forward", "go on"},
    {rcpt, "252 cannot verify", "go on"},
    {rcpt, "550 5.1.1 user unknown", "permanent"},
    {rcpt, "551 5.1.6 moved", "permanent"},
    {rcpt, "550 no such user", "permanent"},
    {rcpt, "550 5.7.1 relaying denied", "permanent alarm"},
    {rcpt, "554 5.7.1 policy", "permanent alarm"},
    {rcpt, "552 5.2.2 mailbox full", "transient 14400s"},
    {rcpt, "452 4.2.2 over quota", "transient 14400s"},
    {rcpt, "552 mailbox full", "transient 14400s"},
    {rcpt, "450 4.7.1 Greylisted, see http://postgrey.example", "transient 300s"},
    {rcpt, "451 4.7.1 Greylisting in action, please come back in 30 minutes, again", "transient 1800s"},
    {rcpt, "450 greylisted for 60 seconds", "transient 300s"},
    {rcpt, "450 4.2.1 mailbox busy", "transient"},
    {rcpt, "451 4.3.5 try again in 120 seconds", "transient 120s"},
    {rcpt, "452 4.3.1 insufficient storage", "transient"},
    {rcpt, "421 4.7.0 closing", "route_fault close"},
    {rcpt, "550 5.7.1 blocked using zen.spamhaus.org", "deferred 1800s close alarm"},
    {rcpt, "550 5.7.606 Access denied, banned sending IP", "deferred 1800s close alarm"},
    {rcpt, "550 4.7.1 the code's class wins", "permanent alarm"},
    {rcpt, "450 5.1.1 the code's class wins", "transient"},
    {rcpt, "199 what", "transient close"},
    {rcpt, "650 what", "transient close"},
    {data, "354 end with a dot", "go on"},
    {data, "250 thanks already", "transient close"},
    {data, "451 4.3.0 no", "transient"},
    {data, "554 5.5.1 no valid recipients", "permanent"},
    {dot, "250 2.0.0 Ok: queued as 4Xyz", "go on"},
    {dot, "251 fine", "go on"},
    {dot, "451 4.3.0 later", "transient"},
    {dot, "451 4.7.1 greylisted", "transient 300s"},
    {dot, "550 5.7.1 looks like spam", "permanent"},
    {dot, "554 5.6.0 bad content", "permanent"},
    {dot, "552 5.3.4 too big", "permanent"},
    {dot, "421 4.4.2 timeout", "route_fault close"},
    {rset, "250 ok", "go on"},
    {rset, "500 what?", "transient close"},
};

TEST(SmtpJudge, ReadsLikeTheTable) {
  for (const Case& one : kCases)
    EXPECT_EQ(said(judge(one.stage, reply_of(one.reply), {.is_first_recipient = true})), one.expected)
        << kSmtpStageNames.text(one.stage) << ": " << one.reply;
}

TEST(SmtpJudge, WithoutHeloWhereTlsOrAuthIsRequired) {
  EXPECT_EQ(said(judge(ehlo, reply_of("502 no"), {.needs_extensions = true})), "configuration close alarm");
}

TEST(SmtpJudge, ParametersAreDroppedOnlyWhenThereAreSome) {
  for (const std::string code : {"501", "504", "555"}) {
    EXPECT_EQ(said(judge(mail, reply_of(code + " parameter"), {.has_parameters = true})), "drop parameters");
    EXPECT_EQ(said(judge(mail, reply_of(code + " parameter"), {.has_parameters = false})), "permanent");
  }
}

TEST(SmtpJudge, TooManyRecipientsAreSplitButNotTheFirst) {
  for (const std::string reply : {"452 4.5.3 too many recipients", "552 5.5.3 too many recipients",
                                  "452 too many", "552 too many recipients"})
    EXPECT_EQ(said(judge(rcpt, reply_of(reply), {.is_first_recipient = false})), "split") << reply;
  EXPECT_EQ(said(judge(rcpt, reply_of("452 4.5.3 too many"), {.is_first_recipient = true})), "transient");
  EXPECT_EQ(said(judge(rcpt, reply_of("552 5.5.3 too many"), {.is_first_recipient = true})), "transient");
  EXPECT_EQ(said(judge(rcpt, reply_of("552 no"), {.is_first_recipient = true})), "permanent");
  EXPECT_EQ(said(judge(rcpt, reply_of("552 5.2.2 full"), {.is_first_recipient = false})), "transient 14400s");
}

TEST(SmtpRetryHint, IsReadInSecondsMinutesAndHoursAndKeptInBounds) {
  EXPECT_EQ(retry_hint("Please try again in 5 minutes"), 5min);
  EXPECT_EQ(retry_hint("retry in 300 seconds"), 300s);
  EXPECT_EQ(retry_hint("greylisted, wait 300s or 2 hours"), 1h) << "a bare s is no unit";
  EXPECT_EQ(retry_hint("try again in 5 seconds"), 60s);
  EXPECT_EQ(retry_hint("try again in 12 hours"), 1h);
  EXPECT_EQ(retry_hint("try again later"), std::nullopt);
  EXPECT_EQ(retry_hint("your mail took 5 minutes"), std::nullopt);
  EXPECT_EQ(retry_hint("wait 99999999999999999999 seconds"), std::nullopt);
}

// Whatever a server may send, there is an answer, and only success is called success.
TEST(SmtpJudge, EveryCodeAtEveryStageHasAnAnswer) {
  for (int stage = 0; stage <= static_cast<int>(rset); ++stage)
    for (int code = 0; code < 1000; ++code) {
      const SmtpReply reply{code, "", {""}};
      const SmtpJudgement judgement = judge(static_cast<SmtpStage>(stage), reply, {});
      if (judgement.action == SmtpAction::go_on) {
        EXPECT_TRUE((code >= 200 && code < 300) || code == 334 || code == 354) << stage << " " << code;
      }
      EXPECT_NE(judgement.verdict, Verdict::delivered);
    }
}

}  // namespace
}  // namespace eilbote::smtp_judge_test
