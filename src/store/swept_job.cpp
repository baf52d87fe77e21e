#include "store/swept_job.h"

#include "domain/acts.h"
#include "domain/public_state.h"
#include "domain/states.h"

namespace eilbote {
namespace {

StatusEvent event_of_change(const SweptJob& swept, const Move& move, bool broker) {
  Job job;
  job.channel = swept.channel;
  job.status = move.before;
  job.retry_count = swept.retry_count;
  job.deferrals = swept.deferrals;
  job.partial =
      swept.partial || swept.status == JobStatus::sent;  // sent is what was partly handed over before
  std::string from = public_state_text(job, when_due(job, broker));
  job.status = swept.status;
  job.dead_reason = swept.dead_reason;
  return {{},
          std::move(from),
          public_state_text(job, when_due(job, broker)),
          std::string(move.reason),
          std::string(kEngineActor),
          ""};
}

}  // namespace

std::optional<StatusEvent> event_of_sweep(const SweptJob& swept, const Move& move, bool broker) {
  if (swept.status == JobStatus::cancelled)  // a webhook that was cancelled while it was leased
    return event_of_stop(std::nullopt);
  if (is_final(swept.status)) return event_of_change(swept, move, broker);
  if (move.before != kUnpublish.before) return std::nullopt;
  StatusEvent event = event_of_change(swept, move, broker);
  if (event.from == event.to) return std::nullopt;
  return event;
}

}  // namespace eilbote
