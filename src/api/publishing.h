// What the API knows of jobs that travel by a broker: which do, and how an answer waits for the broker to have a new one. The
// answer waits, no thread does: it is given by whoever learns first, the publisher's thread or its clock.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <string>

#include "api/api.h"

namespace eilbote {

// How long the answer to a new webhook job waits for the broker's confirm.
inline constexpr Duration kPublishPatience = std::chrono::milliseconds{250};

// Whether jobs of this pool travel: there is a broker, and the pool is not limited (its home takes those from the database).
bool travels(const ApiContext& context, const std::string& pool);

// Whether a new job can be in the broker a moment after its commit: it is due now, stands in no line, and the broker is there.
bool publishes_at_once(const ApiContext& context, const NewJob& job);

// `answer` gets the job's text, its status last because it is known last: QUEUED if the broker has it within the patience, else
// PENDING. Only where publishes_at_once said so.
void answer_when_published(const ApiContext& context, JobId id, std::string text_without_status,
                           std::function<void(std::string text)> answer);
// The text of a job whose status is not known yet, for the above.
std::string without_status(boost::json::object job);

}  // namespace eilbote
