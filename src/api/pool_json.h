// Pools between JSON and the domain. Used by the handlers of /dispatch-pools.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/problem.h"
#include "ports/registry.h"

namespace eilbote {

boost::json::object pool_json(const PoolRow& row);

// A pool as it shall be, out of a body and what it is now.
struct PoolReading {
  Pool pool;
  std::optional<Problem> problem;  // everything that is wrong with the body
};
// A new one: `code` is required, what is left out has its default.
PoolReading read_new_pool(std::string_view body);
// A change: what is left out stays as it is; null for a limit takes it away. The code cannot be changed.
PoolReading read_pool_change(std::string_view body, const Pool& now);

}  // namespace eilbote
