// What the API says about a mail, as JSON.
#pragma once

#include <boost/json/object.hpp>

#include "domain/job.h"
#include "ports/outbox.h"

namespace eilbote {

boost::json::object message_json(const JobRecord& record);
boost::json::object attempt_json(JobId id, const Attempt& attempt);
boost::json::object event_json(const StatusEvent& event);
// The short form of /internal/dispatch.
boost::json::object dispatch_item_json(const Job& job);

}  // namespace eilbote
