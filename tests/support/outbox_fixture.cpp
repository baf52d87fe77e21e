#include "support/outbox_fixture.h"

#include "support/postgres_server.h"

namespace eilbote::test {
namespace {

// Every time PostgreSQL keeps, by table. Ids carry a time as well and stay as they are.
struct TimeColumns {
  const char* table;
  std::vector<const char*> columns;
};
const std::vector<TimeColumns>& time_columns() {
  static const std::vector<TimeColumns> all{
      {"outbox",
       {"next_attempt_at", "last_attempt_at", "finished_at", "expires_at", "created_at", "updated_at",
        "last_queued_at", "told_dead_at"}},
      {"paused_lanes", {"until"}},
      {"instances", {"started_at", "lease_until"}},
      {"idempotency_keys", {"expires_at"}},
      {"attempts", {"attempted_at", "completed_at", "changed_at"}},
      {"status_changes", {"at"}},
      {"messages", {"created_at"}},
      {"webhooks", {"created_at"}},
      {"recipients", {"updated_at"}},
      {"delivery_reports", {"at"}},
      {"suppressions", {"since"}},
      {"graph_drafts", {"noted_at"}},
      {"watched_mailboxes", {"subscription_ends", "traced_until", "kept_until"}},
      {"mail_notices", {"at", "not_before", "read_at"}},
      {"chore_turns", {"until"}},
      {"flow_minutes", {"minute"}}};
  return all;
}

// One migrated database for all tests, emptied for each: far cheaper than a database of its own.
std::string emptied_database() {
  static const std::string url = [] {
    const std::string fresh = PostgresServer::shared().create_database();
    StoreOptions options;
    options.url = fresh;
    must(migrate_store(options, SystemClock{}));
    return fresh;
  }();
  open_raw_postgres(url)->run(
      "DELETE FROM outbox; DELETE FROM messages; DELETE FROM recipients; DELETE FROM attempts; DELETE FROM "
      "status_changes;"
      "DELETE FROM facets; DELETE FROM idempotency_keys; DELETE FROM audit_log; DELETE FROM instances;"
      "DELETE FROM lanes; DELETE FROM paused_lanes; DELETE FROM clients; DELETE FROM dispatch_pools;"
      "DELETE FROM service_accounts; DELETE FROM payload_schemas; DELETE FROM webhooks; DELETE FROM "
      "content_keys; DELETE FROM graph_drafts; DELETE FROM watched_mailboxes; DELETE FROM mail_notices;"
      "DELETE FROM delivery_reports; DELETE FROM suppressions; DELETE FROM chore_turns; DELETE FROM "
      "flow_minutes;");
  return url;
}

}  // namespace

void StoreFixture::SetUp() {
  if (on_postgres()) {
    options_.url = emptied_database();
    options_.connections = 8;
  } else {
    options_.url = "sqlite:" + (folder_ / "outbox.db");
  }
  open();
  open_raw();
}

void StoreFixture::open() {
  Store store = must(open_store(options_, clock_));
  outbox_ = std::move(store.outbox);
  care_ = std::move(store.care);
  registry_ = std::move(store.registry);
  feed_ = std::move(store.feed);
  contents_ = std::move(store.contents);
  drafts_ = std::move(store.drafts);
  mailboxes_ = std::move(store.mailboxes);
  reports_ = std::move(store.reports);
  suppressions_ = std::move(store.suppressions);
  publishing_ = std::move(store.publishing);
  overview_ = std::move(store.overview);
  breakers_ = std::move(store.breakers);
}

// All: each of them keeps the file open.
void StoreFixture::close() {
  publishing_.reset();
  breakers_.reset();
  overview_.reset();
  suppressions_.reset();
  reports_.reset();
  mailboxes_.reset();
  drafts_.reset();
  contents_.reset();
  feed_.reset();
  registry_.reset();
  care_.reset();
  outbox_.reset();
}

void StoreFixture::open_raw() {
  raw_ = on_postgres() ? open_raw_postgres(options_.url) : open_raw_sqlite(folder_ / "outbox.db");
}

void StoreFixture::TearDown() {
  close();
  raw_.reset();
}

std::unique_ptr<Outbox> StoreFixture::open_another() {
  return must(open_outbox(options_, clock_));
}

void StoreFixture::reopen() {
  close();
  open();
}

void StoreFixture::reopen_with_broker() {
  options_.broker = true;
  reopen();
}

TimePoint StoreFixture::now() const {
  return on_postgres() ? SystemClock{}.now() : clock_.now();
}

void StoreFixture::travel(Duration by) {
  if (!on_postgres()) return clock_.advance(by);
  std::string all = "BEGIN;";
  for (const auto& [table, columns] : time_columns()) {
    std::string set;
    for (const char* column : columns)
      set += std::string(set.empty() ? "" : ", ") + column + " = " + column + " - interval '" +
             std::to_string(by.count()) + " microseconds'";
    all += std::string("UPDATE ") + table + " SET " + set + ";";
  }
  sql(all + "COMMIT;");
}

std::string StoreFixture::sql_time(TimePoint at) const {
  const std::string micros = std::to_string(at.time_since_epoch().count());
  return on_postgres() ? "(timestamptz 'epoch' + interval '" + micros + " microseconds')" : micros;
}

std::string StoreFixture::value(const std::string& text) {
  const std::vector<SqlRow> all = rows(text);
  if (all.size() != 1)
    throw std::runtime_error(std::to_string(all.size()) + " rows instead of 1 from: " + text);
  return all.front().at(0);
}

int StoreFixture::count(const std::string& table_and_condition) {
  return std::stoi(value("SELECT count(*) FROM " + table_and_condition));
}

AcceptOutcome StoreFixture::accept(const NewJob& job, AcceptRun run) {
  return must(outbox_->accept(std::span(&job, 1), run)).at(0);
}

JobId StoreFixture::accepted(const NewJob& job) {
  const AcceptOutcome outcome = accept(job);
  if (outcome.kind != AcceptKind::accepted || outcome.id != job.id)
    throw std::runtime_error("the job was not accepted");
  return outcome.id;
}

std::vector<JobId> StoreFixture::accepted_many(int n, const std::string& client) {
  std::vector<NewJob> jobs;
  std::vector<JobId> ids;
  for (int i = 0; i < n; ++i) {
    jobs.push_back(new_mail().from_client(client));
    ids.push_back(jobs.back().id);
  }
  for (std::size_t from = 0; from < jobs.size(); from += 500)
    must(outbox_->accept(std::span(jobs).subspan(from, std::min<std::size_t>(500, jobs.size() - from)),
                         AcceptRun::first));
  return ids;
}

LaneId StoreFixture::lane_of(const std::string& client, const std::string& pool) {
  return LaneId{
      std::stoi(value("SELECT l.id FROM lanes l JOIN clients c ON c.id = l.client_id JOIN dispatch_pools p "
                      "ON p.id = l.pool_id WHERE c.name = '" +
                      client + "' AND p.code = '" + pool + "'"))};
}

JobRecord StoreFixture::record(JobId id) {
  std::optional<JobRecord> found = must(outbox_->find(id, std::nullopt));
  if (!found) throw std::runtime_error("no job " + to_text(id));
  return *found;
}

std::vector<std::string> StoreFixture::moves(JobId id) {
  std::vector<std::string> all;
  for (const StatusEvent& event : must(outbox_->history(id)).events)
    all.push_back(event.from + " -> " + event.to);
  return all;
}

ActOutcome StoreFixture::act(JobId id, Act what, const std::string& client) {
  const auto found = must(outbox_->find(id, std::nullopt));
  ActRequest request{.act = what,
                     .channel = found ? found->job.channel : ChannelKind::mail,
                     .client = std::nullopt,
                     .actor = client.empty() ? "operator" : client,
                     .trace_id = "0af7651916cd43dd8448eb211c80319c"};
  if (!client.empty()) request.client = ClientName{client};
  return must(outbox_->act(std::span(&id, 1), request)).at(0);
}

::testing::AssertionResult about(std::optional<TimePoint> actual, TimePoint expected) {
  if (!actual) return ::testing::AssertionFailure() << "no time, expected " << to_rfc3339(expected);
  const Duration off = *actual > expected ? *actual - expected : expected - *actual;
  if (off <= kClockSlack) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << to_rfc3339(*actual) << " is not about " << to_rfc3339(expected);
}

std::string store_name(const ::testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace eilbote::test
