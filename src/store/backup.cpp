#include "store/backup.h"

#include "store/sqlite/sqlite_store.h"

namespace eilbote {

Result<BackupProgress> back_up_store(const StoreOptions& options, const std::string& file,
                                     const std::function<void(const BackupProgress&)>& tell) {
  if (!commits_side_by_side(options)) return sqlite::back_up(options, file, tell);
  return fail(ErrorKind::invalid,
              "EILBOTE_STORE_URL: is on PostgreSQL, which has tools of its own; copy it with `pg_dump "
              "--format=custom "
              "--file=FILE URL` while servers run, and bring it back with `pg_restore --clean --if-exists "
              "--dbname=URL FILE` "
              "while none does");
}

}  // namespace eilbote
