// Accepting jobs: keys first, then rows, content, facets and first events, then the turns of groups.
#include <algorithm>
#include <deque>
#include <unordered_set>

#include "domain/names.h"
#include "store/content_json.h"
#include "store/sqlite/operations.h"
#include "store/trace_column.h"
#include "store/webhook_json.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// More of them make moving cheaper, and a search and the commit that moves them longer.
constexpr std::int64_t kFacetInboxMax = 2048;

std::optional<std::string_view> text_or_null(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

// Takes the job's key, or answers what its owner makes of this request.
AcceptOutcome take_key(Session& session, const NewJob& job, std::int64_t client_id, AcceptRun run) {
  const Blob fingerprint{{reinterpret_cast<const char*>(job.fingerprint.data()), job.fingerprint.size()}};
  const int taken =
      session.database.run(q::insert_keys)
          .with(client_id, job.idempotency_key, fingerprint, job.id, session.now + job.key_life, session.now)
          .done();
  if (taken > 0) return {AcceptKind::accepted, job.id, {}};
  Run owner = session.database.run(q::find_keys);
  if (!owner.with(client_id, job.idempotency_key).row()) return {};
  const JobId first{owner.int8(0)};
  if (run == AcceptRun::again && first == job.id) return {AcceptKind::accepted, job.id, {}};
  const bool same = owner.text(1) == fingerprint.bytes;
  return {same ? AcceptKind::replayed : AcceptKind::conflict, first, {}};
}

std::int64_t last_place(Session& session, std::int64_t how_many) {
  Run run = session.database.run(q::next_places);
  return run.with(how_many).row() ? run.int8(0) : 0;
}

// The rows of a batch, each table's together. Texts that are made here are kept here; the others are the
// jobs'.
class Batch {
 public:
  Batch(Session& session, bool broker) : session_(session), broker_(broker) {}

  void add(const NewJob& job, const Lane& lane, std::int64_t& place) {
    add_row(job, lane, place);
    added_.emplace_back(&job, lane.client_id);
  }

  // Writes everything, then gives the turns of the groups that got longer.
  void write(AcceptRun run) {
    if (rows_.empty()) return;
    if (run == AcceptRun::again)
      insert_again();
    else
      insert(q::insert_outbox, rows_);
    for (const auto& [job, client_id] : added_)
      add_records(*job, client_id);
    insert(q::insert_messages, content_);
    insert(q::insert_webhooks, webhooks_);
    insert(q::insert_first_events, events_);
    insert_facets();
    promote(session_, groups_);
  }

 private:
  void add_row(const NewJob& job, const Lane& lane, std::int64_t& place) {
    const std::optional<std::int64_t> group = group_number(job);
    std::optional<std::int64_t> own_place;
    std::optional<std::string_view> mode;
    if (group) {
      own_place = place++;
      mode = kGroupModeNames.text(job.group_mode);
      groups_.insert(*group);
    }
    const JobStatus status = group ? JobStatus::blocked : JobStatus::queued;
    const TimePoint due = std::max(session_.now, job.scheduled_for.value_or(session_.now));
    rows_.add(job.id, lane.id, lane.client_id, kChannelNames.text(job.channel), kJobStatusNames.text(status),
              job.attempts_max, due, job.expires_at, session_.now, group, mode, own_place, job.sequence,
              job.callback);
  }

  // What was there already, by the commit whose answer was lost, is there completely.
  void insert_again() {
    std::unordered_set<JobId> inserted;
    Run run = session_.database.run(q::insert_outbox_again);
    for (run.with(rows_); run.row();)
      inserted.insert(JobId{run.int8(0)});
    std::erase_if(added_, [&](const auto& entry) { return !inserted.contains(entry.first->id); });
  }

  void add_records(const NewJob& job, std::int64_t client_id) {
    job.channel == ChannelKind::mail ? add_mail(job, client_id) : add_webhook(job, client_id);
    events_.add(job.id, session_.now, first_state(job, broker_), "accepted", job.client, job.trace_id);
    for (const std::int64_t hash : facets_of(job))
      facets_.emplace_back(job.id, hash);
  }

  // The same facet twice on a job counts once.
  void insert_facets() {
    std::sort(facets_.begin(), facets_.end());
    facets_.erase(std::unique(facets_.begin(), facets_.end()), facets_.end());
    GivenRows facets;
    for (const auto& [id, hash] : facets_)
      facets.add(id, hash);
    insert(q::insert_facets, facets);
    Run waiting = session_.database.run(q::count_new_facets);
    if (!waiting.row() || waiting.int8(0) < kFacetInboxMax) return;
    session_.database.run(q::index_new_facets).done();
    session_.database.run(q::empty_facet_inbox).done();
  }

  void add_webhook(const NewJob& job, std::int64_t client_id) {
    const std::string& content = made_.emplace_back(webhook_to_json(job.webhook));
    const std::string& trace = made_.emplace_back(trace_column(job.trace_id, job.trace_span));
    webhooks_.add(job.id, client_id, session_.now, content, trace, text_or_null(job.idempotency_key),
                  job.webhook.payload);
  }

  void add_mail(const NewJob& job, std::int64_t client_id) {
    const NewMail& mail = job.mail;
    const std::string& recipients = made_.emplace_back(recipients_to_json(mail.recipients));
    const std::string& trace = made_.emplace_back(trace_column(job.trace_id, job.trace_span));
    std::optional<std::string_view> retry;
    if (mail.retry) retry = made_.emplace_back(retry_to_json(*mail.retry));
    content_.add(job.id, client_id, session_.now, mail.sender, recipients, mail.meta, retry,
                 kOnUncertainNames.text(mail.on_uncertain), trace, text_or_null(job.idempotency_key),
                 static_cast<std::int64_t>(mail.mime.size()), Blob{mail.mime});
  }

  void insert(const sql::Text& statement, const GivenRows& rows) {
    if (!rows.empty()) session_.database.run(statement).with(rows).done();
  }

  Session& session_;
  const bool broker_;
  std::vector<std::pair<const NewJob*, std::int64_t>> added_;  // with its client's number
  std::deque<std::string> made_;
  GivenRows rows_, content_, webhooks_, events_;
  std::vector<std::pair<JobId, std::int64_t>> facets_;
  Groups groups_;
};

}  // namespace

std::vector<AcceptOutcome> accept(Session& session, std::span<const NewJob> jobs, AcceptRun run,
                                  bool broker) {
  std::vector<AcceptOutcome> outcomes;
  outcomes.reserve(jobs.size());
  const auto grouped = std::count_if(jobs.begin(), jobs.end(),
                                     [](const NewJob& job) { return group_number(job).has_value(); });
  std::int64_t place = grouped > 0 ? last_place(session, grouped) - grouped + 1 : 0;
  Batch batch(session, broker);
  for (const NewJob& job : jobs) {
    if (session.database.failed()) break;
    const Lane& lane =
        session.directory.lane(session.database, {job.pool, job.client, job.channel, job.route}, session.now);
    AcceptOutcome outcome{AcceptKind::accepted, job.id, {}};
    if (!job.idempotency_key.empty()) outcome = take_key(session, job, lane.client_id, run);
    if (outcome.kind == AcceptKind::accepted) {
      outcome.lane = lane.id;
      batch.add(job, lane, place);
    }
    outcomes.push_back(std::move(outcome));
  }
  batch.write(run);
  return outcomes;
}

}  // namespace eilbote::sqlite
