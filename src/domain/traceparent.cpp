#include "domain/traceparent.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/hex.h"

namespace eilbote {
namespace {

constexpr std::size_t kSpanIdLength = 16;

bool is_id(std::string_view text, std::size_t length) {
  const auto is_lower_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
  return text.size() == length && std::ranges::all_of(text, is_lower_hex) &&
         text.find_first_not_of('0') != std::string_view::npos;
}

// The finalizer of splitmix64: neighbours have nothing in common.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

}  // namespace

bool is_trace_id(std::string_view text) {
  return is_id(text, 32);
}

std::string to_text(const TraceSpan& span) {
  return span.id + (span.sampled ? "-01" : "-00");
}

std::optional<TraceSpan> parse_trace_span(std::string_view text) {
  if (text.size() != kSpanIdLength + 3) return std::nullopt;
  const std::string_view id = text.substr(0, kSpanIdLength), flags = text.substr(kSpanIdLength);
  if (!is_id(id, kSpanIdLength) || (flags != "-00" && flags != "-01")) return std::nullopt;
  return TraceSpan{std::string(id), flags == "-01"};
}

std::string attempt_span_id(JobId job, LeaseToken token) {
  const std::uint64_t bits =
      mixed(mixed(static_cast<std::uint64_t>(job.value())) + static_cast<std::uint64_t>(token.value()));
  return to_hex(std::max<std::uint64_t>(bits, 1));  // zero would be no id
}

std::string traceparent(std::string_view trace_id, const TraceSpan& span) {
  if (!is_trace_id(trace_id)) return {};
  std::string text;
  text.reserve(55);  // W3C's length of it
  return text.append("00-").append(trace_id).append("-").append(to_text(span));
}

// Of the last 56 bits, which W3C asks to be random whoever made the id, as many as a double holds exactly.
bool in_sample(std::string_view trace_id, double part) {
  if (!is_trace_id(trace_id)) return false;
  const std::string_view random = trace_id.substr(18);
  std::uint64_t bits = 0;
  std::from_chars(random.data(), random.data() + random.size(), bits, 16);
  return static_cast<double>(bits >> 3) < part * 0x1.0p53;
}

}  // namespace eilbote
