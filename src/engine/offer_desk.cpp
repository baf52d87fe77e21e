#include "engine/offer_desk.h"

#include <algorithm>

#include "base/log.h"
#include "domain/tsid.h"
#include "ports/publish_book.h"

namespace eilbote {
namespace {

// A pause is a write to the database: not one for every message.
constexpr Duration kPauseEvery = std::chrono::seconds{1};

CarrierQueue queue_of(ChannelKind channel) {
  return channel == ChannelKind::mail ? CarrierQueue::mail_send : CarrierQueue::webhook_send;
}

}  // namespace

std::optional<Duration> put_back_for(WayOut way) {
  switch (way) {
    case WayOut::full:
      return kFullPause;
    case WayOut::closed:
      return kClosedPause;
    case WayOut::open:
    case WayOut::elsewhere:
      break;
  }
  return std::nullopt;
}

void OfferDesk::add(std::span<const Offer> offers) {
  for (const Offer& offer : offers)
    book_.add(offer);
}

std::vector<ClaimedJob> OfferDesk::take_offered(std::vector<ClaimedJob>& claimed,
                                                const std::optional<JobId>& except) const {
  const auto offered = std::stable_partition(claimed.begin(), claimed.end(), [&](const ClaimedJob& job) {
    return job.job.id == except || !book_.is_asked(job.job.id);
  });
  std::vector<ClaimedJob> taken(std::make_move_iterator(offered), std::make_move_iterator(claimed.end()));
  claimed.erase(offered, claimed.end());
  return taken;
}

void OfferDesk::put_back(const ClaimedJob& job, WayOut way) {
  became_[job.job.id] = way;
  if (const auto pause = put_back_for(way)) put_[*pause].push_back(job.lane);
}

void OfferDesk::finish_round(Steady now) {
  std::vector<Receipt> receipts;
  std::map<std::pair<CarrierQueue, MessageOutcome>, int> counts;
  for (const OfferBook::Message& message : book_.decided()) {
    receipts.insert(receipts.end(), message.receipts.begin(), message.receipts.end());
    const MessageOutcome outcome = outcome_of(message);
    const CarrierQueue queue = queue_of(message.channel);
    ++counts[{queue, outcome}];
    if (message.twins > 0) counts[{queue, MessageOutcome::stale}] += message.twins;
  }
  became_.clear();
  for (const auto& [what, count] : counts)
    report_messages(what.first, what.second, count, metrics_);
  if (!receipts.empty()) hooks_.acknowledge(receipts);
  pause_lanes(now);
}

MessageOutcome OfferDesk::outcome_of(const OfferBook::Message& message) const {
  const auto became = became_.find(message.job.id);
  if (became != became_.end())
    return became->second == WayOut::open ? MessageOutcome::started : MessageOutcome::put_back;
  if (log::enabled(log::Level::debug))
    log::debug("a broker's message is passed over: its job is not to be started for it now",
               {{id_field(message.channel), to_text(message.job.id)}});
  return MessageOutcome::stale;
}

void OfferDesk::pause_lanes(Steady now) {
  std::erase_if(paused_, [&](const auto& entry) { return now - entry.second >= kPauseEvery; });
  for (auto& [pause, lanes] : std::exchange(put_, {})) {
    std::ranges::sort(lanes);
    const auto twins = std::ranges::unique(lanes);
    lanes.erase(twins.begin(), twins.end());
    std::erase_if(lanes, [&](LaneId lane) { return !paused_.emplace(lane, now).second; });
    if (!lanes.empty()) hooks_.pause_lanes(lanes, pause);
  }
}

}  // namespace eilbote
