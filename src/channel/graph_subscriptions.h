// The subscription of each watched mailbox: made, renewed at half of its life, made anew when Graph has lost it. Called by the
// Graph watch, on its thread.
//
// The secret that notifications must carry is on record before Graph is asked, because Graph calls POST /webhooks/graph while it
// makes the subscription; its id is on record right after. A crash in between leaves a subscription that nobody knows: the next
// try finds it by its resource (409) and removes it, and what it would have told is read from the inbox.
#pragma once

#include <stop_token>
#include <string>

#include "base/clock.h"
#include "channel/graph_door.h"
#include "channel/graph_kept_mailbox.h"
#include "domain/graph_options.h"
#include "ports/mailbox_watch.h"

namespace eilbote {

class GraphSubscriptions {
 public:
  GraphSubscriptions(const GraphOptions& options, GraphDoor& door, MailboxWatch& watch, const Clock& clock)
      : options_(options), door_(door), watch_(watch), clock_(clock) {}

  // Whatever this mailbox's subscription needs now; says in its errand when to come again. A new subscription makes the inbox
  // due: what came in before it was there is told by nobody.
  void tend(KeptMailbox& mailbox, const std::stop_token& stop);

 private:
  void renew(KeptMailbox& mailbox, const std::stop_token& stop);
  void create(KeptMailbox& mailbox, const std::stop_token& stop);
  // Removes the subscription of the row and forgets it. False: that failed.
  bool remove(KeptMailbox& mailbox, const std::stop_token& stop);
  // Removes subscriptions of ours that are in the way; answers how many.
  int clear_the_way(const KeptMailbox& mailbox, const std::stop_token& stop);
  GraphAnswer post(const WatchedMailbox& row, const std::stop_token& stop);
  bool save(KeptMailbox& mailbox, const WatchedMailbox& row);
  void alive(KeptMailbox& mailbox);
  void failed(KeptMailbox& mailbox, const GraphAnswer& answer);

  const GraphOptions& options_;
  GraphDoor& door_;
  MailboxWatch& watch_;
  const Clock& clock_;
};

}  // namespace eilbote
