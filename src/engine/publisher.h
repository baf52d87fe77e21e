// Publisher: the scheduler of a broker. One thread, `scheduler`: claims due jobs from the database (fairly between clients, as
// the ledger does), publishes their names, and marks what the broker confirmed; marking the last batch and claiming the next
// are one transaction. Nothing is claimed while the broker is away or has enough: what waits, waits in the database. Limited
// pools do not travel: their home instance takes them from the database itself. Also tells dead jobs to the queues of dead
// letters.
//
// A crash leaves rows `publishing` under a dead epoch; rescue makes them queued. A message that was published and not marked
// is started all the same: workers start what is publishing.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "base/clock.h"
#include "engine/instance.h"
#include "engine/pool_list.h"
#include "ports/outbox.h"
#include "ports/outbox_care.h"
#include "ports/publish_book.h"
#include "ports/transport.h"

namespace eilbote {

struct Metrics;

struct PublisherOptions {
  // False: only what wake() names, right after its acceptance (role api): no look-around, no dead letters.
  bool schedules = true;
  bool mails = true;              // false: mails go out only when they are asked for (triggered)
  bool retries_apart = false;     // retries of mails by CarrierQueue::mail_retry
  std::int64_t depth_max = 2000;  // messages that wait in a queue; more are not published
  Duration pending_poll = std::chrono::seconds{5};     // the look-around for what was never published
  Duration retry_interval = std::chrono::seconds{60};  // and for due retries
};

class Publisher {
 public:
  virtual ~Publisher() = default;
  virtual void start() = 0;
  // Waits for what is being published, at most `grace`; frees what is not confirmed.
  virtual void stop(Duration grace) = 0;

  // From any thread, never block.
  virtual void wake(std::span<const LaneId> lanes) = 0;
  virtual void wake_all() = 0;

  // Whether the job is in the broker within `wait` from now: `done` once, at once or from the publisher's thread. May be asked
  // before the job is claimed, and shortly after it was published.
  virtual void when_published(JobId id, Duration wait, std::function<void(bool)> done) = 0;
};

std::unique_ptr<Publisher> make_publisher(Outbox& outbox, PublishBook& book, OutboxCare& care,
                                          Transport& transport, const Instance& instance, PoolList& pools,
                                          const Clock& clock, Metrics& metrics, PublisherOptions options);

}  // namespace eilbote
