// The generated documents: docs/states.md, docs/metrics.md, docs/errors.md and the list of routes, as `eilbote describe`
// prints them.
#pragma once

#include <string>
#include <vector>

#include "cli/cli.h"

namespace eilbote::cli {

std::string states_markdown();
std::string metrics_markdown();
std::string errors_markdown();
std::string routes_markdown(const std::vector<RouteLine>& routes);

}  // namespace eilbote::cli
