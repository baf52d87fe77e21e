// Whatever a server sends: the reader makes the same replies of it in one piece and byte by byte, keeps its limits, and
// no reply makes the judge say something its stage does not allow.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "domain/smtp_judge.h"
#include "domain/smtp_reply.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {
namespace {

using namespace std::chrono_literals;
using Step = SmtpReplyReader::Step;

struct Reading {
  std::vector<SmtpReply> replies;
  Step last = Step::more;
};

Reading read(std::string_view bytes, std::size_t piece) {
  Reading reading;
  SmtpReplyReader reader;
  while (!bytes.empty()) {
    std::string_view next = bytes.substr(0, piece);
    bytes.remove_prefix(next.size());
    while (!next.empty()) {
      reading.last = reader.read(next);
      if (reading.last == Step::broken) return reading;
      if (reading.last == Step::complete) reading.replies.push_back(reader.take());
    }
  }
  return reading;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

bool is_enhanced(std::string_view text) {
  return text.size() >= 5 && text.size() <= 9 && std::count(text.begin(), text.end(), '.') == 2 &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string reply_fault(const SmtpReply& reply) {
  if (reply.code < 0 || reply.code > 999) return "a code of more than three digits";
  if (reply.lines.empty() || reply.lines.size() > SmtpReplyReader::kLinesMax) return "the number of lines";
  for (const std::string& line : reply.lines)
    if (line.size() > SmtpReplyReader::kLineBytesMax) return "a line beyond the limit";
  if (!reply.enhanced.empty() && !is_enhanced(reply.enhanced)) return "an enhanced code that is none";
  const std::string text = reply.text();
  if (std::any_of(text.begin(), text.end(), is_control)) return "a control character in the text";
  return {};
}

bool is_of_mail(SmtpStage stage) {
  return stage == SmtpStage::mail || stage == SmtpStage::rcpt || stage == SmtpStage::data ||
         stage == SmtpStage::dot;
}

std::string failure_fault(SmtpStage stage, int code, const SmtpJudgement& judgement) {
  switch (judgement.verdict) {
    case Verdict::transient:
    case Verdict::deferred:
      break;
    case Verdict::permanent:
      if (code / 100 != 5) return "permanent, and the server did not say so";
      if (!is_of_mail(stage)) return "a mail failed for what is the route's trouble";
      break;
    case Verdict::route_fault:
    case Verdict::configuration:
      if (!judgement.close) return "the route is in trouble, and the connection is kept";
      break;
    case Verdict::delivered:
    case Verdict::uncertain:
    case Verdict::released:
      return "a verdict that no reply can give";
  }
  if (code / 100 == 2 && (stage == SmtpStage::mail || stage == SmtpStage::rcpt || stage == SmtpStage::dot) &&
      !judgement.close)
    return "a yes taken for a no";
  if (judgement.retry_after && (*judgement.retry_after < 60s || *judgement.retry_after > 4h))
    return "a wait out of bounds";
  return {};
}

std::string judgement_fault(SmtpStage stage, int code, const SmtpSituation& situation,
                            const SmtpJudgement& judgement) {
  switch (judgement.action) {
    case SmtpAction::go_on:
      return code / 100 == 2 || code / 100 == 3 ? "" : "goes on after a no";
    case SmtpAction::use_helo:
      return stage == SmtpStage::ehlo && !situation.needs_extensions ? "" : "HELO at the wrong time";
    case SmtpAction::drop_parameters:
      return stage == SmtpStage::mail && situation.has_parameters ? ""
                                                                  : "drops parameters that are not there";
    case SmtpAction::split_recipients:
      // Splitting at the first recipient would never end.
      return stage == SmtpStage::rcpt && !situation.is_first_recipient ? "" : "splits what cannot be split";
    case SmtpAction::fail:
      return failure_fault(stage, code, judgement);
  }
  return "an action that is none";
}

std::string judge_fault(const SmtpReply& reply) {
  for (const auto& [stage, name] : kSmtpStageNames.entries)
    // No stage asks for more than one of the three, so all or none is every situation.
    for (const bool so : {false, true}) {
      const SmtpSituation situation{so, so, so};
      const std::string fault = judgement_fault(stage, reply.code, situation, judge(stage, reply, situation));
      if (!fault.empty()) return fmt::format("{} at {}: {}", reply.code, name, fault);
    }
  return {};
}

bool same(const SmtpReply& a, const SmtpReply& b) {
  return a.code == b.code && a.enhanced == b.enhanced && a.lines == b.lines;
}

}  // namespace

std::string smtp_reply_fuzz(std::string_view bytes) {
  const Reading whole = read(bytes, bytes.size());
  const Reading bytewise = read(bytes, 1);
  if (whole.last != bytewise.last || !std::equal(whole.replies.begin(), whole.replies.end(),
                                                 bytewise.replies.begin(), bytewise.replies.end(), same))
    return "read differently in one piece and byte by byte";
  for (const SmtpReply& reply : whole.replies) {
    if (std::string fault = reply_fault(reply); !fault.empty()) return fault;
    if (std::string fault = judge_fault(reply); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace eilbote::fuzz
