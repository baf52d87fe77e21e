// What stands in the database, put together from the statements' rows; for both stores.
#pragma once

#include <algorithm>
#include <string_view>

#include "ports/outbox_care.h"
#include "ports/overview_book.h"

namespace eilbote {

class StandingBook {
 public:
  explicit StandingBook(const OutboxStats& stats) {
    for (const PoolStats& pool : stats.pools) {
      PoolLoad& row = load_.pools.emplace_back();
      row.pool = pool.pool;
      row.waiting = pool.depth;
      row.oldest = pool.oldest;
    }
  }

  void due(std::string_view pool, std::int64_t count) {
    if (PoolLoad* row = find(pool)) row->due = count;
  }
  void failed(std::string_view pool, std::string_view error, std::optional<TimePoint> at) {
    PoolLoad* row = find(pool);
    if (row == nullptr) return;
    row->last_error = error;
    row->last_error_at = at;
  }
  // Those without a reason are a foreign worker's: they count, under no name.
  void dead(std::string_view reason, std::int64_t count) {
    load_.dead.count = std::min<std::int64_t>(load_.dead.count + count, kCountExactMax + 1);
    if (const auto known = kDeadReasonNames.parse(reason); known && count > 0)
      load_.dead.by_reason[*known] = count;
  }
  StandingLoad& load() { return load_; }

 private:
  // Null: the pool was made between two statements.
  PoolLoad* find(std::string_view code) {
    for (PoolLoad& row : load_.pools)
      if (row.pool == code) return &row;
    return nullptr;
  }

  StandingLoad load_;
};

template <class Row>
FlowCounts read_flow(const Row& row, int first) {
  return {row.int8(first), row.int8(first + 1), row.int8(first + 2), row.int8(first + 3)};
}

}  // namespace eilbote
