#include "engine/reception.h"

#include <fmt/format.h>

#include "base/log.h"
#include "engine/outcome_report.h"

namespace eilbote {
namespace {

// A program that publishes nonsense does it thousands of times.
constexpr Duration kComplainEvery = std::chrono::seconds{10};

Result<CarriedJob> read(const Arrival& arrival) {
  if (arrival.body.size() > kCarriedBytesMax)
    return fail(ErrorKind::invalid, fmt::format("the message has {} bytes; at most {} are read",
                                                arrival.body.size(), kCarriedBytesMax));
  return parse_carried_job(arrival.body);
}

ChannelKind channel_of(CarrierQueue queue) {
  const bool webhook = queue == CarrierQueue::webhook_send || queue == CarrierQueue::webhook_dead;
  return webhook ? ChannelKind::webhook : ChannelKind::mail;
}

}  // namespace

void Reception::arrive(const std::vector<Arrival>& arrivals) {
  std::vector<Offer> offers;
  std::vector<Receipt> unreadable;
  offers.reserve(arrivals.size());
  for (const Arrival& arrival : arrivals) {
    const auto job = read(arrival);
    if (job) {
      offers.push_back({{job->id, job->attempt}, channel_of(arrival.queue), arrival.receipt});
      continue;
    }
    unreadable.push_back(arrival.receipt);
    report_messages(arrival.queue, MessageOutcome::malformed, 1, metrics_);
    complain(arrival.queue, job.error());
  }
  if (!offers.empty()) ledger_.offer(std::move(offers));
  if (!unreadable.empty()) acknowledge_(unreadable);
}

// Never with the message's text: it is somebody else's, and may be anything.
void Reception::complain(CarrierQueue queue, const Error& error) {
  int count = 0;
  {
    const MutexLock lock(mutex_);
    ++unsaid_;
    const Clock::Steady now = clock_.steady_now();
    if (complained_ && now - *complained_ < kComplainEvery) return;
    complained_ = now;
    count = std::exchange(unsaid_, 0);
  }
  log::warning("a broker's message is not about a job: it is taken out of its queue",
               {{"queue", kCarrierQueueNames.text(queue)}, {"error", error.message}, {"count", count}});
}

}  // namespace eilbote
