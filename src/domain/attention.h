// What in an overview wants a person, the worst first. Pure: values in, list out. The limits are those of the alerts
// (deploy/prometheus/alerts.yml), so that the console and the alarms say the same. The page makes the sentences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "domain/overview.h"

namespace eilbote {

enum class AttentionCode {
  nothing_delivers,     // no living instance does
  route_down,           // subject: the route, detail: why, count: what waits for it
  broker_away,          // detail: why
  disk_low,             // detail: per cent that are free
  pool_late,            // subject: the pool, since: its oldest due job is, count: due
  groups_blocked,       // count
  dead_letters,         // count: of the last day
  clock_skew,           // detail: seconds
  certificate_expires,  // of the listener; since: when
  credential_expires,   // subject: which, since: when
  pool_suspended,       // subject: the pool, count: what waits in it
};
inline constexpr auto kAttentionCodeNames =
    enum_names<AttentionCode>({{AttentionCode::nothing_delivers, "nothing_delivers"},
                               {AttentionCode::route_down, "route_down"},
                               {AttentionCode::broker_away, "broker_away"},
                               {AttentionCode::disk_low, "disk_low"},
                               {AttentionCode::pool_late, "pool_late"},
                               {AttentionCode::groups_blocked, "groups_blocked"},
                               {AttentionCode::dead_letters, "dead_letters"},
                               {AttentionCode::clock_skew, "clock_skew"},
                               {AttentionCode::certificate_expires, "certificate_expires"},
                               {AttentionCode::credential_expires, "credential_expires"},
                               {AttentionCode::pool_suspended, "pool_suspended"}});

enum class Urgency { critical, warning, notice };
inline constexpr auto kUrgencyNames = enum_names<Urgency>(
    {{Urgency::critical, "critical"}, {Urgency::warning, "warning"}, {Urgency::notice, "notice"}});
static_assert(kAttentionCodeNames.complete() && kUrgencyNames.complete());

struct Attention {
  AttentionCode code = AttentionCode::dead_letters;
  Urgency severity = Urgency::warning;
  std::string subject{};
  std::optional<TimePoint> since{};
  std::int64_t count = 0;
  std::string detail{};
  std::optional<ChannelKind> channel{};  // of a route: what waits for it

  friend bool operator==(const Attention&, const Attention&) = default;
};

// By severity, then by code, then by count.
std::vector<Attention> attention(const Overview& seen);

}  // namespace eilbote
