// The parts of an open SQLite file. The halves of the store share them; the last of these closes the file.
#pragma once

#include <memory>

#include "ports/breaker_board.h"
#include "ports/content_rows.h"
#include "ports/draft_book.h"
#include "ports/mailbox_watch.h"
#include "ports/outbox_care.h"
#include "ports/overview_book.h"
#include "ports/publish_book.h"
#include "ports/registry.h"
#include "ports/report_book.h"
#include "ports/status_feed.h"
#include "ports/suppression_list.h"
#include "store/sqlite/checkpointer.h"
#include "store/sqlite/file_lock.h"
#include "store/sqlite/readers.h"
#include "store/sqlite/writer.h"

namespace eilbote::sqlite {

// Members are destroyed in reverse: threads first, the lock last.
struct Parts {
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() {
    if (!started_) return;
    writer->stop();
    checkpointer->stop();
  }
  // Once everything below is made.
  void start() {
    checkpointer->start();
    writer->start();
    started_ = true;
  }

  std::unique_ptr<FileLock> lock;
  ReadGate gate;
  std::unique_ptr<Checkpointer> checkpointer;
  std::unique_ptr<Writer> writer;
  std::unique_ptr<Readers> readers;

 private:
  bool started_ = false;
};

// sqlite_care.cpp. `broker`: one is configured, for the states in events.
std::unique_ptr<OutboxCare> make_care(std::shared_ptr<Parts> parts, bool broker);
// sqlite_registry.cpp
std::unique_ptr<Registry> make_registry(std::shared_ptr<Parts> parts);
// sqlite_feed.cpp
std::unique_ptr<StatusFeed> make_feed(std::shared_ptr<Parts> parts);
// reports.cpp. `policy`: of mails without one of their own, for a report that reopens them.
std::unique_ptr<ReportBook> make_reports(std::shared_ptr<Parts> parts, RetryPolicy policy);
// suppressions.cpp
std::unique_ptr<SuppressionList> make_suppressions(std::shared_ptr<Parts> parts);
// sqlite_contents.cpp
std::unique_ptr<ContentRows> make_contents(std::shared_ptr<Parts> parts);
// drafts.cpp
std::unique_ptr<DraftBook> make_drafts(std::shared_ptr<Parts> parts);
// mailbox_watch.cpp
std::unique_ptr<MailboxWatch> make_mailbox_watch(std::shared_ptr<Parts> parts);
// publishing.cpp
std::unique_ptr<PublishBook> make_publishing(std::shared_ptr<Parts> parts);
// overview.cpp
std::unique_ptr<OverviewBook> make_overview(std::shared_ptr<Parts> parts);
// breaker_board.cpp
std::unique_ptr<BreakerBoard> make_breaker_board(std::shared_ptr<Parts> parts);

}  // namespace eilbote::sqlite
