// The store on SQLite: what store.cpp needs of it.
#pragma once

#include "store/store.h"

namespace eilbote::sqlite {

Result<MigrationReport> migrate(const StoreOptions& options, const Clock& clock);
Result<Store> open(const StoreOptions& options, const Clock& clock);
std::unique_ptr<WakeUps> wakeups();

}  // namespace eilbote::sqlite
