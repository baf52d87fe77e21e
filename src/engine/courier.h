// Courier: runs attempts. Takes a claimed job with its content to the channel, and turns what comes back into
// a settlement by the pure decision after_attempt. Holds no thread; answers arrive on the channel's.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "engine/finished.h"
#include "engine/instance.h"
#include "ports/channel.h"
#include "ports/outbox.h"

namespace eilbote {

class Courier {
 public:
  Courier(MailChannel& channel, const Instance& instance, const Clock& clock, Random& random,
          Metrics& metrics, CourierRules rules, std::function<void(Finished)> report);

  // Starts the attempt; `report` is called once for it, from the channel's thread.
  void start(ClaimedJob claimed, MailContent content);
  // The outcome of a job that was claimed but will not be started: back to the queue, nothing burnt.
  Finished hand_back(const ClaimedJob& claimed) const;

  const std::string& route() const { return channel_.route(); }
  void settled(std::span<const Lease> leases) { channel_.settled(leases); }
  void release_waiting() { channel_.release_waiting(); }
  void probe(std::function<void(Result<void>)> done) { channel_.probe(std::move(done)); }

 private:
  MailChannel& channel_;
  const Instance& instance_;
  const Clock& clock_;
  Random& random_;
  Metrics& metrics_;
  const CourierRules rules_;
  const std::function<void(Finished)> report_;
};

}  // namespace eilbote
