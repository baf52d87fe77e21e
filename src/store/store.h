// The stores' front door: opens the outbox with its care, the registry and what lies beside them, in the database that a URL
// names. Concrete classes live in postgres/ and sqlite/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"
#include "domain/pool.h"
#include "domain/retry_policy.h"
#include "ports/breaker_board.h"
#include "ports/content_rows.h"
#include "ports/draft_book.h"
#include "ports/mailbox_watch.h"
#include "ports/migration_report.h"
#include "ports/outbox.h"
#include "ports/outbox_care.h"
#include "ports/overview_book.h"
#include "ports/publish_book.h"
#include "ports/registry.h"
#include "ports/report_book.h"
#include "ports/status_feed.h"
#include "ports/suppression_list.h"
#include "ports/wakeups.h"

namespace eilbote {

struct StoreOptions {
  // "sqlite:/path/to/file.db", or "postgresql://user@host:port/db?..." (anything libpq takes as a URI).
  std::string url;
  Secret password;          // PostgreSQL: empty: the URL (or libpq's own ways) has it
  std::string listen_url;   // PostgreSQL: a direct link for LISTEN; empty: the same as url
  int connections = 10;     // PostgreSQL: at most this many
  std::vector<Pool> pools;  // known to the configuration; written into dispatch_pools at open
  bool broker = false;      // jobs travel by a broker: what is not in it is PENDING
  RetryPolicy
      mail_policy{};  // of mails without one of their own; for those that a provider's report sends out again
};

// Brings the schema up to date; safe to run from several places at once, each migration in its own
// transaction. Refuses a schema that is newer than this program.
Result<MigrationReport> migrate_store(const StoreOptions& options, const Clock& clock);

// One database, seen as what is to be delivered and as what people set up. The halves share their connections; the
// database stays open until all of them are gone.
struct Store {
  std::unique_ptr<Outbox> outbox;
  std::unique_ptr<OutboxCare> care;
  std::unique_ptr<Registry> registry;
  std::unique_ptr<StatusFeed> feed;
  std::unique_ptr<ContentRows> contents;
  std::unique_ptr<DraftBook> drafts;
  std::unique_ptr<MailboxWatch> mailboxes;
  std::unique_ptr<ReportBook> reports;
  std::unique_ptr<SuppressionList> suppressions;
  std::unique_ptr<PublishBook> publishing;
  std::unique_ptr<OverviewBook> overview;
  std::unique_ptr<BreakerBoard> breakers;
};

// Opens the store. SQLite: creates and migrates the file. PostgreSQL: the schema must be up to date (the
// error says to run `eilbote migrate`). `clock` is the database's clock on SQLite; PostgreSQL has its own.
Result<Store> open_store(const StoreOptions& options, const Clock& clock);

// The same for those who need only the outbox.
Result<std::unique_ptr<Outbox>> open_outbox(const StoreOptions& options, const Clock& clock);

// Whether two accepts at once are faster than one after the other; SQLite has one writer.
bool commits_side_by_side(const StoreOptions& options);

// LISTEN/NOTIFY on PostgreSQL; on SQLite there is one instance, and this does nothing.
std::unique_ptr<WakeUps> open_wakeups(const StoreOptions& options);

}  // namespace eilbote
