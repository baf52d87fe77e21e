#include "engine/lane_pauses.h"

#include <limits>

namespace eilbote {
namespace {

constexpr int kTriesAtOnce = 4;
constexpr Duration kTryEvery = std::chrono::seconds{1};
// So long after a pause without a new one, the way is open.
constexpr Duration kWellAfter = std::chrono::seconds{10};

}  // namespace

LanePauses::Steady LanePauses::Pause::well_at() const {
  return until + (on_trial ? kWellAfter : Duration{0});
}

void LanePauses::learn(std::span<const PausedLane> paused, Steady now) {
  for (const PausedLane& lane : paused)
    if (lane.left > Duration{0}) {
      Pause& pause = lanes_[lane.lane];
      pause.until = now + lane.left;
      if (lane.left > kFullPause) pause.on_trial = true;
    }
  std::erase_if(lanes_, [&](const auto& entry) { return now >= entry.second.well_at(); });
}

int LanePauses::room(LaneId lane, Steady now) const {
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return std::numeric_limits<int>::max();
  const Pause& pause = found->second;
  if (now >= pause.well_at()) return std::numeric_limits<int>::max();
  return now < pause.until || now < pause.next_try ? 0 : kTriesAtOnce;
}

void LanePauses::asked(LaneId lane, Steady now) {
  if (const auto found = lanes_.find(lane); found != lanes_.end()) found->second.next_try = now + kTryEvery;
}

std::optional<LanePauses::Steady> LanePauses::next_change(Steady now) const {
  std::optional<Steady> earliest;
  const auto consider = [&](Steady at) {
    if (at > now && (!earliest || at < *earliest)) earliest = at;
  };
  for (const auto& [lane, pause] : lanes_) {
    consider(pause.well_at());
    consider(std::max(pause.until, pause.next_try));
  }
  return earliest;
}

}  // namespace eilbote
