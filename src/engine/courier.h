// Courier: runs attempts. Takes a claimed job with its content to its channel, and turns what comes back into
// a settlement by the pure decision after_attempt. Holds no thread; answers arrive on the channels'.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/random.h"
#include "engine/credential_book.h"
#include "engine/finished.h"
#include "engine/instance.h"
#include "ports/channel.h"
#include "ports/outbox.h"

namespace eilbote {

struct Metrics;

// The way out for webhooks; without a channel none are claimed.
struct WebhookParts {
  WebhookChannel* channel = nullptr;
  CredentialBook* credentials = nullptr;  // null: no job names an account
};

class Courier {
 public:
  Courier(MailChannel& mail, WebhookParts webhooks, const Instance& instance, const Clock& clock,
          Random& random, Metrics& metrics, CourierRules rules, std::function<void(FinishedPtr)> report);
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  // Starts the attempt; `report` is called once for it, from the channel's thread (or at once, when there is nothing to
  // be sent).
  void start(ClaimedJob&& claimed, MailContent&& content);
  void start(ClaimedJob&& claimed, WebhookContent&& content, bool probe);
  // A job whose content is gone: dead, and on record.
  void give_up(ClaimedJob claimed, bool probe);
  // The outcome of a job that was claimed but will not be started: back to the queue, nothing burnt.
  std::unique_ptr<Finished> hand_back(const ClaimedJob& claimed, bool probe) const;
  // The same of one that was never counted as started; due again after `delay`, or at once.
  FinishedPtr put_back(const ClaimedJob& claimed, std::optional<Duration> delay) const;
  // As hand_back, told to `report`.
  void give_back(const ClaimedJob& claimed, bool probe) const { report_(hand_back(claimed, probe)); }

  bool takes_webhooks() const { return webhooks_.channel != nullptr; }
  const std::string& mail_route() const { return mail_.route(); }
  void settled(std::span<const Lease> leases) { mail_.settled(leases); }
  void release_waiting_mails() { mail_.release_waiting(); }
  void release_waiting();
  void probe_mail(std::function<void(Result<void>)> done) { mail_.probe(std::move(done)); }

 private:
  // shared_ptr because std::function wants to be copyable; the callback is the only owner.
  std::shared_ptr<const Started> traced(Started started, const std::string& trace_span) const;
  std::unique_ptr<Finished> over(const Started& started, DeliveryResult&& result) const;
  std::function<bool()> still_mine(LeaseToken token) const;
  Credentials keys_for(const Webhook& webhook, const ClientName& client);
  void again_if_changed(const std::string& account, WebhookKeys used, DeliveryResult result,
                        std::function<void(DeliveryResult)> finish);

  MailChannel& mail_;
  const WebhookParts webhooks_;
  const Instance& instance_;
  const Clock& clock_;
  Random& random_;
  Metrics& metrics_;
  const CourierRules rules_;
  const std::function<void(FinishedPtr)> report_;
  // Shared with questions about secrets that may be answered after the courier is gone.
  struct Alive {
    Mutex mutex;
    bool is_over EILBOTE_GUARDED_BY(mutex) = false;
  };
  const std::shared_ptr<Alive> alive_ = std::make_shared<Alive>();
};

}  // namespace eilbote
