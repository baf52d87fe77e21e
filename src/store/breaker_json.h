// What an instance tells of its breakers, as it lies in the database; the same in both stores.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/overview.h"

namespace eilbote {

// At most kBreakersToldMax; a reason is cut, and made fit to store.
std::string breakers_to_json(std::span<const RouteLoad> breakers);
// What a newer program wrote and this one does not know is left out.
void add_breakers(std::vector<RouteLoad>& all, std::string_view instance, std::string_view json);

// A JSON array of texts.
std::vector<std::string> routes_from_json(std::string_view json);

}  // namespace eilbote
