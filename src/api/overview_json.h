// The overview as JSON, for GET /overview and its stream. Called by api/overview_hub.cpp, once for all who watch.
#pragma once

#include <string>

#include "domain/overview.h"

namespace eilbote {

// `whole`: with the seconds and minutes of the past.
std::string overview_json(const Overview& seen, bool whole);

}  // namespace eilbote
