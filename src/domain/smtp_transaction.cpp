#include "domain/smtp_transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "domain/delivery_codes.h"

namespace eilbote {
namespace {

// RCPTs that leave together: their replies must fit into the buffers between the two ends, or both would wait.
constexpr std::size_t kTogetherMax = 100;

// check_mail has seen the address already; what could end the command early is refused here once more.
bool is_safe_in_a_command(const std::string& address) {
  return std::none_of(address.begin(), address.end(),
                      [](unsigned char c) { return c <= ' ' || c == 0x7F || c == '<' || c == '>'; });
}

SmtpReply local_reply(int code, std::string enhanced, std::string text) {
  return {code, std::move(enhanced), {std::move(text)}};
}

AttemptStatus status_of(Verdict verdict) {
  return verdict == Verdict::permanent || verdict == Verdict::configuration ? AttemptStatus::CLIENT_ERROR
                                                                            : AttemptStatus::SERVER_ERROR;
}

// The mail's name in the relay's log: "250 2.0.0 Ok: queued as 4Xyz" (Postfix), "250 OK id=1xSp20-00000A-1B" (Exim).
std::string queue_id(const SmtpReply& reply) {
  const std::string text = reply.text();
  for (const std::string_view words : {"queued as ", " id="}) {
    const std::size_t at = text.find(words);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + words.size();
    return text.substr(begin, text.find_first_of(" ;,)\t", begin) - begin);
  }
  return "";
}

}  // namespace

SmtpTransaction::SmtpTransaction(SmtpEnvelope envelope, const SmtpCapabilities& can)
    : envelope_(std::move(envelope)), can_(can) {
  EILBOTE_ASSERT(!envelope_.recipients.empty());
  for (const SmtpEnvelope::To& to : envelope_.recipients)
    recipients_.push_back({to});
  refuse_before_sending();
  if (has(Fate::open))
    begin(false);
  else
    step_ = Step::done;
}

// What cannot work is not tried: the server need not be bothered.
void SmtpTransaction::refuse_before_sending() {
  for (Recipient& recipient : recipients_) {
    if (is_safe_in_a_command(recipient.to.address) && !recipient.to.address.empty()) continue;
    recipient.fate = Fate::refused;
    recipient.reply = local_reply(553, "5.1.3", "not an address");
  }
  const SmtpJudgement refused{SmtpAction::fail, Verdict::permanent, false, false, std::nullopt};
  if (!is_safe_in_a_command(envelope_.sender))
    fail_message(local_reply(553, "5.1.7", "the sender is not an address"), refused);
  else if (can_.size_max > 0 && envelope_.bytes > can_.size_max)
    fail_message(local_reply(552, "5.3.4",
                             fmt::format("the message has {} bytes, the relay takes {}", envelope_.bytes,
                                         can_.size_max)),
                 refused);
  else if (envelope_.needs_utf8 && !can_.utf8)
    fail_message(local_reply(553, "5.6.7", "the relay takes no addresses beyond ASCII (SMTPUTF8)"), refused);
}

void SmtpTransaction::begin(bool with_reset) {
  turn_.clear();
  for (std::size_t i = 0; i < recipients_.size(); ++i) {
    if (recipients_[i].fate == Fate::split) recipients_[i].fate = Fate::open;
    if (recipients_[i].fate == Fate::open) turn_.push_back(i);
  }
  asked_ = 0;
  mail_said_ = data_said_ = dot_written_ = ignore_dot_ = false;
  if (with_reset) {
    commands_ += "RSET\r\n";
    expected_.push_back({SmtpStage::rset});
    step_ = Step::send;
    if (!can_.pipelining) return;
  }
  queue_commands();
}

void SmtpTransaction::queue_commands() {
  step_ = Step::send;
  if (!mail_said_) {
    mail_said_ = true;
    commands_ += fmt::format("MAIL FROM:<{}>", envelope_.sender);
    if (with_parameters_ && can_.has_size) commands_ += fmt::format(" SIZE={}", envelope_.bytes);
    if (envelope_.needs_utf8) commands_ += " SMTPUTF8";
    commands_ += "\r\n";
    expected_.push_back({SmtpStage::mail});
    if (!can_.pipelining) return;
  }
  for (std::size_t together = 0; asked_ < turn_.size(); ++asked_, ++together) {
    if (together == kTogetherMax || (together == 1 && !can_.pipelining)) return;
    commands_ += fmt::format("RCPT TO:<{}>\r\n", recipients_[turn_[asked_]].to.address);
    expected_.push_back({SmtpStage::rcpt, turn_[asked_]});
  }
  if (!can_.pipelining && !expected_.empty()) return;
  data_said_ = true;
  commands_ += "DATA\r\n";
  expected_.push_back({SmtpStage::data});
}

SmtpStage SmtpTransaction::awaited() const {
  EILBOTE_ASSERT(!expected_.empty());
  return expected_.front().stage;
}

std::string SmtpTransaction::take_commands() {
  if (step_ != Step::send) return "";
  step_ = Step::read;
  return std::exchange(commands_, {});
}

void SmtpTransaction::dot_written() {
  EILBOTE_ASSERT(step_ == Step::body || step_ == Step::lone_dot);
  ignore_dot_ = step_ == Step::lone_dot;
  dot_written_ = !ignore_dot_;
  expected_.push_back({SmtpStage::dot});
  step_ = Step::read;
}

void SmtpTransaction::on_reply(const SmtpReply& reply) {
  EILBOTE_ASSERT(step_ == Step::read && !expected_.empty());
  const Expected expected = expected_.front();
  expected_.pop_front();
  SmtpSituation situation;
  situation.has_parameters = with_parameters_ && can_.has_size;
  situation.is_first_recipient = !turn_.empty() && expected.recipient == turn_.front();
  const SmtpJudgement judgement = judge(expected.stage, reply, situation);

  // Replies to what was sent before we knew: they say nothing new, and often that we are out of step.
  const bool is_leftover = trouble_ || again_plain_ || (expected.stage == SmtpStage::dot && ignore_dot_);
  if (reply.code == 421 || (judgement.close && !is_leftover && expected.stage != SmtpStage::data)) {
    close_ = true;
    if (!trouble_) fail_message(reply, judgement);
    expected_.clear();
    step_ = Step::done;
    return;
  }
  switch (expected.stage) {
    case SmtpStage::mail:
      on_mail(reply, judgement);
      break;
    case SmtpStage::rcpt:
      if (!is_leftover) on_rcpt(expected.recipient, reply, judgement);
      break;
    case SmtpStage::data:
      on_data(reply, judgement);
      break;
    case SmtpStage::dot:
      if (!ignore_dot_) on_dot(reply, judgement);
      break;
    default:
      break;
  }
  if (step_ == Step::read) go_on_after_reply();
}

void SmtpTransaction::on_mail(const SmtpReply& reply, const SmtpJudgement& judgement) {
  if (judgement.action == SmtpAction::drop_parameters)
    again_plain_ = true;
  else if (judgement.action == SmtpAction::fail)
    fail_message(reply, judgement);
}

void SmtpTransaction::on_rcpt(std::size_t index, const SmtpReply& reply, const SmtpJudgement& judgement) {
  Recipient& recipient = recipients_[index];
  recipient.reply = reply;
  switch (judgement.action) {
    case SmtpAction::go_on:
      recipient.fate = Fate::accepted;
      return;
    case SmtpAction::split_recipients:
      recipient.fate = Fate::split;
      return;
    default:
      break;
  }
  remember(judgement);
  if (judgement.verdict == Verdict::permanent)
    recipient.fate = Fate::refused;
  else
    recipient.fate = Fate::later;
}

void SmtpTransaction::on_data(const SmtpReply& reply, const SmtpJudgement& judgement) {
  const bool nobody_left = trouble_ || again_plain_ || !has(Fate::accepted);
  if (judgement.action == SmtpAction::go_on)
    step_ = nobody_left ? Step::lone_dot : Step::body;
  else if (!nobody_left)
    fail_message(reply, judgement);
}

void SmtpTransaction::on_dot(const SmtpReply& reply, const SmtpJudgement& judgement) {
  if (judgement.action != SmtpAction::go_on) return fail_message(reply, judgement);
  for (Recipient& recipient : recipients_) {
    if (recipient.fate != Fate::accepted) continue;
    recipient.fate = Fate::taken;
    recipient.reply = reply;
  }
}

void SmtpTransaction::go_on_after_reply() {
  if (!expected_.empty()) return;
  if (again_plain_) {
    again_plain_ = with_parameters_ = false;
    return begin(false);
  }
  if (trouble_) {
    step_ = Step::done;
    return;
  }
  if (asked_ < turn_.size()) return queue_commands();
  if (!data_said_ && has(Fate::accepted)) return queue_commands();
  // This transaction is over. The server forgets it after a dot; otherwise it has to be told.
  if (has(Fate::split)) return begin(!dot_written_ && !ignore_dot_);
  step_ = Step::done;
}

void SmtpTransaction::fail_message(const SmtpReply& reply, const SmtpJudgement& judgement) {
  if (judgement.close) close_ = true;
  remember(judgement);
  trouble_ =
      Trouble{judgement.verdict, status_of(judgement.verdict), smtp_code(reply.code), reply.text(), reply};
  set_undecided(judgement.verdict == Verdict::permanent ? Fate::refused : Fate::later, reply);
}

void SmtpTransaction::on_refused_midway(const SmtpReply& reply) {
  fail_message(reply, judge(SmtpStage::dot, reply, {}));
  close_ = true;
  expected_.clear();
  step_ = Step::done;
}

void SmtpTransaction::on_lost(const std::string& what, AttemptStatus status) {
  close_ = true;
  expected_.clear();
  step_ = Step::done;
  if (trouble_) return;
  // Before the dot the server has nothing to deliver; after it nobody knows.
  if (dot_written_)
    trouble_ =
        Trouble{Verdict::uncertain, status, code::smtp_answer_lost, "no answer to the final dot: " + what};
  else
    trouble_ =
        Trouble{Verdict::route_fault, status, code::smtp_connection_lost, "the connection was lost: " + what};
}

void SmtpTransaction::set_undecided(Fate fate, const SmtpReply& reply) {
  for (Recipient& recipient : recipients_) {
    if (recipient.fate != Fate::open && recipient.fate != Fate::accepted && recipient.fate != Fate::split)
      continue;
    recipient.fate = fate;
    recipient.reply = reply;
  }
}

// Of several wishes the shortest counts: nobody waits longer than asked because of another recipient.
void SmtpTransaction::remember(const SmtpJudgement& judgement) {
  if (judgement.alarm) alarm_ = true;
  if (judgement.verdict == Verdict::permanent) return;
  if (judgement.retry_after)
    retry_after_ = std::min(retry_after_.value_or(*judgement.retry_after), *judgement.retry_after);
}

bool SmtpTransaction::has(Fate fate) const {
  return first_reply(fate) != nullptr;
}

const SmtpReply* SmtpTransaction::first_reply(Fate fate) const {
  const auto found = std::find_if(recipients_.begin(), recipients_.end(),
                                  [&](const Recipient& recipient) { return recipient.fate == fate; });
  return found == recipients_.end() ? nullptr : &found->reply;
}

std::vector<int> SmtpTransaction::accepted() const {
  std::vector<int> indices;
  for (const Recipient& recipient : recipients_)
    if (recipient.fate == Fate::accepted) indices.push_back(recipient.to.index);
  return indices;
}

DeliveryResult SmtpTransaction::result() const {
  EILBOTE_ASSERT(step_ == Step::done);
  DeliveryResult result;
  for (const Recipient& recipient : recipients_) {
    if (recipient.fate == Fate::taken)
      result.recipients.push_back({recipient.to.index, RecipientStatus::taken, recipient.reply.text()});
    if (recipient.fate == Fate::refused)
      result.recipients.push_back({recipient.to.index, RecipientStatus::refused, recipient.reply.text()});
    if (recipient.fate == Fate::later)
      result.recipients.push_back({recipient.to.index, RecipientStatus::waiting, recipient.reply.text()});
  }
  result.retry_after = retry_after_;
  result.alarm = alarm_;
  const SmtpReply* taken = first_reply(Fate::taken);
  if (taken != nullptr) result.provider_message_id = queue_id(*taken);
  const SmtpReply* reply = nullptr;
  if (trouble_) {
    result.verdict = trouble_->verdict;
    result.attempt_status = trouble_->status;
    result.code = trouble_->code;
    result.text = trouble_->text;
    if (trouble_->reply.code > 0) reply = &trouble_->reply;
  } else if ((reply = first_reply(Fate::later)) != nullptr) {
    result.verdict = Verdict::transient;
  } else if ((reply = first_reply(Fate::refused)) != nullptr && taken == nullptr) {
    result.verdict = Verdict::permanent;
  } else {
    result.verdict = Verdict::delivered;
    reply = taken;
  }
  // Taken by some is a hand-over, whoever else still waits; only what nobody can know stays so.
  if (taken != nullptr && result.verdict != Verdict::uncertain) result.verdict = Verdict::delivered;
  if (reply != nullptr) {
    if (!trouble_)
      result.attempt_status = reply == taken ? AttemptStatus::SUCCESS : status_of(result.verdict);
    result.code = smtp_code(reply->code);
    result.text = reply->text();
    result.smtp_code = reply->code;
    result.enhanced_code = reply->enhanced;
  }
  return result;
}

}  // namespace eilbote
