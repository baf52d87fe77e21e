// StoreFixture: an empty store per test, on SQLite or on PostgreSQL, by the test's parameter.
// Tests own time: travel() moves the store's clock (SQLite), or every time it has written (PostgreSQL).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/public_state.h"
#include "domain/tsid.h"
#include "store/store.h"
#include "support/mail_builder.h"
#include "support/raw_sql.h"
#include "support/settlements.h"
#include "support/temp_folder.h"
#include "support/worker.h"

namespace eilbote::test {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using days = std::chrono::days;

// How far a time written by PostgreSQL's own clock may be from the one a test computed.
inline constexpr Duration kClockSlack = std::chrono::seconds{20};

class StoreFixture : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override;
  void TearDown() override;

  bool on_postgres() const { return std::string(GetParam()) == "postgres"; }
  Outbox& outbox() { return *outbox_; }
  OutboxCare& care() { return *care_; }
  Registry& registry() { return *registry_; }
  StatusFeed& feed() { return *feed_; }
  ContentRows& contents() { return *contents_; }
  DraftBook& drafts() { return *drafts_; }
  MailboxWatch& mailboxes() { return *mailboxes_; }
  ReportBook& reports() { return *reports_; }
  SuppressionList& suppressions() { return *suppressions_; }
  PublishBook& publishing() { return *publishing_; }
  OverviewBook& overview() { return *overview_; }
  BreakerBoard& breakers() { return *breakers_; }
  const StoreOptions& options() const { return options_; }
  // A second program on the same database.
  std::unique_ptr<Outbox> open_another();
  // Closes the store and opens it again, as a restarted program does.
  void reopen();
  // The same, now with a broker configured.
  void reopen_with_broker();

  TimePoint now() const;
  void travel(Duration by);
  // `at` as a literal of this database, and the condition that a column is in the past.
  std::string sql_time(TimePoint at) const;

  // The test's own link, for tests that stop the server.
  void open_raw();
  void close_raw() { raw_.reset(); }
  int sql(const std::string& text) { return raw_->run(text); }
  std::vector<SqlRow> rows(const std::string& text) { return raw_->rows(text); }
  // The first column of the only row.
  std::string value(const std::string& text);
  int count(const std::string& table_and_condition);

  JobId new_id() { return ids_.next(now()); }
  MailBuilder new_mail() { return MailBuilder(new_id()); }
  AcceptOutcome accept(const NewJob& job, AcceptRun run = AcceptRun::first);
  // Must be accepted; its id.
  JobId accepted(const NewJob& job);
  std::vector<JobId> accepted_many(int n, const std::string& client = "shop");
  LaneId lane_of(const std::string& client = "shop", const std::string& pool = "mail");

  Worker worker(const std::string& name = "one") { return Worker(*outbox_, *care_, name); }
  JobRecord record(JobId id);
  Job job(JobId id) { return record(id).job; }
  std::string state(JobId id) { return std::string(kMailStateNames.text(mail_state(job(id)))); }
  std::string status(JobId id) { return std::string(kJobStatusNames.text(job(id).status)); }
  bool has_turn(JobId id) {
    return count("outbox WHERE holds_group AND id = " + std::to_string(id.value())) == 1;
  }
  std::vector<std::string> moves(JobId id);  // "QUEUED -> SENT" of each status event
  SweepResult sweep(Sweep what) { return must(care_->sweep(SweepParams{.sweep = what})); }
  SweepResult rescue(const RescueParams& params = {}) { return must(care_->rescue(params)); }
  ActOutcome act(JobId id, Act what, const std::string& client = "");

 private:
  TempFolder folder_;
  FakeClock clock_{SystemClock{}.now()};
  StoreOptions options_;
  void open();
  void close();
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<OutboxCare> care_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<StatusFeed> feed_;
  std::unique_ptr<ContentRows> contents_;
  std::unique_ptr<DraftBook> drafts_;
  std::unique_ptr<MailboxWatch> mailboxes_;
  std::unique_ptr<ReportBook> reports_;
  std::unique_ptr<SuppressionList> suppressions_;
  std::unique_ptr<PublishBook> publishing_;
  std::unique_ptr<OverviewBook> overview_;
  std::unique_ptr<BreakerBoard> breakers_;
  std::unique_ptr<RawSql> raw_;
  TsidFactory ids_{Epoch{1}};
};

// Within kClockSlack: waits under test are minutes and more, a test itself takes less than a second.
::testing::AssertionResult about(std::optional<TimePoint> actual, TimePoint expected);

std::string store_name(const ::testing::TestParamInfo<const char*>& info);

}  // namespace eilbote::test

// Declares the suite's fixture and runs it on both stores.
#define EILBOTE_ON_BOTH_STORES(Suite)                                              \
  class Suite : public ::eilbote::test::StoreFixture {};                           \
  INSTANTIATE_TEST_SUITE_P(Stores, Suite, ::testing::Values("sqlite", "postgres"), \
                           ::eilbote::test::store_name)
