#include "api/trace_context.h"

#include <algorithm>

#include "base/hex.h"

namespace eilbote {
namespace {

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of(kLowerHex) == std::string_view::npos;
}
bool is_zero(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '0'; });
}

// version "-" trace-id "-" parent-id "-" flags; a later version may say more after a dash.
bool is_traceparent(std::string_view text) {
  if (text.size() < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  const std::string_view version = text.substr(0, 2);
  if (!is_lower_hex(version) || version == "ff") return false;
  if (version == "00" ? text.size() != 55 : text.size() > 55 && text[55] != '-') return false;
  const std::string_view trace = text.substr(3, 32), parent = text.substr(36, 16), flags = text.substr(53, 2);
  return is_lower_hex(trace) && is_lower_hex(parent) && is_lower_hex(flags) && !is_zero(trace) &&
         !is_zero(parent);
}

// Never zero: that would be no id at all.
std::uint64_t some_bits(Random& random) {
  return random.bits() | 1;
}

}  // namespace

bool TraceContext::sampled() const {
  return flags.size() == 2 && (hex_value(flags[1]) & 1) != 0;
}

TraceContext make_trace(std::string_view traceparent, Random& random) {
  TraceContext trace;
  trace.span_id = to_hex(some_bits(random));
  if (is_traceparent(traceparent)) {
    trace.trace_id = traceparent.substr(3, 32);
    trace.flags = traceparent.substr(53, 2);
    trace.parent_id = traceparent.substr(36, 16);
  } else {
    trace.trace_id = to_hex(random.bits()) + to_hex(some_bits(random));
    trace.flags = "00";
  }
  return trace;
}

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

}  // namespace eilbote
