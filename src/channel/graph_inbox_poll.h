// Reads in the inboxes of watched mailboxes which messages came in since the last look (Graph's delta query), and puts them on
// record as notices: the safety net below the notifications, and all there is without them. Called by the Graph watch, on its
// thread.
//
// A page's messages are on record before the link to the next page is. A crash in between reads the page again, and what is
// known already is not noted twice.
#pragma once

#include <span>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "channel/graph_door.h"
#include "channel/graph_kept_mailbox.h"
#include "domain/graph_options.h"
#include "ports/mailbox_watch.h"

namespace eilbote {

class GraphInboxPoll {
 public:
  // How far back the first look goes: not through the mailbox's whole history.
  static constexpr Duration kFirstLook = std::chrono::hours{6};
  // And when Graph has forgotten where we were: as long as notices that were read are remembered, less a day.
  static constexpr Duration kLookAfterGap = kReadNoticeLife - std::chrono::days{1};

  GraphInboxPoll(const GraphOptions& options, GraphDoor& door, MailboxWatch& watch, const Clock& clock)
      : options_(options), door_(door), watch_(watch), clock_(clock) {}

  // One page of each of these inboxes, all at the same time; the errand of one with more pages is due at once. Answers how many
  // messages are new.
  int look(std::span<KeptMailbox* const> mailboxes, const std::stop_token& stop);

 private:
  GraphCall call_for(const KeptMailbox& mailbox) const;
  int take(KeptMailbox& mailbox, const GraphAnswer& answer);
  void take_refusal(KeptMailbox& mailbox, const GraphAnswer& answer);
  void failed(KeptMailbox& mailbox, const std::string& why);

  const GraphOptions& options_;
  GraphDoor& door_;
  MailboxWatch& watch_;
  const Clock& clock_;
};

}  // namespace eilbote
