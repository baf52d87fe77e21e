// What people do with one job, or with many that are dead: cancel, retry, abandon, requeue; for mails and webhook jobs.
#include <fmt/format.h>

#include <boost/json/serialize.hpp>

#include "api/acts.h"
#include "api/handlers.h"
#include "api/requeue.h"
#include "api/webhook_json.h"
#include "domain/public_state.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

// Why a mail whose state otherwise allows an act does not.
const char* why_not(Act act, const Job& mail) {
  if (is_leased(mail.status)) return " and being delivered right now";
  const bool stops = act == Act::cancel || act == Act::abandon;
  return stops && mail.partial && !is_final(mail.status) ? ", and some recipients have it already" : "";
}

Problem refused(Act act, const Job& job, const WebhookView& view) {
  const bool mail = job.channel == ChannelKind::mail;
  return {ProblemKind::conflict,
          fmt::format("{} is not possible: the {} is {}{}", kActNames.text(act), mail ? "message" : "job",
                      public_state_text(job, view), mail ? why_not(act, job) : ""),
          {}};
}

// How an act that was done is answered.
using ActDone = void (*)(Call& call, Act act, const ActOutcome& outcome);

void act_on(const CallPtr& call, Act act, const JobResource& jobs, ActDone done) {
  const auto id = id_or_404(*call, jobs);
  if (!id) return;
  call->on_worker([call, act, &jobs, done, id = *id] {
    const auto outcomes = call->context.outbox.act({&id, 1}, act_request(*call, act, jobs.channel));
    if (!outcomes) return call->reply(to_problem(outcomes.error()));
    const ActOutcome& outcome = outcomes->front();
    after_act(*call, act, outcome);
    if (outcome.kind == ActKind::not_found) return call->reply(jobs.missing());
    if (outcome.kind == ActKind::refused) return call->reply(refused(act, outcome.job, call->view()));
    done(*call, act, outcome);
  });
}

void reply_mail_state(Call& call, Act act, const ActOutcome& outcome) {
  if (act == Act::cancel) return call.reply_json(204, "");
  call.reply_json(200, fmt::format(R"({{"messageId":"{}","status":"{}"}})", to_text(outcome.id),
                                   kMailStateNames.text(mail_state(outcome.job))));
}

void reply_whole_job(Call& call, Act, const ActOutcome& outcome) {
  const auto record = call.context.outbox.find(outcome.id, std::nullopt);
  if (!record) return call.reply(to_problem(record.error()));
  if (!*record || !kDispatchJobs.holds(**record)) return call.reply(kDispatchJobs.missing());
  call.reply_json(200, boost::json::serialize(dispatch_job_json(**record, call.view())));
}

}  // namespace

void cancel_message(const CallPtr& call) {
  act_on(call, Act::cancel, kMessages, reply_mail_state);
}
void retry_message(const CallPtr& call) {
  act_on(call, Act::retry, kMessages, reply_mail_state);
}
void abandon_message(const CallPtr& call) {
  act_on(call, Act::abandon, kMessages, reply_mail_state);
}
void requeue_messages(const CallPtr& call) {
  requeue(call, kMessages);
}

void cancel_dispatch_job(const CallPtr& call) {
  act_on(call, Act::cancel, kDispatchJobs, reply_whole_job);
}
void retry_dispatch_job(const CallPtr& call) {
  act_on(call, Act::retry, kDispatchJobs, reply_whole_job);
}
void requeue_dispatch_jobs(const CallPtr& call) {
  requeue(call, kDispatchJobs);
}

}  // namespace eilbote
