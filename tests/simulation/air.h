// Deliveries under way: the channels of one simulated instance. A delivery waits, leaves for the other side (asking whether its
// lease may be trusted), and is answered, each when the history says so.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ports/channel.h"
#include "simulation/rules.h"

namespace eilbote::sim {

struct Flight {
  Job job;
  LeaseToken token;
  std::vector<Recipient> recipients;  // of a mail
  std::function<bool()> still_mine;
  std::function<void(DeliveryResult)> done;
  bool left = false;
};

// What survives of a mail's hand-over when its process dies, as in the slots of the relay's channel: that it left, and what the other
// side answered, until that is settled.
using Slots = std::map<Lease, std::optional<DeliveryResult>>;

class Air final {
 public:
  // `open_everywhere` counts what is under way in a pool on all instances whose leases hold.
  Air(int instance, Rules& rules, std::function<int(const std::string& pool)> open_everywhere);

  MailChannel& mails() { return mails_; }
  WebhookChannel& webhooks() { return webhooks_; }

  std::vector<Flight>& flights() { return flights_; }
  int open(const std::string& pool) const;
  // Whether this one may go: false, it was answered as released instead.
  bool hand_over(Flight& flight);
  // Answers and forgets it.
  void answer(std::size_t n, DeliveryResult result);
  // The way out for mails works again, or no longer.
  void set_route(bool works) { route_works_ = works; }
  std::size_t begun() const { return begun_; }
  const Slots& slots() const { return slots_; }

 private:
  class Mails final : public MailChannel {
   public:
    explicit Mails(Air& air) : air_(air) {}
    const std::string& route() const override { return route_; }
    void deliver(MailDelivery delivery, Done done) override;
    void probe(std::function<void(Result<void>)> done) override;
    void settled(std::span<const Lease> leases) override;
    void release_waiting() override { air_.release_waiting(ChannelKind::mail); }

   private:
    Air& air_;
    const std::string route_ = "relay";
  };
  class Webhooks final : public WebhookChannel {
   public:
    explicit Webhooks(Air& air) : air_(air) {}
    void deliver(WebhookDelivery delivery, Done done) override;
    void release_waiting() override { air_.release_waiting(ChannelKind::webhook); }

   private:
    Air& air_;
  };
  void begin(Flight flight);
  void release_waiting(ChannelKind channel);

  const int instance_;
  Rules& rules_;
  const std::function<int(const std::string& pool)> open_everywhere_;
  std::vector<Flight> flights_;
  Slots slots_;
  std::map<std::string, int> host_failures_;
  bool route_works_ = true;
  std::size_t begun_ = 0;
  Mails mails_{*this};
  Webhooks webhooks_{*this};
};

}  // namespace eilbote::sim
