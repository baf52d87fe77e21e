// Who waits for a job to be in the broker (Publisher::when_published), and which jobs lately were put there. No I/O and no
// clock; the publisher's thread only. Every watch is answered once: when its job is published, at its deadline, or at the end.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_set>

#include "base/clock.h"
#include "domain/ids.h"

namespace eilbote {

class PublishedWatch {
 public:
  using Steady = Clock::Steady;
  using Done = std::function<void(bool)>;

  // More of either are not kept: a watch too many is answered at once, a published job too many is forgotten.
  static constexpr std::size_t kWatchesMax = 20'000;
  static constexpr std::size_t kRememberedMax = 20'000;

  PublishedWatch() = default;
  ~PublishedWatch() { end(); }
  PublishedWatch(const PublishedWatch&) = delete;
  PublishedWatch& operator=(const PublishedWatch&) = delete;

  void add(JobId id, Steady deadline, Done done);
  void published(JobId id);
  // Answers those whose time is over.
  void expire(Steady now);
  // Nothing will be published any more.
  void end();

  std::optional<Steady> next_deadline() const;

 private:
  using Watches = std::multimap<JobId, std::pair<Steady, Done>>;
  void remember(JobId id);

  Watches watches_;
  std::multimap<Steady, Watches::iterator> deadlines_;
  std::unordered_set<JobId> published_;
  std::deque<JobId> order_;  // of published_, the oldest first
};

}  // namespace eilbote
