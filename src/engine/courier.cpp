#include "engine/courier.h"

namespace eilbote {

Courier::Courier(MailChannel& channel, const Instance& instance, const Clock& clock, Random& random,
                 Metrics& metrics, CourierRules rules, std::function<void(Finished)> report)
    : channel_(channel),
      instance_(instance),
      clock_(clock),
      random_(random),
      metrics_(metrics),
      rules_(std::move(rules)),
      report_(std::move(report)) {}

void Courier::start(ClaimedJob claimed, MailContent content) {
  // shared_ptr because std::function wants to be copyable; the callback is the only owner.
  auto started = std::make_shared<const Started>(
      make_started(std::move(claimed), content, rules_, channel_.route(), clock_));
  const LeaseToken token = started->claimed.token;
  // The lease is of the epoch it was claimed under: an instance that had to start anew may not use the old
  // one's.
  const std::int64_t epoch = token.value() >> 32;
  MailDelivery delivery{started->claimed.job, token, std::move(content),
                        [this, epoch] { return instance_.trusted() && instance_.epoch().value() == epoch; }};
  channel_.deliver(std::move(delivery), [this, started](const DeliveryResult& result) {
    report_(make_finished(*started, result, clock_, random_, metrics_));
  });
}

Finished Courier::hand_back(const ClaimedJob& claimed) const {
  Started never;
  never.claimed = claimed;
  return make_finished(never, DeliveryResult{}, clock_, random_, metrics_);
}

}  // namespace eilbote
