// Ledger: the one thread that decides what is settled and claimed next, both in one transaction per round (one fsync for
// all of them). It asks only lanes whose pool has room and whose breaker is closed, fairly between clients. When many
// outcomes wait, a second thread settles them while it claims (side_desk.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/pool.h"
#include "engine/courier.h"
#include "engine/pool_list.h"
#include "engine/route_watch.h"
#include "ports/channel.h"
#include "ports/outbox.h"
#include "ports/outbox_care.h"
#include "ports/transport.h"

namespace eilbote {

// POST /internal/dispatch*: claim now, deliver, and say what became of it.
struct DispatchOrder {
  int batch_size = 50;        // of due mails
  std::optional<JobId> only;  // this one, whatever its next_attempt_at
  Duration wait = std::chrono::seconds{30};
};
struct DispatchReport {
  // The jobs claimed for this order, as they were last known: settled, or still dispatching at the deadline.
  std::vector<Job> jobs;
  bool refused = false;  // `only` could not be claimed: it is leased, finished or unknown
};

// A broker's message about a job.
struct Offer {
  OfferedJob job;
  ChannelKind channel = ChannelKind::mail;  // of the queue it came by
  Receipt receipt = 0;
};

class Ledger {
 public:
  virtual ~Ledger() = default;
  virtual void start() = 0;
  // Stops claiming, waits for what is under way up to `grace`, hands the rest back without burning an
  // attempt.
  virtual void stop(Duration grace) = 0;

  // New or newly due work in these lanes; from any thread, never blocks.
  virtual void wake(std::span<const LaneId> lanes) = 0;
  // Something somewhere became due (another instance said so).
  virtual void wake_all() = 0;

  // Jobs that a broker's messages name: each is claimed as soon as there is room, started if the database says that it may be,
  // and acknowledged (LedgerOptions::acknowledge) once the database has decided, however it did. From any thread, never blocks.
  virtual void offer(std::vector<Offer> offers) = 0;

  // `done` is called once, from the ledger's thread, when all of the order is settled or its wait is over.
  virtual void dispatch(DispatchOrder order, std::function<void(Result<DispatchReport>)> done) = 0;

  // Whether this process still has the mail, under whatever epoch it was claimed.
  virtual bool holds(const Lease& lease) const = 0;
  // The webhooks it has; each of them ends by its own deadline.
  virtual std::vector<JobId> held_webhooks() const = 0;

  // The mail route's breaker, and those of endpoint hosts that are not closed.
  virtual std::vector<BreakerView> breakers() const = 0;
  // Closes a route's breaker by hand; false when there is no such route.
  virtual bool reset_breaker(const std::string& route) = 0;
  // What keeps a due job from being started by this instance, in words; absent: nothing.
  virtual std::optional<std::string> held_back(const Job& job) const = 0;
};

// The same ledger for one who steps it instead of starting it: then it has no threads, and whoever steps it decides what
// happens before what. tests/simulation does.
class SteppedLedger : public Ledger {
 public:
  // `did`: there may be more at once. `idle`: nothing, until rests_until() or until somebody calls. `over`: it was stopped.
  enum class Step { did, idle, over };
  // What the ledger's thread does between two waits.
  virtual Step step() = 0;
  // What the thread of departures does when it is woken. False: nobody woke it.
  virtual bool step_departures() = 0;
  virtual Clock::Steady rests_until() = 0;
};

struct LedgerOptions {
  std::vector<Pool> pools;
  bool continuous = true;  // false: mails go out only by dispatch()
  CourierRules courier;
  RouteRules routes;
  WebhookParts webhooks;
  // With a broker only limited pools are claimed by lane, at their home; everything else comes by offer().
  bool by_broker = false;
  std::function<void(std::span<const Receipt>)> acknowledge;  // with a broker
  std::function<void(std::span<const LaneId>, Duration)>
      pause_lanes;  // with a broker: their way out is closed. May write to the database
  // With a broker: a group's next job is due in these lanes, for whoever publishes. Must not block; empty: nobody is told.
  std::function<void(std::span<const LaneId>)> due_for_broker;
  PoolList* pool_list = nullptr;  // limits that people change at run time; null: `pools` for good
  Duration lease = std::chrono::seconds{15};
};

std::unique_ptr<Ledger> make_ledger(Outbox& outbox, OutboxCare& care, MailChannel& mail,
                                    const Instance& instance, const Clock& clock, Random& random,
                                    Metrics& metrics, LedgerOptions options);
std::unique_ptr<SteppedLedger> make_stepped_ledger(Outbox& outbox, OutboxCare& care, MailChannel& mail,
                                                   const Instance& instance, const Clock& clock,
                                                   Random& random, Metrics& metrics, LedgerOptions options);

}  // namespace eilbote
