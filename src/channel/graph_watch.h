// The Graph watch: what comes back to the mailboxes that mails are sent from. It keeps a subscription for each, polls their inboxes
// for what no notification told, reads the messages that notices tell of and hands bounces and receipts to the report desk, and
// asks the message trace where that is wanted. One thread, `graph-watch`; several instances share the mailboxes between them.
//
// Everything it must not forget is in the store (ports/mailbox_watch.h): a crash at any point is followed by the same work again,
// which changes nothing the second time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "channel/graph_door.h"
#include "channel/graph_inbox_reader.h"
#include "channel/graph_trace.h"
#include "domain/graph_options.h"
#include "metrics/metrics.h"
#include "ports/mailbox_watch.h"

namespace eilbote {

class GraphWatch {
 public:
  virtual ~GraphWatch() = default;

  // After the HTTP server: Graph calls POST /webhooks/graph while a subscription is being made.
  virtual void start() = 0;
  // Prompt: what is under way is not waited for, and is done again by whoever watches next. Twice does no harm.
  virtual void stop() = 0;

  // Notices came in, or the notifier wants something of a subscription. From any thread; never blocks.
  virtual void wake() = 0;
  // Mails are sent from this mailbox, so it is watched from now on. From any thread; cheap when it is known.
  virtual void in_use(const std::string& mailbox) = 0;
};

// All of them outlive the watch.
struct GraphWatchParts {
  GraphDoor& door;
  MailboxWatch& store;
  Metrics& metrics;
  const Clock& clock;
  std::function<Epoch()> epoch;  // this instance's, now
  TakeMessage take_message;      // the report desk
  TakeReport take_report;        // for rows of the message trace
};
std::unique_ptr<GraphWatch> make_graph_watch(const GraphOptions& options, GraphWatchParts parts);

}  // namespace eilbote
