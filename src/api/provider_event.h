// A provider's event as JSON (POST /webhooks/provider): read strictly, all faults at once, into a delivery report. Pure.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "api/problem.h"
#include "base/time.h"
#include "domain/delivery_report.h"

namespace eilbote {

// Its key is made from the canonical JSON of the body: a repetition is the same event, however it is spaced. Nobody's clock is
// trusted with the past, since a repetition does nothing; a time over a day after `now` is a fault.
tl::expected<DeliveryReport, Problem> read_provider_event(std::string_view body, TimePoint now);

}  // namespace eilbote
