// The outbox on PostgreSQL: what store.cpp needs of it.
#pragma once

#include "store/store.h"

namespace eilbote::postgres {

Result<MigrationReport> migrate(const StoreOptions& options);
Result<std::unique_ptr<Outbox>> open(const StoreOptions& options);
std::unique_ptr<WakeUps> wakeups(const StoreOptions& options);

}  // namespace eilbote::postgres
