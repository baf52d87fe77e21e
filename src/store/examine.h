// Looks a database over for `eilbote doctor`, through a connection of its own: nothing is changed, and a server that runs on
// it is not disturbed. Blocks for as long as the database takes; the caller has a deadline.
#pragma once

#include <vector>

#include "domain/finding.h"
#include "store/store.h"

namespace eilbote {

// Whether it can be reached, its version, schema, settings and plans, its clock, the instances on it, and how old its oldest
// due job is.
std::vector<Finding> examine_store(const StoreOptions& options, const Clock& clock);

// Reads all of a SQLite file to see whether it is whole, which takes its time when it is large. Nothing on PostgreSQL.
std::vector<Finding> verify_store(const StoreOptions& options);

}  // namespace eilbote
