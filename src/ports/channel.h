// A channel: one way out of Eilbote. The courier hands it a leased delivery; it answers once, later, from its
// own thread.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "domain/delivery.h"
#include "ports/outbox.h"

namespace eilbote {

struct MailDelivery {
  Job job;
  MailContent content;
  // Whether the lease can still be trusted. Asked right before the mail is handed over; false: answer
  // `released`.
  std::function<bool()> still_mine;
};

class MailChannel {
 public:
  using Done = std::function<void(DeliveryResult)>;
  virtual ~MailChannel() = default;

  // The route's name in attempts, metrics and breakers: "capture".
  virtual const std::string& route() const = 0;

  // Never blocks. `done` is called exactly once, from the channel's thread. Only recipients that wait are
  // sent to. The caller keeps at most its pool's concurrency open, so the channel's queue is bounded by that.
  virtual void deliver(MailDelivery delivery, Done done) = 0;

  // Whether the route works, without a mail. `done(ok)` from the channel's thread; ok.error() says what is
  // wrong.
  virtual void probe(std::function<void(Result<void>)> done) = 0;

  // Answers everything that has not begun with `released`; what is under way goes on to its own end.
  virtual void release_waiting() = 0;
};

}  // namespace eilbote
