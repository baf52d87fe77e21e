// A copy of the database while servers run on it, for `eilbote backup`. On SQLite only: PostgreSQL has tools of its own, and the
// error says which.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "ports/backup_progress.h"
#include "store/store.h"

namespace eilbote {

// The copy is one moment's: everything that was acknowledged before the call is in it. It is whole, verified and on disk when
// this returns; until then it is called FILE.part, and nothing is left of it after an error. Never overwrites a file.
Result<BackupProgress> back_up_store(const StoreOptions& options, const std::string& file,
                                     const std::function<void(const BackupProgress&)>& tell);

}  // namespace eilbote
