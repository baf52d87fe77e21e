// A webhook job as JSON: read into the domain's Webhook with all its faults at once (wrong types and unknown fields
// found here, the rules found by check_webhook), and written out under the names it came with.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "api/api.h"
#include "api/problem.h"
#include "domain/public_state.h"
#include "domain/webhook.h"

namespace eilbote {

struct WebhookReading {
  Webhook webhook;
  std::string client_id;           // empty: the caller's
  std::optional<Problem> problem;  // absent: the job keeps the rules
};
WebhookReading read_webhook(const boost::json::value& body, const WebhookLimits& limits, TimePoint now);

// The whole job; `attempts` only where the history is at hand. A list's jobs come without payload.
boost::json::object dispatch_job_json(const JobRecord& record, const WebhookView& view);
void put_attempts(boost::json::object& job, JobId id, const JobHistory& history);
boost::json::object dispatch_attempt_json(JobId id, const Attempt& attempt);

}  // namespace eilbote
