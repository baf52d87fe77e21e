// The check of targets when a job is created: the outbound gate over what a name resolves to at that moment. Used by the API.
#pragma once

#include <memory>

#include "net/name_lookup.h"
#include "net/outbound_gate.h"
#include "ports/outbound_check.h"

namespace eilbote {

// `gate` outlives it. `lookup` runs on threads of its own.
std::unique_ptr<OutboundCheck> make_outbound_check(const OutboundGate& gate,
                                                   NameLookup lookup = look_up_name);

}  // namespace eilbote
