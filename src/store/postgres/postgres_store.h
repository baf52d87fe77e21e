// The store on PostgreSQL: what store.cpp needs of it.
#pragma once

#include "domain/finding.h"
#include "store/postgres/connection_pool.h"
#include "store/store.h"

namespace eilbote::postgres {

Result<MigrationReport> migrate(const StoreOptions& options);
Result<Store> open(const StoreOptions& options);
// postgres_care.cpp. `broker`: one is configured, for the states in events.
std::unique_ptr<OutboxCare> make_care(std::shared_ptr<ConnectionPool> pool, bool broker);
// postgres_registry.cpp
std::unique_ptr<Registry> make_registry(std::shared_ptr<ConnectionPool> pool);
// postgres_feed.cpp
std::unique_ptr<StatusFeed> make_feed(std::shared_ptr<ConnectionPool> pool);
// reports.cpp. `policy`: of mails without one of their own, for a report that reopens them.
std::unique_ptr<ReportBook> make_reports(std::shared_ptr<ConnectionPool> pool, RetryPolicy policy);
// suppressions.cpp
std::unique_ptr<SuppressionList> make_suppressions(std::shared_ptr<ConnectionPool> pool);
// postgres_contents.cpp
std::unique_ptr<ContentRows> make_contents(std::shared_ptr<ConnectionPool> pool);
// drafts.cpp
std::unique_ptr<DraftBook> make_drafts(std::shared_ptr<ConnectionPool> pool);
// mailbox_watch.cpp
std::unique_ptr<MailboxWatch> make_mailbox_watch(std::shared_ptr<ConnectionPool> pool);
// publishing.cpp
std::unique_ptr<PublishBook> make_publishing(std::shared_ptr<ConnectionPool> pool);
// overview.cpp
std::unique_ptr<OverviewBook> make_overview(std::shared_ptr<ConnectionPool> pool);
// breaker_board.cpp
std::unique_ptr<BreakerBoard> make_breaker_board(std::shared_ptr<ConnectionPool> pool);
std::unique_ptr<WakeUps> wakeups(const StoreOptions& options);
// examine.cpp: store/examine.h.
std::vector<Finding> examine(const StoreOptions& options, const Clock& clock);

}  // namespace eilbote::postgres
