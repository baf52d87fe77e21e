// The report book on PostgreSQL; shares the outbox's connections. A report is one transaction in four steps: its row (who comes
// with the same key waits for it), the mail by its references, the mail's locks, what was decided. The row of the report comes
// before every other lock, and nobody who holds one of those asks for it, so nobody waits in a circle.
#include "ports/report_book.h"

#include "domain/dsn.h"
#include "domain/states.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"
#include "store/report_rows.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

Params one_id(std::int64_t id) {
  return std::move(Params().add(id));
}

Params one_text(std::string_view reference) {
  return std::move(Params().add(findable_text(reference)));
}

// All ways to the mail, in the order they are to be tried.
Calls ways_to(const DeliveryReport& report) {
  Calls calls;
  const std::span<const ReportReference> all(report.references);
  for (const ReportReference& reference : all.first(std::min(all.size(), kReferencesMax))) {
    if (reference.job) calls.push_back({&q::find_mail_by_id, one_id(reference.job->value())});
    if (!reference.message_id.empty()) {
      if (const auto own = job_of_message_id(reference.message_id))
        calls.push_back({&q::find_mail_by_id, one_id(own->value())});
      calls.push_back({&q::find_mail_by_message_id, one_text(reference.message_id)});
    }
    if (!reference.provider_id.empty())
      calls.push_back({&q::find_mail_by_provider_id, one_text(reference.provider_id)});
  }
  return calls;
}

Result<std::optional<JobId>> find_mail(Connection& connection, const DeliveryReport& report) {
  const Calls calls = ways_to(report);
  if (calls.empty()) return std::nullopt;
  auto answers = connection.run(calls);
  if (!answers) return fail(answers.error());
  for (const Rows& rows : *answers)
    if (!rows.empty()) return JobId{rows[0].int8(0)};
  return std::nullopt;
}

// Nothing when retention was faster.
Result<std::optional<ReportedMail>> lock_mail(Connection& connection, Directory& directory, JobId id) {
  Calls calls;
  calls.push_back({&q::lock_groups_of, std::move(Params().add(int8_array(std::span(&id, 1))))});
  calls.push_back({&q::lock_job, one_id(id.value())});
  calls.push_back({&q::mail_of_report, one_id(id.value())});
  calls.push_back({&q::load_recipients, std::move(Params().add(int8_array(std::span(&id, 1))))});
  auto found = connection.run(calls);
  if (!found) return fail(found.error());
  const Rows &rows = (*found)[1], &contents = (*found)[2];
  if (rows.empty() || contents.empty()) return std::nullopt;
  if (auto known = directory.know_lanes(connection, rows); !known) return fail(known.error());
  ReportedMail mail;
  mail.job = read_locked(rows[0], mail.group);
  mail.lane = read_lane(rows[0]);
  if (const auto lane = directory.lane(mail.lane)) {
    name_job(mail.job, *lane);
    mail.client_id = lane->client_id;
  }
  read_reported(contents[0], mail);
  for (const Row row : (*found)[3])
    read_recipient(row, mail.recipients);
  return mail;
}

Call apply_call(JobId id, const ReportDecision& decision) {
  Params params;
  params.add(id.value()).add(kJobStatusNames.text(decision.status));
  decision.report ? params.add(kReportNames.text(*decision.report)) : params.add_null(Type::text);
  decision.dead_reason ? params.add(kDeadReasonNames.text(*decision.dead_reason))
                       : params.add_null(Type::text);
  params.add(static_cast<std::int32_t>(decision.retry_count)).add(decision.partial);
  decision.delay ? params.add(*decision.delay) : params.add_null(Type::int8);
  decision.last_error.empty() ? params.add_null(Type::text) : params.add(decision.last_error);
  params.add(is_final(decision.status));
  return {&q::apply_report, std::move(params)};
}

void add_recipients_call(Calls& calls, JobId id, const std::vector<RecipientResult>& changes) {
  if (changes.empty()) return;
  Array job(Type::int8), n(Type::int4), status(Type::text), reply(Type::text);
  for (const RecipientResult& change : changes) {
    job.add(id.value());
    n.add(static_cast<std::int32_t>(change.index));
    status.add(kRecipientStatusNames.text(change.status));
    reply.add(change.reply);
  }
  Params params;
  for (Array* array : {&job, &n, &status, &reply})
    params.add(std::move(*array));
  calls.push_back({&q::upsert_recipients, std::move(params)});
}

// Writes the decision down and commits.
Result<ReportOutcome> carry_out(Connection& connection, std::int64_t number, const ReportedMail& mail,
                                const ReportDecision& decision) {
  const JobId id = mail.job.id;
  Calls calls;
  calls.push_back({&q::match_report, std::move(Params().add(number).add(id.value()))});
  if (decision.changes_row) calls.push_back(apply_call(id, decision));
  if (decision.ends_hand_over()) calls.push_back(close_drafts_call(std::span(&id, 1)));
  add_recipients_call(calls, id, decision.recipients);
  EventRows events;
  for (const StatusEvent& event : decision.events)
    events.add(id.value(), event);
  std::move(events).write(calls);
  const std::size_t suppress_from = calls.size();
  for (const auto& [address, reason] : suppressions_of(decision, mail))
    calls.push_back({&q::insert_suppression,
                     std::move(Params().add(mail.client_id).add(address).add(reason).add(id.value()))});
  const std::size_t suppress_to = calls.size();
  const bool promotes = mail.group && decision.changes_row;
  if (promotes)
    calls.push_back({&q::promote_groups, std::move(Params().add(int8_array(std::span(&*mail.group, 1))))});
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());

  ReportOutcome outcome = outcome_of(decision, mail);
  for (std::size_t i = suppress_from; i < suppress_to; ++i)
    for (const Row row : (*done)[i])
      outcome.suppressed.emplace_back(row.text(0));
  if (decision.delay) outcome.lane = mail.lane;
  if (promotes && !(*done)[suppress_to].empty()) outcome.lane = read_lane((*done)[suppress_to][0]);
  return outcome;
}

// A report of this key is there: what it was about, and the end of the transaction.
Result<ReportOutcome> seen_before(Connection& connection, const DeliveryReport& report) {
  Calls calls;
  calls.push_back({&q::find_report, std::move(Params().add(report.key))});
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());
  ReportOutcome outcome;
  outcome.kind = ReportKind::seen_before;
  const Rows& rows = done->front();
  if (!rows.empty() && !rows[0].is_null(0)) outcome.job = JobId{rows[0].int8(0)};
  return outcome;
}

Result<ReportOutcome> take_report(Connection& connection, Directory& directory, const DeliveryReport& report,
                                  const RetryPolicy& policy, Random& random) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  Params row;
  row.add(report.key).add(kReportSourceNames.text(report.source)).add(report_body(report));
  calls.push_back({&q::insert_report, std::move(row)});
  auto begun = connection.run(calls);
  if (!begun) return fail(begun.error());
  if (begun->back().empty()) return seen_before(connection, report);
  const std::int64_t number = begun->back()[0].int8(0);

  const auto id = find_mail(connection, report);
  if (!id) return fail(id.error());
  std::optional<ReportedMail> mail;
  if (*id) {
    auto locked = lock_mail(connection, directory, **id);
    if (!locked) return fail(locked.error());
    mail = std::move(*locked);
  }
  if (!mail) {
    if (auto kept = connection.run(q::commit_transaction); !kept) return fail(kept.error());
    return ReportOutcome{};
  }
  // The transaction is not committed: whoever lends the connection rolls it back, and the report's row with it.
  if (is_too_early(mail->job, mail->recipients, report)) return fail(too_early_error());
  const ReportRules rules{mail->retry.value_or(policy)};
  return carry_out(connection, number, *mail,
                   decide_report(mail->job, mail->recipients, report, rules, random));
}

Result<std::vector<ReportRecord>> list_reports(Connection& connection, const ReportQuery& query) {
  std::vector<ReportRecord> records;
  if (query.job && query.matched == false) return records;
  const sql::Text* statement = &q::list_reports;
  Params params;
  if (query.job) {
    statement = &q::list_reports_of;
    params.add(query.job->value());
  } else if (query.matched == false) {
    statement = &q::list_reports_unmatched;
  } else {
    params.add(query.matched.value_or(false));
  }
  query.before ? params.add(*query.before) : params.add_null(Type::int8);
  params.add(static_cast<std::int32_t>(query.limit));
  auto rows = connection.run(*statement, std::move(params));
  if (!rows) return fail(rows.error());
  for (const Row row : *rows)
    records.push_back(read_report(row));
  return records;
}

class PostgresReports final : public ReportBook {
 public:
  PostgresReports(std::shared_ptr<ConnectionPool> pool, RetryPolicy policy)
      : pool_(std::move(pool)), policy_(std::move(policy)) {}

  Result<ReportOutcome> take(const DeliveryReport& report) override {
    return pool_->with_connection(
        [&](Connection& c) { return take_report(c, directory_, report, policy_, random_); });
  }
  Result<std::vector<ReportRecord>> reports(const ReportQuery& query) override {
    return pool_->with_connection([&](Connection& c) { return list_reports(c, query); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
  const RetryPolicy policy_;
  Directory directory_;  // of its own
  SystemRandom random_;
};

}  // namespace

Call report_sent_call(std::span<const JobId> jobs) {
  Params params;
  params.add(int8_array(jobs));
  for (const MailState state : {MailState::SENT, MailState::DELIVERED, MailState::BOUNCED})
    params.add(kMailStateNames.text(state));
  params.add(kReportedBefore).add(kEngineActor);
  return {&q::report_sent, std::move(params)};
}

std::unique_ptr<ReportBook> make_reports(std::shared_ptr<ConnectionPool> pool, RetryPolicy policy) {
  return std::make_unique<PostgresReports>(std::move(pool), std::move(policy));
}

}  // namespace eilbote::postgres
