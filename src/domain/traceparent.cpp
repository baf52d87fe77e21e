#include "domain/traceparent.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hex.h"

namespace eilbote {
namespace {

bool is_trace_id(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of(kLowerHex) == std::string_view::npos &&
         text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

// The finalizer of splitmix64.
std::string traceparent(std::string_view trace_id, std::uint64_t seed) {
  if (!is_trace_id(trace_id)) return {};
  std::uint64_t span = seed;
  span = (span ^ (span >> 30)) * 0xBF58476D1CE4E5B9U;
  span = (span ^ (span >> 27)) * 0x94D049BB133111EBU;
  span ^= span >> 31;
  return fmt::format("00-{}-{:016x}-01", trace_id, std::max<std::uint64_t>(span, 1));
}

}  // namespace eilbote
