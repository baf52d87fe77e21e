#include "channel/graph_kept_mailbox.h"

#include <algorithm>

#include "base/log.h"
#include "domain/address.h"

namespace eilbote {

Duration pause_after(int failures) {
  return std::min(WatchErrand::kPauseMin * (1 << std::clamp(failures, 0, 16)), WatchErrand::kPauseMax);
}

void WatchErrand::went_well(const std::string& mailbox, Steady next) {
  if (!trouble.empty())
    log::info("the Graph watch works again", {{"errand", name}, {"domain", address_domain(mailbox)}});
  trouble.clear();
  failures = 0;
  due = next;
}

void WatchErrand::failed(const std::string& mailbox, const std::string& why, Steady now,
                         std::optional<Duration> retry_after) {
  if (trouble != why)
    log::warning("the Graph watch cannot do its work; it tries again",
                 {{"errand", name}, {"domain", address_domain(mailbox)}, {"error", why}});
  trouble = why;
  due = now + std::max(pause_after(failures++), retry_after.value_or(Duration::zero()));
}

}  // namespace eilbote
