// What an SMTP reply means for the mail, its recipients and the route: one table, in smtp_judge.cpp. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "domain/names.h"
#include "domain/smtp_reply.h"

namespace eilbote {

enum class SmtpStage { banner, ehlo, helo, starttls, auth, mail, rcpt, data, dot, rset };
inline constexpr auto kSmtpStageNames = enum_names<SmtpStage>({{SmtpStage::banner, "banner"},
                                                               {SmtpStage::ehlo, "EHLO"},
                                                               {SmtpStage::helo, "HELO"},
                                                               {SmtpStage::starttls, "STARTTLS"},
                                                               {SmtpStage::auth, "AUTH"},
                                                               {SmtpStage::mail, "MAIL"},
                                                               {SmtpStage::rcpt, "RCPT"},
                                                               {SmtpStage::data, "DATA"},
                                                               {SmtpStage::dot, "the final dot"},
                                                               {SmtpStage::rset, "RSET"}});
static_assert(kSmtpStageNames.complete());

enum class SmtpAction {
  go_on,             // the reply one hopes for
  use_helo,          // the server is older than EHLO
  drop_parameters,   // MAIL once more, without SIZE, BODY and SMTPUTF8 where that is legal
  split_recipients,  // this recipient and the following in a transaction of their own, now; no failure
  fail,              // `verdict` says how
};

struct SmtpSituation {
  bool needs_extensions = false;    // TLS or AUTH is required, so HELO will not do
  bool has_parameters = false;      // MAIL carried some
  bool is_first_recipient = false;  // of this transaction
};

struct SmtpJudgement {
  SmtpAction action = SmtpAction::fail;
  Verdict verdict = Verdict::transient;
  bool close = false;                   // the connection must not be used again
  bool alarm = false;                   // a person should look at the route or the sender
  std::optional<Duration> retry_after;  // not before
};

// A permanent verdict at RCPT is this recipient's; at MAIL, DATA and the dot it is the message's.
SmtpJudgement judge(SmtpStage stage, const SmtpReply& reply, const SmtpSituation& situation);

// "try again in 5 minutes", "greylisted for 300 seconds": between a minute and an hour.
std::optional<Duration> retry_hint(std::string_view text);

}  // namespace eilbote
