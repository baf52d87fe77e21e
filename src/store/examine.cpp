#include "store/examine.h"

#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"

namespace eilbote {

std::vector<Finding> examine_store(const StoreOptions& options, const Clock& clock) {
  return commits_side_by_side(options) ? postgres::examine(options, clock) : sqlite::examine(options, clock);
}

std::vector<Finding> verify_store(const StoreOptions& options) {
  return commits_side_by_side(options) ? std::vector<Finding>() : sqlite::verify(options);
}

}  // namespace eilbote
