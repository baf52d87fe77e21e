// What an act of a person needs before and after it, for mails and webhook jobs alike.
#pragma once

#include "api/call.h"
#include "domain/acts.h"

namespace eilbote {

ActRequest act_request(const Call& call, Act act, ChannelKind channel);
// What the rest of the engine should know about an act that was done.
void after_act(const Call& call, Act act, const ActOutcome& outcome);

}  // namespace eilbote
