// The codes of what can go wrong on the way to a relay, in words: what it means, and what to do about it. One table for the
// probe, the documentation and whoever reads a mail's last error.
#pragma once

#include <span>
#include <string_view>

namespace eilbote {

struct SmtpAdvice {
  std::string_view code;  // 'x' stands for any digit: SMTP_4xx
  std::string_view meaning;
  std::string_view what_to_do;
};

std::span<const SmtpAdvice> smtp_advice_table();
// The first row that fits; null for a code that is none of ours.
const SmtpAdvice* smtp_advice(std::string_view code);

}  // namespace eilbote
