#include "api/acts.h"

#include "engine/outcome_report.h"

namespace eilbote {

ActRequest act_request(const Call& call, Act act, ChannelKind channel) {
  const Caller& caller = call.caller;
  const bool by_client = act == Act::cancel || channel == ChannelKind::webhook;
  // Whoever acts on another client's job is named in full.
  const bool as_client = by_client && (caller.only() || caller.is_local());
  return {act, channel, by_client ? caller.only() : std::nullopt,
          as_client ? caller.client().value() : caller.actor(), call.trace.trace_id};
}

void after_act(const Call& call, Act act, const ActOutcome& outcome) {
  if (outcome.kind != ActKind::done) return;
  report_act(act, call.context.metrics);
  const LaneId lane = outcome.lane;
  call.context.due.nearby({&lane, 1});
}

}  // namespace eilbote
