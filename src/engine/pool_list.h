// The pools there are, as this instance last read them: the ledger takes its limits from here, the API finds the pool a
// job names. Safe from many threads; reading never blocks, refreshing asks the registry.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "ports/registry.h"

namespace eilbote {

class PoolList {
 public:
  explicit PoolList(Registry& registry) : registry_(registry) {}

  // Reads them anew; may block. After an error what was known stays.
  Result<void> refresh();
  std::vector<Pool> pools() const;
  // The pool with this code or id, as far as it is known here; or only its code.
  std::optional<Pool> find(const std::string& code_or_id) const;
  std::optional<std::string> code_of(const std::string& code_or_id) const;

 private:
  std::shared_ptr<const std::vector<PoolRow>> rows() const;

  Registry& registry_;
  mutable Mutex mutex_;
  std::shared_ptr<const std::vector<PoolRow>> rows_ EILBOTE_GUARDED_BY(mutex_) =
      std::make_shared<const std::vector<PoolRow>>();
};

}  // namespace eilbote
