#include "store/swept_job.h"

#include "domain/public_state.h"

namespace eilbote {

StatusEvent event_of_end(const SweptJob& swept, const Move& move) {
  Job job;
  job.channel = swept.channel;
  job.status = move.before;
  job.retry_count = swept.retry_count;
  job.deferrals = swept.deferrals;
  job.partial =
      swept.partial || swept.status == JobStatus::sent;  // sent is what was partly handed over before
  std::string from = public_state_text(job);
  job.status = swept.status;
  job.dead_reason = swept.dead_reason;
  return {{}, std::move(from), public_state_text(job), std::string(move.reason), std::string(kEngineActor),
          ""};
}

}  // namespace eilbote
