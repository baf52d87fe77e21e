// The report book on SQLite; shares the outbox's writer and readers. A report is one piece of the writer's work: whether its key
// is known, the mail by its references, its row, what was decided.
#include "ports/report_book.h"

#include <limits>

#include "domain/dsn.h"
#include "domain/states.h"
#include "store/report_rows.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

template <class Value>
std::optional<JobId> find_by(Session& session, const sql::Text& statement, const Value& value) {
  Run run = session.database.run(statement);
  if (!run.with(value).row()) return std::nullopt;
  return JobId{run.int8(0)};
}

std::optional<JobId> find_mail(Session& session, const ReportReference& reference) {
  if (reference.job)
    if (const auto found = find_by(session, q::find_mail_by_id, *reference.job)) return found;
  if (!reference.message_id.empty()) {
    if (const auto own = job_of_message_id(reference.message_id))
      if (const auto found = find_by(session, q::find_mail_by_id, *own)) return found;
    const std::string text = findable_text(reference.message_id);
    if (const auto found = find_by(session, q::find_mail_by_message_id, text)) return found;
  }
  if (reference.provider_id.empty()) return std::nullopt;
  return find_by(session, q::find_mail_by_provider_id, findable_text(reference.provider_id));
}

std::optional<JobId> find_mail(Session& session, const DeliveryReport& report) {
  const std::span<const ReportReference> all(report.references);
  for (const ReportReference& reference : all.first(std::min(all.size(), kReferencesMax)))
    if (const auto found = find_mail(session, reference)) return found;
  return std::nullopt;
}

// Nothing for a mail without content, which a foreign hand may leave.
std::optional<ReportedMail> read_mail_of_report(Session& session, JobId id) {
  ReportedMail mail;
  {
    Run run = session.database.run(q::lock_job);
    if (!run.with(id).row()) return std::nullopt;
    mail.job = read_locked(run, mail.group);
    mail.lane = read_lane(run);
  }
  if (const Lane* lane = session.directory.find(session.database, mail.lane)) {
    name_job(mail.job, *lane);
    mail.client_id = static_cast<std::int32_t>(lane->client_id);
  }
  {
    Run run = session.database.run(q::mail_of_report);
    if (!run.with(id).row()) return std::nullopt;
    read_reported(run, mail);
  }
  Run run = session.database.run(q::load_recipients);
  for (run.with(id); run.row();)
    read_recipient(run, mail.recipients);
  return mail;
}

void apply_row(Session& session, JobId id, const ReportDecision& decision) {
  std::optional<std::string_view> report, dead_reason, last_error;
  if (decision.report) report = kReportNames.text(*decision.report);
  if (decision.dead_reason) dead_reason = kDeadReasonNames.text(*decision.dead_reason);
  if (!decision.last_error.empty()) last_error = decision.last_error;
  std::optional<TimePoint> due;
  if (decision.delay) due = session.now + *decision.delay;
  session.database.run(q::apply_report)
      .with(id, kJobStatusNames.text(decision.status), report, dead_reason, decision.retry_count,
            decision.partial, due, last_error, is_final(decision.status), session.now)
      .done();
}

ReportOutcome apply(Session& session, const ReportedMail& mail, const ReportDecision& decision) {
  const JobId id = mail.job.id;
  ReportOutcome outcome = outcome_of(decision, mail);
  if (decision.changes_row) apply_row(session, id, decision);
  if (decision.ends_hand_over()) close_drafts(session, id);
  if (decision.delay) outcome.lane = mail.lane;
  GivenRows recipients;
  for (const RecipientResult& change : decision.recipients)
    recipients.add(id, change.index, kRecipientStatusNames.text(change.status), change.reply, session.now);
  if (!recipients.empty()) session.database.run(q::upsert_recipients).with(recipients).done();
  for (const StatusEvent& event : decision.events)
    write_event(session, id, event);
  for (const auto& [address, reason] : suppressions_of(decision, mail)) {
    Run run = session.database.run(q::insert_suppression);
    if (run.with(mail.client_id, address, reason, id, session.now).row())
      outcome.suppressed.push_back(address);
  }
  if (mail.group && decision.changes_row)
    for (const LaneId lane : promote(session, {*mail.group}))
      outcome.lane = lane;
  return outcome;
}

// Of a report whose key is there: what it was about.
std::optional<ReportOutcome> seen_before(Session& session, const DeliveryReport& report) {
  Run run = session.database.run(q::find_report);
  if (!run.with(report.key).row()) return std::nullopt;
  ReportOutcome outcome;
  outcome.kind = ReportKind::seen_before;
  if (!run.is_null(0)) outcome.job = JobId{run.int8(0)};
  return outcome;
}

// The number of the new row; nothing when the database failed, which the writer answers.
std::optional<std::int64_t> insert_report(Session& session, const DeliveryReport& report) {
  const std::string body = report_body(report);
  Run run = session.database.run(q::insert_report);
  if (!run.with(report.key, kReportSourceNames.text(report.source), body, session.now).row())
    return std::nullopt;
  return run.int8(0);
}

// The writer is alone, so what was looked at first is still so when the report is written.
Result<ReportOutcome> take_report(Session& session, const DeliveryReport& report, const RetryPolicy& policy,
                                  Random& random) {
  if (auto seen = seen_before(session, report)) return std::move(*seen);
  const auto id = find_mail(session, report);
  const auto mail = id ? read_mail_of_report(session, *id) : std::nullopt;
  // Before anything is written: an error of ours undoes nothing, only the database's own does.
  if (mail && is_too_early(mail->job, mail->recipients, report)) return fail(too_early_error());
  const auto number = insert_report(session, report);
  if (!mail || !number) return ReportOutcome{};
  session.database.run(q::match_report).with(*number, *id).done();
  const ReportRules rules{mail->retry.value_or(policy)};
  return apply(session, *mail, decide_report(mail->job, mail->recipients, report, rules, random));
}

std::vector<ReportRecord> list_reports(Reading& reading, const ReportQuery& query) {
  std::vector<ReportRecord> records;
  if (query.job && query.matched == false) return records;
  const std::int64_t before = query.before.value_or(std::numeric_limits<std::int64_t>::max());
  const auto read_all = [&](Run& run) {
    while (run.row())
      records.push_back(read_report(run));
  };
  if (query.job) {
    Run run = reading.database.run(q::list_reports_of);
    read_all(run.with(*query.job, before, query.limit));
  } else if (query.matched == false) {
    Run run = reading.database.run(q::list_reports_unmatched);
    read_all(run.with(before, query.limit));
  } else {
    Run run = reading.database.run(q::list_reports);
    read_all(run.with(query.matched.value_or(false), before, query.limit));
  }
  return records;
}

class SqliteReports final : public ReportBook {
 public:
  SqliteReports(std::shared_ptr<Parts> parts, RetryPolicy policy)
      : parts_(std::move(parts)), policy_(std::move(policy)) {}

  Result<ReportOutcome> take(const DeliveryReport& report) override {
    auto taken =
        parts_->writer->run([&](Session& session) { return take_report(session, report, policy_, random_); });
    if (!taken) return fail(taken.error());
    return std::move(*taken);
  }
  Result<std::vector<ReportRecord>> reports(const ReportQuery& query) override {
    return parts_->readers->read([&](Reading& reading) { return list_reports(reading, query); });
  }

 private:
  std::shared_ptr<Parts> parts_;  // with the outbox
  const RetryPolicy policy_;
  SystemRandom random_;
};

}  // namespace

void report_sent(Session& session, JobId job) {
  std::optional<Report> report;
  {
    Run run = session.database.run(q::report_sent);
    if (run.with(job, session.now).row()) report = kReportNames.parse(run.text(0));
  }
  if (!report) return;
  const MailState state = report == Report::bounced ? MailState::BOUNCED : MailState::DELIVERED;
  StatusEvent event;
  event.from = kMailStateNames.text(MailState::SENT);
  event.to = kMailStateNames.text(state);
  event.reason = kReportedBefore;
  event.actor = kEngineActor;
  write_event(session, job, event);
}

std::unique_ptr<ReportBook> make_reports(std::shared_ptr<Parts> parts, RetryPolicy policy) {
  return std::make_unique<SqliteReports>(std::move(parts), std::move(policy));
}

}  // namespace eilbote::sqlite
