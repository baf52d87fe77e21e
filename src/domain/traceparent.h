// The header that carries a job's trace on to whoever it is delivered to (W3C trace context). Pure. Used by the requests of
// webhooks and of Microsoft Graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eilbote {

// "00-TRACE-SPAN-01". The span comes from `seed`, mixed so that neighbours have nothing in common. Empty where `trace_id` is
// not 32 lower case hex digits.
std::string traceparent(std::string_view trace_id, std::uint64_t seed);

}  // namespace eilbote
