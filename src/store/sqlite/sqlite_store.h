// The store on SQLite: what store.cpp needs of it.
#pragma once

#include <functional>

#include "domain/finding.h"
#include "ports/backup_progress.h"
#include "store/store.h"

namespace eilbote::sqlite {

Result<MigrationReport> migrate(const StoreOptions& options, const Clock& clock);
Result<Store> open(const StoreOptions& options, const Clock& clock);
std::unique_ptr<WakeUps> wakeups();
// The file that the URL names.
Result<std::string> path_of(const StoreOptions& options);
// examine.cpp: store/examine.h.
std::vector<Finding> examine(const StoreOptions& options, const Clock& clock);
std::vector<Finding> verify(const StoreOptions& options);
// backup.cpp: store/backup.h.
Result<BackupProgress> back_up(const StoreOptions& options, const std::string& file,
                               const std::function<void(const BackupProgress&)>& tell);

}  // namespace eilbote::sqlite
