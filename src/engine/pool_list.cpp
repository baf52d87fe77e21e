#include "engine/pool_list.h"

namespace eilbote {

Result<void> PoolList::refresh() {
  auto rows = registry_.pools();
  if (!rows) return fail(rows.error());
  auto fresh = std::make_shared<const std::vector<PoolRow>>(std::move(*rows));
  const MutexLock lock(mutex_);
  rows_ = std::move(fresh);
  return {};
}

std::shared_ptr<const std::vector<PoolRow>> PoolList::rows() const {
  const MutexLock lock(mutex_);
  return rows_;
}

std::vector<Pool> PoolList::pools() const {
  const auto all = rows();  // kept: a refresh may put others in its place meanwhile
  std::vector<Pool> pools;
  for (const PoolRow& row : *all)
    pools.push_back(row.pool);
  return pools;
}

std::optional<Pool> PoolList::find(const std::string& code_or_id) const {
  const auto all = rows();
  const PoolRow* found = find_pool(*all, code_or_id);
  return found != nullptr ? std::optional(found->pool) : std::nullopt;
}

std::optional<std::string> PoolList::code_of(const std::string& code_or_id) const {
  const auto all = rows();
  const PoolRow* found = find_pool(*all, code_or_id);
  return found != nullptr ? std::optional(found->pool.code) : std::nullopt;
}

}  // namespace eilbote
