// Accepting jobs: keys first, then rows, content, facets and first events, then the turns of groups.
#include "base/sha256.h"
#include "domain/names.h"
#include "store/content_json.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// How long an Idempotency-Key is remembered.
constexpr Duration kKeyLife = std::chrono::hours{24};

std::optional<std::string_view> text_or_null(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

bool is_grouped(const NewJob& job) {
  return !job.group.empty() && job.group_mode != GroupMode::IMMEDIATE;
}

std::int64_t group_of(const NewJob& job) {
  return hash64({job.client.value(), kChannelNames.text(job.channel), job.group});
}

// Takes the job's key, or answers what its owner makes of this request.
AcceptOutcome take_key(Session& session, const NewJob& job, std::int64_t client_id, AcceptRun run) {
  const Blob fingerprint{{reinterpret_cast<const char*>(job.fingerprint.data()), job.fingerprint.size()}};
  const int taken =
      session.database.run(q::insert_keys)
          .with(client_id, job.idempotency_key, fingerprint, job.id, session.now + kKeyLife, session.now)
          .done();
  if (taken > 0) return {AcceptKind::accepted, job.id, {}};
  Run owner = session.database.run(q::find_keys);
  if (!owner.with(client_id, job.idempotency_key).row()) return {};
  const JobId first{owner.integer(0)};
  if (run == AcceptRun::again && first == job.id) return {AcceptKind::accepted, job.id, {}};
  const bool same = owner.text(1) == fingerprint.bytes;
  return {same ? AcceptKind::replayed : AcceptKind::conflict, first, {}};
}

bool is_there(Session& session, JobId id) {
  return session.database.run(q::find_outbox_id).with(id).row();
}

std::int64_t last_place(Session& session, std::int64_t how_many) {
  Run run = session.database.run(q::next_places);
  return run.with(how_many).row() ? run.integer(0) : 0;
}

void insert_row(Session& session, const NewJob& job, const Lane& lane, std::int64_t& place) {
  std::optional<std::int64_t> group, own_place;
  std::optional<std::string_view> mode;
  if (is_grouped(job)) {
    group = group_of(job);
    own_place = place++;
    mode = kGroupModeNames.text(job.group_mode);
  }
  const JobStatus status = group ? JobStatus::blocked : JobStatus::queued;
  session.database.run(q::insert_outbox)
      .with(job.id, lane.id, lane.client_id, kChannelNames.text(job.channel), kJobStatusNames.text(status),
            job.attempts_max, std::max(session.now, job.scheduled_for.value_or(session.now)), job.expires_at,
            session.now, group, mode, own_place, job.sequence)
      .done();
}

void insert_content(Session& session, const NewJob& job, std::int64_t client_id) {
  const NewMail& mail = job.mail;
  const std::string recipients = recipients_to_json(mail.recipients);
  std::optional<std::string> retry;
  if (mail.retry) retry = retry_to_json(*mail.retry);
  session.database.run(q::insert_messages)
      .with(job.id, client_id, session.now, mail.sender, recipients, mail.meta, retry,
            kOnUncertainNames.text(mail.on_uncertain), job.trace_id, text_or_null(job.idempotency_key),
            static_cast<std::int64_t>(mail.mime.size()), Blob{mail.mime})
      .done();
  session.database.run(q::insert_events)
      .with(job.id, 1, session.now, "", kMailStateNames.text(MailState::QUEUED), "accepted", job.client,
            job.trace_id)
      .done();
  for (const std::int64_t facet : facets_of(job.client, mail.recipients, mail.tags, mail.campaign_id))
    session.database.run(q::insert_facets).with(facet, job.id).done();
}

}  // namespace

std::vector<AcceptOutcome> accept(Session& session, std::span<const NewJob> jobs, AcceptRun run) {
  std::vector<AcceptOutcome> outcomes;
  outcomes.reserve(jobs.size());
  const auto grouped = std::count_if(jobs.begin(), jobs.end(), is_grouped);
  std::int64_t place = grouped > 0 ? last_place(session, grouped) - grouped + 1 : 0;
  Groups groups;
  for (const NewJob& job : jobs) {
    if (session.database.failed()) break;
    const Lane& lane =
        session.directory.lane(session.database, {job.pool, job.client, job.channel, job.route}, session.now);
    AcceptOutcome outcome{AcceptKind::accepted, job.id, {}};
    if (!job.idempotency_key.empty()) outcome = take_key(session, job, lane.client_id, run);
    if (outcome.kind == AcceptKind::accepted) {
      outcome.lane = lane.id;
      if (run == AcceptRun::first || !is_there(session, job.id)) {
        insert_row(session, job, lane, place);
        insert_content(session, job, lane.client_id);
        if (is_grouped(job)) groups.insert(group_of(job));
      }
    }
    outcomes.push_back(std::move(outcome));
  }
  promote(session, groups);
  return outcomes;
}

}  // namespace eilbote::sqlite
