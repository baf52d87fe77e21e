#include "domain/tsid.h"

#include <algorithm>

namespace eilbote {
namespace {

constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr TimePoint kEpochStart{std::chrono::sys_days{std::chrono::year{2020} / 1 / 1}};
constexpr int kNodeBits = 10;
constexpr int kCountBits = 12;
constexpr int kShift = kNodeBits + kCountBits;

std::int64_t millis_of(TimePoint at) {
  return std::chrono::floor<std::chrono::milliseconds>(at - kEpochStart).count();
}

}  // namespace

std::string to_text(JobId id) {
  std::string text(13, '0');
  auto bits = static_cast<std::uint64_t>(id.value());
  for (int i = 12; i >= 0; --i, bits >>= 5)
    text[static_cast<std::size_t>(i)] = kAlphabet[bits & 31];
  return text;
}

std::optional<JobId> parse_job_id(std::string_view text) {
  if (text.size() != 13) return std::nullopt;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 32) : text[i];
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos || (i == 0 && digit > 7)) return std::nullopt;
    bits = (bits << 5) | digit;
  }
  return JobId{static_cast<std::int64_t>(bits)};
}

TimePoint tsid_time(JobId id) {
  return kEpochStart + std::chrono::milliseconds{id.value() >> kShift};
}

JobId tsid_floor(TimePoint at) {
  constexpr std::int64_t kLastMilli = (std::int64_t{1} << 41) - 1;
  return JobId{std::clamp<std::int64_t>(millis_of(at), 0, kLastMilli) << kShift};
}

JobId TsidFactory::next(TimePoint now) {
  const MutexLock lock(mutex_);
  const std::int64_t current = millis_of(now);
  if (current > millis_) {
    millis_ = current;
    count_ = 0;
  } else if (++count_ == (1 << kCountBits)) {
    ++millis_;  // borrow from the next millisecond rather than wait or repeat
    count_ = 0;
  }
  return JobId{(millis_ << kShift) | (node_ << kCountBits) | count_};
}

}  // namespace eilbote
