// Which recipients of mails that are about to go out are on their client's suppression list. Used by load_mails in both stores:
// they ask for the mails whose client has a list, look up what is wanted, say what was found, and mark the mails.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ports/outbox.h"

namespace eilbote {

class SuppressedRecipients {
 public:
  using Entry = std::pair<std::int32_t, std::string>;  // client, normal address

  // The results so far lie over its recipients already: only those that wait are asked for.
  void ask(std::int32_t client, const MailContent& mail);
  const std::set<Entry>& wanted() const { return wanted_; }

  void found(std::int32_t client, std::string_view address, TimePoint since, std::string_view reason);

  // Recipients that wait and were found are suppressed from here on; not on record before their mail is settled.
  void mark(MailContent& mail) const;

 private:
  std::unordered_map<JobId, std::int32_t> clients_;
  std::set<Entry> wanted_;
  std::map<Entry, std::string> replies_;
};

}  // namespace eilbote
