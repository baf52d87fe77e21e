#include "engine/published_watch.h"

#include <utility>
#include <vector>

namespace eilbote {

void PublishedWatch::add(JobId id, Steady deadline, Done done) {
  if (published_.contains(id)) return done(true);
  if (watches_.size() >= kWatchesMax) return done(false);
  const auto watch = watches_.emplace(id, std::pair(deadline, std::move(done)));
  deadlines_.emplace(deadline, watch);
}

void PublishedWatch::remember(JobId id) {
  if (!published_.insert(id).second) return;
  order_.push_back(id);
  if (order_.size() <= kRememberedMax) return;
  published_.erase(order_.front());
  order_.pop_front();
}

void PublishedWatch::published(JobId id) {
  remember(id);
  const auto [begin, end] = watches_.equal_range(id);
  std::vector<Done> answers;
  for (auto watch = begin; watch != end; ++watch) {
    auto [first, last] = deadlines_.equal_range(watch->second.first);
    while (first != last && first->second != watch)
      ++first;
    if (first != last) deadlines_.erase(first);
    answers.push_back(std::move(watch->second.second));
  }
  watches_.erase(begin, end);
  for (const Done& done : answers)
    done(true);
}

void PublishedWatch::expire(Steady now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto watch = deadlines_.begin()->second;
    const Done done = std::move(watch->second.second);
    deadlines_.erase(deadlines_.begin());
    watches_.erase(watch);
    done(false);
  }
}

void PublishedWatch::end() {
  expire(Steady::max());
}

std::optional<PublishedWatch::Steady> PublishedWatch::next_deadline() const {
  return deadlines_.empty() ? std::nullopt : std::optional(deadlines_.begin()->first);
}

}  // namespace eilbote
