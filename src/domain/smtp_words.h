// What servers say in words where their codes are too wide to tell: one list per meaning, for the judge (smtp_judge.h) and for the
// reasons that people are shown (smtp_reasons.h). Pure.
#pragma once

#include <initializer_list>
#include <string_view>

namespace eilbote {

enum class SmtpWords {
  any,        // whatever it says
  greylist,   // come again, I do not know you
  quota,      // the mailbox is full
  rate,       // too much from you
  blocklist,  // your address is on a list
  relay,      // I do not pass this on for you
  sender,     // not from this sender
  proof,      // SPF, DKIM, DMARC, the reverse name
  content,    // spam, a virus
  disabled,   // the mailbox is closed
  unknown,    // no such mailbox
  size,       // too large
};

// `text` is in lower case.
bool has_words(std::string_view text, SmtpWords words);
bool has_one_of(std::string_view text, std::initializer_list<std::string_view> needles);

}  // namespace eilbote
