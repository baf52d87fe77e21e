// TSIDs: 64 bits = 42 bits of milliseconds since 2020-01-01T00:00:00Z, 10 bits of the instance, 12 bits that
// count. Time-ordered, unique and monotonic in a process; two live instances never share their 10 bits. Text:
// 13 Crockford base32 characters, the form in JSON, file names and logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/time.h"
#include "domain/ids.h"

namespace eilbote {

std::string to_text(JobId id);
// Accepts lower case; nullopt for anything that is not 13 characters of the alphabet or overflows 63 bits.
std::optional<JobId> parse_job_id(std::string_view text);

TimePoint tsid_time(JobId id);
// The smallest id of that millisecond: the bounds that turn a range of time into a range of ids.
JobId tsid_floor(TimePoint at);

// Makes ids for one instance. Safe to call from many threads.
class TsidFactory {
 public:
  explicit TsidFactory(Epoch epoch) : node_(static_cast<std::int64_t>(epoch.value()) & 0x3FF) {}
  // Monotonic even when the clock stands still, jumps back, or gives more than 4,096 ids in a millisecond.
  JobId next(TimePoint now);

 private:
  const std::int64_t node_;
  Mutex mutex_;
  std::int64_t millis_ EILBOTE_GUARDED_BY(mutex_) = 0;
  std::int64_t count_ EILBOTE_GUARDED_BY(mutex_) = 0;
};

}  // namespace eilbote
