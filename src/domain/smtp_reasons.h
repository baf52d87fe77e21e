// Why a mail did not reach a recipient, in a word that stays the same whatever server said it: made of the reply on record, or of
// what a bounce says, by one table in smtp_reasons.cpp. The sentences and hints are in delivery_codes.cpp. Pure; used when a mail
// is shown, so a better table explains old mails too. What happens to a mail is decided elsewhere (smtp_judge.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/delivery_codes.h"
#include "domain/names.h"

namespace eilbote {

struct DeliveryReason {
  std::string code;
  Verdict verdict = Verdict::permanent;
  std::string_view message;  // what it means
  std::string_view hint;     // what to do
};

// Of a reply to us as it is on record: "550 5.1.1 no such user". Nothing for what is no refusal, or no reply at all.
std::optional<DeliveryReason> reason_of_reply(std::string_view reply);
// Of what a bounce says: "5.1.1 smtp; 550 no such user", status first, or a reply. Somebody else has given up, so "later" is
// over.
std::optional<DeliveryReason> reason_of_bounce(std::string_view said);

// Of a code that an attempt or an error has; nothing for a code that is none of ours.
std::optional<DeliveryReason> reason_of_code(std::string_view code, Verdict verdict);

}  // namespace eilbote
