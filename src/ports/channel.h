// A channel: one way out of Eilbote. The courier hands it a leased delivery; it answers once, later, from its
// own thread.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "domain/delivery.h"
#include "domain/service_account.h"
#include "ports/outbox.h"

namespace eilbote {

struct MailDelivery {
  Job job;
  LeaseToken token;
  MailContent content;
  // Whether the lease can still be trusted. Asked right before the mail is handed over; false: answer
  // `released`.
  std::function<bool()> still_mine;
  std::string traceparent{};  // for a provider that takes such a header; empty: there is no trace
};

// A job and the token it was claimed with: after a lost lease the same job may be held twice for a moment, by
// the delivery that lost it and by the one that has it now.
using Lease = std::pair<JobId, LeaseToken>;

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

  // The answers to these were committed: what was kept about them can be forgotten. From the ledger's thread.
  virtual void settled(std::span<const Lease> /*leases*/) {}

  // Answers everything that has not begun with `released`; what is under way goes on to its own end.
  virtual void release_waiting() = 0;
};

struct WebhookDelivery {
  Job job;
  LeaseToken token;
  WebhookContent content;
  WebhookKeys keys;
  // As in MailDelivery: asked right before the request is sent.
  std::function<bool()> still_mine;
  std::string traceparent{};  // as in MailDelivery
};

class WebhookChannel {
 public:
  using Done = std::function<void(DeliveryResult)>;
  virtual ~WebhookChannel() = default;

  // Never blocks. `done` is called exactly once, from the channel's thread. Exactly one request is sent, or none.
  virtual void deliver(WebhookDelivery delivery, Done done) = 0;

  // Answers everything whose request has not begun with `released`; what is under way goes on to its own end.
  virtual void release_waiting() = 0;
};

}  // namespace eilbote
