// What goes on the audit record of a change made through the API: who, what, before and after. Nothing that is shown in
// an answer is a secret, so nothing here is: both are what the API itself would show.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "api/call.h"
#include "ports/registry.h"

namespace eilbote {

// `target`: "pool:mail". Something new has no `before`, so all of `after` is on record; else only what differs.
AuditEntry audit_entry(const Call& call, std::string act, std::string target,
                       const boost::json::object& before, const boost::json::object& after);

}  // namespace eilbote
