#include "domain/smtp_words.h"

#include <algorithm>

namespace eilbote {

bool has_one_of(std::string_view text, std::initializer_list<std::string_view> needles) {
  return std::any_of(needles.begin(), needles.end(),
                     [&](std::string_view needle) { return text.find(needle) != std::string_view::npos; });
}

bool has_words(std::string_view text, SmtpWords words) {
  switch (words) {
    case SmtpWords::any:
      return true;
    case SmtpWords::quota:
      return has_one_of(text, {"mailbox full", "mailbox is full", "over quota", "overquota", "quota exceeded",
                               "exceeded storage", "storage quota", "quotaexceeded"});
    case SmtpWords::blocklist:
      return has_one_of(text, {"spamhaus", "blocked using", "blocklist", "blacklist", "black list",
                               "block list", "barracudacentral", "sorbs.net", "spamcop"});
    case SmtpWords::relay:
      return has_one_of(text, {"relay access denied", "relaying denied", "relay denied", "unable to relay",
                               "relay not permitted", "relaying not allowed", "relay not allowed",
                               "not permitted to relay", "relaying prohibited"});
    case SmtpWords::proof:
      return has_one_of(text, {"spf", "dkim", "dmarc", "reverse dns", "ptr record"});
    case SmtpWords::sender:
      return has_one_of(
          text, {"sender address rejected", "sender rejected", "sender denied", "sender verify failed",
                 "not allowed to send as", "sendasdenied", "sender not authorized"});
    case SmtpWords::content:
      return has_one_of(text, {"spam", "virus", "malware", "phish", "malicious", "content rejected",
                               "message content", "attachment"});
    case SmtpWords::disabled:
      return has_one_of(text, {"mailbox disabled", "account disabled", "account is disabled",
                               "account inactive", "account is inactive", "inactive account",
                               "account suspended", "mailbox is disabled", "account has been disabled"});
    case SmtpWords::unknown:
      return has_one_of(
          text, {"user unknown", "unknown user", "no such user", "unknown recipient", "recipient unknown",
                 "user not found", "recipient not found", "recipientnotfound", "mailbox not found",
                 "no mailbox", "no such mailbox", "mailbox unavailable", "does not exist", "doesn't exist",
                 "invalid recipient", "unrouteable address"});
    case SmtpWords::size:
      return has_one_of(text, {"message too large", "message too big", "message size exceeds",
                               "exceeds size limit", "maximum message size", "size limit exceeded"});
    case SmtpWords::greylist:
      return has_one_of(text, {"greylist", "graylist", "grey-list", "gray-list", "grey list", "gray list"});
    case SmtpWords::rate:
      return has_one_of(text, {"rate limit", "rate-limit", "ratelimit", "sending rate", "message rate",
                               "too many", "too fast", "slow down", "throttl", "limit exceeded"});
  }
  return false;
}

}  // namespace eilbote
