#include "simulation/air.h"

#include <algorithm>

namespace eilbote::sim {
namespace {

// So many failures of a host, and its breaker may be open: what comes then may be a probe, which burns nothing.
constexpr int kFailuresForProbe = 2;

}  // namespace

Air::Air(int instance, Rules& rules, std::function<int(const std::string& pool)> open_everywhere)
    : instance_(instance), rules_(rules), open_everywhere_(std::move(open_everywhere)) {}

int Air::open(const std::string& pool) const {
  return static_cast<int>(std::ranges::count(
      flights_, pool, [](const Flight& flight) -> const std::string& { return flight.job.pool; }));
}

void Air::begin(Flight flight) {
  const JobId id = flight.job.id;
  const LeaseToken token = flight.token;
  const std::string pool = flight.job.pool;
  flights_.push_back(std::move(flight));
  ++begun_;
  rules_.begun({id, token, open(pool), open_everywhere_(pool)});
}

void Air::Mails::deliver(MailDelivery delivery, Done done) {
  air_.begin({std::move(delivery.job), delivery.token, std::move(delivery.content.recipients),
              std::move(delivery.still_mine), std::move(done)});
}

void Air::Mails::probe(std::function<void(Result<void>)> done) {
  if (air_.route_works_) return done({});
  done(fail(ErrorKind::unavailable, "the relay is away"));
}

void Air::Mails::settled(std::span<const Lease> leases) {
  for (const Lease& lease : leases)
    air_.slots_.erase(lease);
}

void Air::Webhooks::deliver(WebhookDelivery delivery, Done done) {
  air_.begin({std::move(delivery.job), delivery.token, {}, std::move(delivery.still_mine), std::move(done)});
}

bool Air::hand_over(Flight& flight) {
  if (flight.left) return true;
  if (!flight.still_mine()) {
    answer(static_cast<std::size_t>(&flight - flights_.data()), DeliveryResult{});
    return false;
  }
  flight.left = true;
  if (flight.job.channel == ChannelKind::mail) slots_[{flight.job.id, flight.token}] = std::nullopt;
  rules_.handed_over(instance_, flight.job.id, flight.token);
  return true;
}

void Air::answer(std::size_t n, DeliveryResult result) {
  Flight flight = std::move(flights_[n]);
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(n));
  int& failures = host_failures_[flight.job.route];
  if (result.verdict == Verdict::transient) ++failures;
  const bool probe = flight.job.channel == ChannelKind::webhook && failures > kFailuresForProbe;
  if (flight.left && flight.job.channel == ChannelKind::mail) slots_[{flight.job.id, flight.token}] = result;
  rules_.answered(flight.job.id, flight.token, {result, probe});
  flight.done(std::move(result));
}

void Air::release_waiting(ChannelKind channel) {
  for (std::size_t i = flights_.size(); i-- > 0;)
    if (!flights_[i].left && flights_[i].job.channel == channel) answer(i, DeliveryResult{});
}

}  // namespace eilbote::sim
