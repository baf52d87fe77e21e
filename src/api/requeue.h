// POST /messages/requeue and /dispatch-jobs/requeue: send again what is dead, by ids or by filter.
#pragma once

#include "api/job_resource.h"

namespace eilbote {

void requeue(const CallPtr& call, const JobResource& jobs);

}  // namespace eilbote
