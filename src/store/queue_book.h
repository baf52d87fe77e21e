// The queue by pool and age, put together from the statements' rows; for both stores.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "ports/outbox_care.h"
#include "ports/registry.h"

namespace eilbote {

// Due since at least, and less than; the last one's end is before any job.
inline std::array<std::pair<Duration, Duration>, kQueueAges.size() + 1> queue_spans() {
  std::array<std::pair<Duration, Duration>, kQueueAges.size() + 1> spans;
  Duration since{};
  for (std::size_t i = 0; i < kQueueAges.size(); ++i)
    spans[i] = {std::exchange(since, kQueueAges[i]), kQueueAges[i]};
  spans.back() = {since, std::chrono::hours{24 * 36'500}};
  return spans;
}

// Due, for however long.
inline std::pair<Duration, Duration> any_age() {
  return {Duration{0}, queue_spans().back().second};
}

class QueueBook {
 public:
  explicit QueueBook(const OutboxStats& stats) {
    view_.now = stats.now;
    for (const PoolStats& pool : stats.pools) {
      PoolQueue& row = view_.pools.emplace_back();
      row.pool = pool.pool;
      row.waiting = pool.depth;
      row.oldest = pool.oldest;
    }
  }

  void count(std::string_view pool, std::size_t age, std::int64_t due) {
    if (PoolQueue* row = find(pool)) row->due.at(age) = due;
  }
  void failed(std::string_view pool, std::string_view error, std::optional<TimePoint> at) {
    PoolQueue* row = find(pool);
    if (row == nullptr) return;
    row->last_error = error;
    row->last_error_at = at;
  }
  QueueView take() { return std::move(view_); }

 private:
  // Null: the pool was made between two statements.
  PoolQueue* find(std::string_view code) {
    for (PoolQueue& row : view_.pools)
      if (row.pool == code) return &row;
    return nullptr;
  }

  QueueView view_;
};

}  // namespace eilbote
