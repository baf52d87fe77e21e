// POST /dispatch-jobs/{id}/cancel, /{id}/retry and /requeue.
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

const Problem kMissing{ProblemKind::not_found, "there is no dispatch job with this id", {}};

void act_on_job(const CallPtr& call, Act act) {
  const auto id = parse_job_id(call->params.at(0));
  if (!id) return call->reply(kMissing);
  call->on_worker([call, act, id = *id] {
    const auto outcomes = call->context.outbox.act({&id, 1}, act_request(*call, act, ChannelKind::webhook));
    if (!outcomes) return call->reply(to_problem(outcomes.error()));
    const ActOutcome& outcome = outcomes->front();
    after_act(*call, act, outcome);
    if (outcome.kind == ActKind::not_found) return call->reply(kMissing);
    const TimePoint now = call->context.clock.now();
    if (outcome.kind == ActKind::refused)
      return call->reply(Problem{ProblemKind::conflict,
                                 fmt::format("{} is not possible: the job is {}", kActNames.text(act),
                                             public_state_text(outcome.job, now)),
                                 {}});
    const auto record = call->context.outbox.find(id, std::nullopt);
    if (!record) return call->reply(to_problem(record.error()));
    if (!*record || !(*record)->webhook) return call->reply(kMissing);
    call->reply_json(200, boost::json::serialize(dispatch_job_json(**record, now)));
  });
}

// Only what failed for good is delivered again.
std::string settle_job_state(ListQuery& query) {
  const bool can = !query.webhook.state || query.webhook.state == WebhookState::ERROR;
  query.webhook.state = WebhookState::ERROR;
  query.webhook.dead = true;
  return can ? "" : "must be ERROR: only what failed is delivered again";
}

}  // namespace

void cancel_dispatch_job(const CallPtr& call) {
  act_on_job(call, Act::cancel);
}
void retry_dispatch_job(const CallPtr& call) {
  act_on_job(call, Act::retry);
}
void requeue_dispatch_jobs(const CallPtr& call) {
  requeue(call, {ChannelKind::webhook, job_filters(), settle_job_state});
}

}  // namespace eilbote
