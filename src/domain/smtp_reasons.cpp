#include "domain/smtp_reasons.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "domain/smtp_reply.h"
#include "domain/smtp_words.h"

namespace eilbote {
namespace {

// What is known of a refusal.
struct Refusal {
  std::string code;    // "550"; empty: it names none
  std::string detail;  // "1.1" of "5.1.1"; empty: none
  std::string text;    // in lower case
  bool permanent = true;
  bool in_a_bounce = false;  // somebody else gave up, so "later" is over
};

// ---- the table ----

enum class Kind { any, permanent, later, given_up };  // given_up: a bounce because of "later"

struct ReasonRule {
  Kind kind;
  std::string_view code;    // 'x' stands for any digit; "": whatever it is
  std::string_view detail;  // likewise; "7.*": all that begin with 7
  SmtpWords words;
  const char* reason;  // null: the code's own row in delivery_codes.cpp says more
};

using enum Kind;
using Words = SmtpWords;
constexpr Words kAny = Words::any;

// The first rule that fits counts: plain codes before words, words before what a whole class of codes says.
constexpr std::array kReasonRules = std::to_array<ReasonRule>({
    {permanent, "530", "", kAny, nullptr},
    {permanent, "534", "", kAny, nullptr},
    {permanent, "535", "", kAny, nullptr},

    {Kind::any, "", "2.2", kAny, code::smtp_mailbox_full},
    {Kind::any, "", "", Words::quota, code::smtp_mailbox_full},
    {given_up, "", "", kAny, code::smtp_expired},

    {permanent, "", "1.1", kAny, code::smtp_mailbox_unknown},
    {permanent, "", "1.6", kAny, code::smtp_mailbox_unknown},
    {permanent, "", "1.10", kAny, code::smtp_mailbox_unknown},
    {permanent, "", "1.351", kAny, code::smtp_mailbox_unknown},
    {permanent, "", "1.2", kAny, code::smtp_domain_unknown},
    {permanent, "", "4.4", kAny, code::smtp_domain_unknown},
    {permanent, "", "4.310", kAny, code::smtp_domain_unknown},
    {permanent, "", "4.312", kAny, code::smtp_domain_unknown},
    {permanent, "", "1.3", kAny, code::smtp_bad_address},
    {permanent, "", "1.7", kAny, code::smtp_sender_refused},
    {permanent, "", "1.8", kAny, code::smtp_sender_refused},
    {permanent, "", "7.60", kAny, code::smtp_sender_refused},
    {permanent, "", "2.1", kAny, code::smtp_mailbox_disabled},
    {permanent, "", "2.3", kAny, code::smtp_message_too_large},
    {permanent, "", "3.4", kAny, code::smtp_message_too_large},
    {permanent, "", "7.54", kAny, code::smtp_relay_denied},
    {permanent, "", "7.64", kAny, code::smtp_relay_denied},
    {permanent, "", "7.606", kAny, code::smtp_blocked},
    {permanent, "", "4.1", kAny, code::smtp_expired},
    {permanent, "", "4.7", kAny, code::smtp_expired},
    {permanent, "", "4.3xx", kAny, code::smtp_expired},

    {permanent, "", "", Words::blocklist, code::smtp_blocked},
    {permanent, "", "", Words::relay, code::smtp_relay_denied},
    {permanent, "", "7.28", kAny, code::smtp_policy},
    {permanent, "", "7.2x", kAny, code::smtp_authentication_policy},
    {permanent, "", "7.509", kAny, code::smtp_authentication_policy},
    {permanent, "", "7.515", kAny, code::smtp_authentication_policy},
    {permanent, "", "", Words::proof, code::smtp_authentication_policy},
    {permanent, "", "", Words::sender, code::smtp_sender_refused},
    {permanent, "", "", Words::disabled, code::smtp_mailbox_disabled},
    {permanent, "", "", Words::unknown, code::smtp_mailbox_unknown},
    {permanent, "", "", Words::size, code::smtp_message_too_large},
    {permanent, "552", "", kAny, code::smtp_message_too_large},
    {permanent, "", "6.*", kAny, code::smtp_content_refused},
    {permanent, "", "", Words::content, code::smtp_content_refused},
    {permanent, "", "7.*", kAny, code::smtp_policy},
    {permanent, "", "", kAny, code::smtp_refused},

    {later, "45x", "7.1", kAny, code::smtp_greylisted},
    {later, "", "", Words::greylist, code::smtp_greylisted},
    {later, "", "", Words::rate, code::smtp_throttled},
    {later, "", "7.*", kAny, code::smtp_throttled},
    {later, "", "3.*", kAny, code::smtp_server_busy},
    {later, "", "4.5", kAny, code::smtp_server_busy},
    {later, "421", "", kAny, code::smtp_server_busy},
    {later, "", "", kAny, code::smtp_later},
});

// ---- how a rule is compared ----

bool detail_fits(std::string_view pattern, std::string_view detail) {
  if (pattern.empty()) return true;
  if (pattern.ends_with('*')) return detail.starts_with(pattern.substr(0, pattern.size() - 1));
  return code_fits(pattern, detail);
}

bool kind_fits(Kind kind, const Refusal& refusal) {
  switch (kind) {
    case Kind::any:
      return true;
    case Kind::permanent:
      return refusal.permanent;
    case Kind::later:
      return !refusal.permanent && !refusal.in_a_bounce;
    case Kind::given_up:
      return !refusal.permanent && refusal.in_a_bounce;
  }
  return false;
}

// ---- how a reply is read ----

// "550": of a refusal, so it begins with 4 or 5.
bool is_reply_code(std::string_view word) {
  return word.size() == 3 && (word[0] == '4' || word[0] == '5') && is_digit(word[1]) && is_digit(word[2]);
}

// "5.1.1", also with a colon or a bracket around it.
std::string_view enhanced_in(std::string_view word) {
  while (!word.empty() && (word.front() == '#' || word.front() == '(' || word.front() == '['))
    word.remove_prefix(1);
  while (!word.empty() && !is_digit(word.back()))
    word.remove_suffix(1);
  const bool has_class = word.size() >= 5 && (word[0] == '4' || word[0] == '5') && word[1] == '.';
  if (!has_class || word.size() > 9 || std::count(word.begin(), word.end(), '.') != 2) return {};
  const bool is_all = std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
  return is_all && word[2] != '.' ? word : std::string_view();
}

// Both codes stand at the beginning, in either order; of a bounce also behind "smtp;".
std::optional<Refusal> read_refusal(std::string_view reply, bool in_a_bounce) {
  constexpr int kWordsMax = 4;
  Refusal refusal;
  std::string_view enhanced;
  std::string_view rest = trimmed(reply);
  for (int i = 0; i < kWordsMax && !rest.empty(); ++i) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" -;"));
    if (is_reply_code(word) && refusal.code.empty()) refusal.code = word;
    if (enhanced.empty()) enhanced = enhanced_in(word);
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" -;"), rest.size()));
  }
  if (refusal.code.empty() && enhanced.empty()) return std::nullopt;
  refusal.in_a_bounce = in_a_bounce;
  // "550 4.7.1" is for good, as for the judge. A bounce's own status counts before the reply it quotes.
  const bool status_decides = refusal.code.empty() || (in_a_bounce && !enhanced.empty());
  const std::string_view decides = status_decides ? enhanced : refusal.code;
  refusal.permanent = decides.starts_with('5');
  if (enhanced.size() > 2) refusal.detail = enhanced.substr(2);
  refusal.text = ascii_lower(reply);
  return refusal;
}

std::optional<DeliveryReason> reason_of(const std::optional<Refusal>& refusal) {
  if (!refusal) return std::nullopt;
  for (const ReasonRule& rule : kReasonRules) {
    const bool code_is_right = rule.code.empty() || code_fits(rule.code, refusal->code);
    if (!kind_fits(rule.kind, *refusal) || !code_is_right || !detail_fits(rule.detail, refusal->detail) ||
        !has_words(refusal->text, rule.words))
      continue;
    if (rule.reason != nullptr) return reason_of_code(rule.reason, Verdict::permanent);
    return reason_of_code(smtp_code(std::stoi(refusal->code)), Verdict::configuration);
  }
  return std::nullopt;  // not reached: the last rule of each kind fits everything
}

}  // namespace

std::optional<DeliveryReason> reason_of_code(std::string_view code, Verdict verdict) {
  const DeliveryAdvice* advice = delivery_advice(code);
  if (advice == nullptr) return std::nullopt;
  return DeliveryReason{std::string(code), advice->verdict.value_or(verdict), advice->meaning,
                        advice->what_to_do};
}

std::optional<DeliveryReason> reason_of_reply(std::string_view reply) {
  return reason_of(read_refusal(reply, false));
}

std::optional<DeliveryReason> reason_of_bounce(std::string_view said) {
  return reason_of(read_refusal(said, true));
}

}  // namespace eilbote
