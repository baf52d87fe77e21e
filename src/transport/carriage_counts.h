// What becomes of parcels, on the metrics; the same for every broker.
#pragma once

#include <string>

#include "base/enum_names.h"
#include "metrics/metrics.h"
#include "ports/transport.h"

namespace eilbote {

inline constexpr auto kCarriageNames = enum_names<Carriage>(
    {{Carriage::confirmed, "confirmed"}, {Carriage::refused, "refused"}, {Carriage::unknown, "unknown"}});
static_assert(kCarriageNames.complete());

inline void count_carriage(Metrics& metrics, CarrierQueue queue, Carriage carriage) {
  const std::string name(kCarrierQueueNames.text(queue));
  if (carriage == Carriage::confirmed)
    metrics.add(Metric::broker_published, 1, {name});
  else
    metrics.add(Metric::broker_publish_failed, 1, {name, std::string(kCarriageNames.text(carriage))});
}

}  // namespace eilbote
