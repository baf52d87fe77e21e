#include "store/store.h"

#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"

namespace eilbote {
namespace {

bool is_postgres(const std::string& url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

Error unknown_url() {
  return Error{ErrorKind::invalid, "must start with 'sqlite:' or 'postgresql://'"};
}

}  // namespace

Result<MigrationReport> migrate_store(const StoreOptions& options, const Clock& clock) {
  if (is_postgres(options.url)) return postgres::migrate(options);
  if (options.url.starts_with("sqlite:")) return sqlite::migrate(options, clock);
  return fail(unknown_url());
}

Result<Store> open_store(const StoreOptions& options, const Clock& clock) {
  if (is_postgres(options.url)) return postgres::open(options);
  if (options.url.starts_with("sqlite:")) return sqlite::open(options, clock);
  return fail(unknown_url());
}

Result<std::unique_ptr<Outbox>> open_outbox(const StoreOptions& options, const Clock& clock) {
  auto store = open_store(options, clock);
  if (!store) return fail(store.error());
  return std::move(store->outbox);
}

bool commits_side_by_side(const StoreOptions& options) {
  return is_postgres(options.url);
}

std::unique_ptr<WakeUps> open_wakeups(const StoreOptions& options) {
  if (is_postgres(options.url)) return postgres::wakeups(options);
  return sqlite::wakeups();
}

}  // namespace eilbote
