#include "domain/smtp_judge.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include "base/ascii.h"
#include "domain/smtp_words.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;
using enum SmtpStage;
using enum SmtpAction;

// ---- the table ----

using Stages = unsigned;
constexpr Stages at(std::initializer_list<SmtpStage> stages) {
  Stages bits = 0;
  for (const SmtpStage stage : stages)
    bits |= 1U << static_cast<unsigned>(stage);
  return bits;
}
constexpr Stages kAnywhere = ~0U;
constexpr Stages kOfMessage = at({mail, data, dot});
constexpr Stages kOfMail = at({mail, rcpt, data, dot});

using Words = SmtpWords;
enum class When { always, needs_extensions, has_parameters, not_first, first };

struct Rule {
  Stages stages;
  std::string_view code;    // 'x' stands for any digit
  std::string_view detail;  // of the enhanced code: "7.1", "7.x"; "": whatever it is; "-": there is none
  Words words = Words::any;
  When when = When::always;
  SmtpAction action = fail;
  Verdict verdict = Verdict::transient;
  bool close = false;
  bool alarm = false;
  Duration wait{};  // at least
};

constexpr Duration kGreylisted = 5min;
constexpr Duration kMailboxFull = 4h;
constexpr Duration kBlocked = 30min;
constexpr Duration kTooFast = 60s;

using enum Words;
using enum When;
constexpr Verdict kTransient = Verdict::transient, kPermanent = Verdict::permanent,
                  kDeferred = Verdict::deferred, kRoute = Verdict::route_fault,
                  kConfiguration = Verdict::configuration;
constexpr bool kClose = true, kAlarm = true;

// The first rule that fits counts. The class is the code's: "550 4.7.1" is permanent, whatever its enhanced code says.
constexpr std::array kRules = std::to_array<Rule>({
    // out of step, or going away
    {kAnywhere, "503", "", any, always, fail, kTransient, kClose},
    {kAnywhere, "421", "", any, always, fail, kRoute, kClose},

    // before any mail: the route's own troubles, never the mail's
    {at({banner}), "220", "", any, always, go_on},
    {at({banner}), "5xx", "", any, always, fail, kRoute, kClose, kAlarm},
    {at({banner}), "xxx", "", any, always, fail, kRoute, kClose},
    {at({ehlo, helo}), "2xx", "", any, always, go_on},
    {at({ehlo}), "5xx", "", any, needs_extensions, fail, kConfiguration, kClose, kAlarm},
    {at({ehlo}), "5xx", "", any, always, use_helo},
    {at({ehlo, helo}), "xxx", "", any, always, fail, kRoute, kClose},
    {at({starttls}), "220", "", any, always, go_on},
    {at({starttls}), "5xx", "", any, always, fail, kConfiguration, kClose, kAlarm},
    {at({starttls}), "xxx", "", any, always, fail, kRoute, kClose},
    {at({auth}), "235", "", any, always, go_on},
    {at({auth}), "334", "", any, always, go_on},
    {at({auth}), "5xx", "", any, always, fail, kConfiguration, kClose, kAlarm},
    {at({auth}), "xxx", "", any, always, fail, kRoute, kClose},

    // we are not who we should be
    {kOfMail, "530", "", any, always, fail, kConfiguration, kClose, kAlarm},
    {kOfMail, "5xx", "7.57", any, always, fail, kConfiguration, kClose, kAlarm},
    // our address is on a list: no word about the recipient
    {kOfMail, "5xx", "7.606", any, always, fail, kDeferred, kClose, kAlarm, kBlocked},
    {kOfMail, "5xx", "", blocklist, always, fail, kDeferred, kClose, kAlarm, kBlocked},

    // mailbox full, in whatever code, is worth a long wait
    {at({rcpt}), "552", "2.2", any, always, fail, kTransient, false, false, kMailboxFull},
    {at({rcpt}), "452", "2.2", any, always, fail, kTransient, false, false, kMailboxFull},
    {at({rcpt}), "552", "-", quota, always, fail, kTransient, false, false, kMailboxFull},
    {kOfMail, "4xx", "", quota, always, fail, kTransient, false, false, kMailboxFull},

    {at({mail}), "2xx", "", any, always, go_on},
    {at({mail}), "501", "", any, has_parameters, drop_parameters},
    {at({mail}), "504", "", any, has_parameters, drop_parameters},
    {at({mail}), "555", "", any, has_parameters, drop_parameters},
    {at({mail}), "4xx", "5.3", any, always, fail, kDeferred, false, false, kTooFast},
    {at({mail}), "4xx", "", rate, always, fail, kDeferred, false, false, kTooFast},
    // the sender is refused, which is a matter of configuration somewhere
    {at({mail}), "5xx", "7.x", any, always, fail, kPermanent, false, kAlarm},
    {at({mail}), "5xx", "1.7", any, always, fail, kPermanent, false, kAlarm},
    {at({mail}), "5xx", "1.8", any, always, fail, kPermanent, false, kAlarm},

    {at({rcpt}), "2xx", "", any, always, go_on},
    // too many recipients for one transaction
    {at({rcpt}), "452", "5.3", any, not_first, split_recipients},
    {at({rcpt}), "552", "5.3", any, not_first, split_recipients},
    {at({rcpt}), "452", "-", any, not_first, split_recipients},
    {at({rcpt}), "552", "-", any, not_first, split_recipients},
    {at({rcpt}), "552", "5.3", any, first, fail, kTransient},
    // refused by policy: perhaps us, perhaps the recipient
    {at({rcpt}), "5xx", "7.x", any, always, fail, kPermanent, false, kAlarm},

    {at({data}), "354", "", any, always, go_on},
    {at({dot, rset}), "2xx", "", any, always, go_on},
    {at({rset}), "xxx", "", any, always, fail, kTransient, kClose},

    {kOfMail, "450", "7.1", any, always, fail, kTransient, false, false, kGreylisted},
    {kOfMail, "451", "7.1", any, always, fail, kTransient, false, false, kGreylisted},
    {kOfMail, "4xx", "", greylist, always, fail, kTransient, false, false, kGreylisted},
    {kOfMail, "4xx", "", any, always, fail, kTransient},
    {at({rcpt}), "5xx", "", any, always, fail, kPermanent},
    {kOfMessage, "5xx", "", any, always, fail, kPermanent},

    // 1xx, 6xx, a 3xx or 2xx where none belongs: we do not speak the same language
    {kAnywhere, "xxx", "", any, always, fail, kTransient, kClose},
});

// ---- how a rule is compared ----

// "7.x" fits "7.1" and "7.606".
bool detail_fits(std::string_view pattern, std::string_view detail) {
  if (pattern.empty()) return true;
  if (pattern == "-") return detail.empty();
  if (pattern.ends_with(".x")) return detail.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == detail;
}

bool is_so(When when, const SmtpSituation& situation) {
  switch (when) {
    case When::always:
      return true;
    case When::needs_extensions:
      return situation.needs_extensions;
    case When::has_parameters:
      return situation.has_parameters;
    case When::not_first:
      return !situation.is_first_recipient;
    case When::first:
      return situation.is_first_recipient;
  }
  return false;
}

// The number that ends right before `end`, or nothing.
std::optional<long> number_before(std::string_view text, std::size_t end) {
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '-'))
    --end;
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
    --begin;
  if (begin == end || end - begin > 6) return std::nullopt;
  long number = 0;
  for (std::size_t i = begin; i < end; ++i)
    number = number * 10 + (text[i] - '0');
  return number;
}

}  // namespace

std::optional<Duration> retry_hint(std::string_view text) {
  const std::string lower = ascii_lower(text);
  if (!has_one_of(lower, {"again", "retry", "wait", "later", "list", "delay"})) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, std::chrono::seconds>, 4> kUnits{
      {{"sec", 1s}, {"min", 60s}, {"hour", 3600s}, {"hr", 3600s}}};
  for (const auto& [unit, length] : kUnits)
    for (std::size_t found = lower.find(unit); found != std::string::npos;
         found = lower.find(unit, found + 1))
      if (const auto number = number_before(lower, found))
        return std::clamp<Duration>(length * *number, 60s, 1h);
  return std::nullopt;
}

SmtpJudgement judge(SmtpStage stage, const SmtpReply& reply, const SmtpSituation& situation) {
  const std::string code = std::to_string(reply.code + 1000).substr(1);
  const std::string detail = reply.enhanced.size() > 2 ? reply.enhanced.substr(2) : "";
  const std::string text = ascii_lower(reply.text());
  for (const Rule& rule : kRules) {
    if ((rule.stages & at({stage})) == 0 || !code_fits(rule.code, code) || !detail_fits(rule.detail, detail))
      continue;
    if (!has_words(text, rule.words) || !is_so(rule.when, situation)) continue;
    SmtpJudgement judgement{rule.action, rule.verdict, rule.close, rule.alarm, std::nullopt};
    if (rule.action != fail) return judgement;
    if (rule.wait > Duration::zero()) judgement.retry_after = rule.wait;
    if (rule.verdict == Verdict::transient || rule.verdict == Verdict::deferred)
      if (const auto hint = retry_hint(text))
        judgement.retry_after = std::max(*hint, judgement.retry_after.value_or(*hint));
    return judgement;
  }
  return {};  // not reached: the last rule fits everything
}

}  // namespace eilbote
