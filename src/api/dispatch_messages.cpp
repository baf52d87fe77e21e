// POST /internal/dispatch*: deliver now what is due, or one message, and say what became of it (the Airflow
// mode).
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/job_resource.h"
#include "api/json_body.h"
#include "api/limits.h"
#include "api/message_json.h"
#include "domain/public_state.h"
#include "engine/outcome_report.h"

namespace eilbote {
namespace {

namespace json = boost::json;

struct DispatchBody {
  int batch_size = kDispatchBatchDefault;
  bool dry_run = false;
  std::int64_t wait_seconds = kDispatchWaitDefault;
};

constexpr FieldRow<DispatchBody> kFields[] = {
    {"batchSize",
     [](DispatchBody& b, const json::value& v, const Place& p) {
       b.batch_size =
           static_cast<int>(read_integer(v, p, 1, kDispatchBatchMax).value_or(kDispatchBatchDefault));
     }},
    {"dryRun", [](DispatchBody& b, const json::value& v,
                  const Place& p) { b.dry_run = read_flag(v, p).value_or(false); }},
    {"waitSeconds",
     [](DispatchBody& b, const json::value& v, const Place& p) {
       b.wait_seconds = read_integer(v, p, 0, kDispatchWaitMax).value_or(kDispatchWaitDefault);
     }},
};

void answer(Call& call, std::size_t dispatched, json::array items) {
  json::object body;
  body["dispatched"] = dispatched;
  body["maxAttempts"] = call.context.settings.mail_retry.attempts_max;
  body["items"] = std::move(items);
  call.reply_json(200, json::serialize(body));
}

void answer_report(Call& call, const Result<DispatchReport>& report) {
  if (!report) return call.reply(to_problem(report.error()));
  if (report->refused)
    return call.reply(Problem{ProblemKind::conflict,
                              "the message cannot be delivered now: it is being delivered, "
                              "is finished, or waits for its group's turn",
                              {}});
  json::array items;
  for (const Job& job : report->jobs)
    items.push_back(dispatch_item_json(job));
  answer(call, report->jobs.size(), std::move(items));
}

void name_candidates(const CallPtr& call, int batch_size) {
  ListQuery query;
  query.due_only = true;
  query.limit = batch_size;
  const auto page = call->context.outbox.list(query);
  if (!page) return call->reply(to_problem(page.error()));
  json::array items;
  for (const JobRecord& record : page->jobs)
    items.push_back(dispatch_item_json(record.job));
  answer(*call, 0, std::move(items));
}

void dispatch_now(const CallPtr& call, DispatchOrder order) {
  call->context.ledger.dispatch(
      std::move(order), [call](const Result<DispatchReport>& report) { answer_report(*call, report); });
}

// Whether nobody here could deliver; then it is said before anything is changed.
bool refuse_idle(Call& call) {
  const std::string& idle = call.context.settings.delivers_nothing;
  if (!idle.empty()) call.reply(Problem{ProblemKind::unavailable, idle, {}});
  return !idle.empty();
}

// A failed one is opened again first; what cannot be claimed is said before the ledger is asked.
std::optional<Problem> prepare(const Call& call, JobId id) {
  const auto record = call.context.outbox.find(id, std::nullopt);
  if (!record) return to_problem(record.error());
  if (!*record || !kMessages.holds(**record)) return kMessages.missing();
  const Job& job = (*record)->job;
  if (is_leased(job.status))
    return Problem{ProblemKind::conflict, "the message is being delivered right now", {}};
  if (job.status == JobStatus::sent || job.status == JobStatus::cancelled)
    return Problem{ProblemKind::conflict,
                   "the message is " + std::string(kMailStateNames.text(mail_state(job))) + " already",
                   {}};
  if (job.status != JobStatus::failed) return std::nullopt;
  const auto acted = call.context.outbox.act(
      {&id, 1}, {Act::retry, ChannelKind::mail, std::nullopt, call.caller.actor(), call.trace.trace_id});
  if (!acted) return to_problem(acted.error());
  if (acted->front().kind != ActKind::done)
    return Problem{ProblemKind::conflict,
                   "the message cannot be sent again: it was changed meanwhile; read it again",
                   {}};
  report_act(Act::retry, call.context.metrics);
  return std::nullopt;
}

}  // namespace

void dispatch_batch(const CallPtr& call) {
  DispatchBody body;
  if (!read_body(*call, kFields, body)) return;
  if (body.dry_run) return call->on_worker([call, n = body.batch_size] { name_candidates(call, n); });
  if (refuse_idle(*call)) return;
  dispatch_now(call, {body.batch_size, std::nullopt, std::chrono::seconds{body.wait_seconds}});
}

void dispatch_message(const CallPtr& call) {
  const auto id = id_or_404(*call, kMessages);
  if (!id) return;
  static constexpr FieldRow<DispatchBody> kOneFields[] = {kFields[2]};
  DispatchBody body;
  if (!read_body(*call, kOneFields, body)) return;
  if (refuse_idle(*call)) return;
  call->on_worker([call, id = *id, wait = std::chrono::seconds{body.wait_seconds}] {
    if (const auto problem = prepare(*call, id)) return call->reply(*problem);
    dispatch_now(call, {1, id, wait});
  });
}

}  // namespace eilbote
