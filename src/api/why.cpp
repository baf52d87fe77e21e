// GET /jobs/{id}/why: in one sentence, why a job is not running now. For mails and webhook jobs alike.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/publishing.h"
#include "domain/public_state.h"
#include "domain/states.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

std::string ended(const Job& job) {
  const std::string at = job.finished_at ? " at " + to_rfc3339(*job.finished_at) : "";
  if (job.status == JobStatus::sent) return "it was delivered" + at;
  if (job.status == JobStatus::cancelled) return "it was cancelled" + at;
  return fmt::format("it died{}: {}; retry sends it again", at,
                     job.dead_reason ? kDeadReasonNames.text(*job.dead_reason) : std::string_view("failed"));
}

std::string group_of(const JobRecord& record) {
  return record.webhook ? record.webhook->message_group : std::string();
}

// In its group's line: behind a dead job, or behind one that is under way.
std::string in_line(const Call& call, const JobRecord& record, TimePoint now) {
  if (record.job.next_attempt_at > now)
    return fmt::format("it joins its group's line at {}", to_rfc3339(record.job.next_attempt_at));
  BlockedGroupQuery query;
  query.client = record.job.client;
  query.group = group_of(record);
  const auto blocked = call.context.registry.blocked_groups(query);
  if (blocked && !query.group.empty())
    for (const BlockedGroup& group : *blocked)
      if (group.channel == record.job.channel)
        return fmt::format("its group is blocked by the dead job {}: retry, skip or cancel that one",
                           to_text(group.blocking));
  return "it waits for its turn: one job of its group goes out at a time";
}

std::string waiting(const Call& call, const Job& job, TimePoint now) {
  if (job.next_attempt_at > now) {
    const std::string at = to_rfc3339(job.next_attempt_at);
    if (job.attempts == 0) return "it is scheduled for " + at;
    return fmt::format("its last attempt {}; the next one is at {}",
                       job.deferrals > 0 ? "was put off by the other side" : "failed", at);
  }
  if (travels(call.context, job.pool))
    if (const TransportState state = call.context.settings.broker(); !state.connected)
      return fmt::format("it waits to be published: the broker is away ({})", state.detail);
  if (const auto held = call.context.ledger.held_back(job)) return *held;
  return "nothing holds it back: it goes out in a moment";
}

// On its way to a worker, by a broker.
std::string carried(const Call& call, const Job& job) {
  if (job.status == JobStatus::publishing) return "it is being handed to the broker";
  std::string words = "it lies in the broker's queue, since " + to_rfc3339(job.updated_at);
  const auto& broker = call.context.settings.broker;
  if (const TransportState state = broker ? broker() : TransportState{true, {}}; !state.connected)
    return words + fmt::format("; the broker is away ({})", state.detail);
  return words + ", and waits for a worker";
}

std::string why(const Call& call, const JobRecord& record) {
  const Job& job = record.job;
  const TimePoint now = call.context.clock.now();
  if (is_final(job.status)) return ended(job);
  if (job.status == JobStatus::publishing || job.status == JobStatus::published) return carried(call, job);
  if (is_leased(job.status))
    return "it is being delivered, since " + to_rfc3339(job.last_attempt_at.value_or(now));
  return job.status == JobStatus::blocked ? in_line(call, record, now) : waiting(call, job, now);
}

// A client needs the scope of the job's own channel; the route opens with either.
bool may_read(const Caller& caller, ChannelKind channel) {
  return !caller.only() ||
         caller.has(channel == ChannelKind::mail ? Scope::mail_status_read : Scope::webhook_status_read);
}

}  // namespace

void get_why(const CallPtr& call) {
  const auto id = parse_job_id(call->params.at(0));
  const Problem missing{ProblemKind::not_found, "there is no job with this id", {}};
  if (!id) return call->reply(missing);
  call->on_worker([call, id = *id, missing] {
    const auto record = call->context.outbox.find(id, call->caller.only());
    if (!record) return call->reply(to_problem(record.error()));
    if (!*record || !may_read(call->caller, (*record)->job.channel)) return call->reply(missing);
    json::object body;
    body["id"] = to_text(id);
    body["status"] = public_state_text((*record)->job, call->view());
    body["why"] = why(*call, **record);
    call->reply_json(200, json::serialize(body));
  });
}

}  // namespace eilbote
