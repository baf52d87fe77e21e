// What /messages and /dispatch-jobs have of their own where they are otherwise alike: reading, listing, acting,
// requeue. Used by read_jobs.cpp, act_on_jobs.cpp, requeue.cpp and dispatch_messages.cpp. (What is said while jobs are
// handed in is in accepting.h.)
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/call.h"
#include "api/list_filter.h"

namespace eilbote {

struct JobResource {
  ChannelKind channel;
  std::string_view one;  // "message"
  FilterTable (*filters)();
  boost::json::object (*write)(const JobRecord& record, const WebhookView& view);
  boost::json::object (*write_attempt)(JobId id, const Attempt& attempt);
  // For a requeue: sets what a filter without a status means; a text says that the status given cannot be requeued.
  std::string (*settle_state)(ListQuery& query);

  // False: the id is that of another kind of job, or its content is gone.
  bool holds(const JobRecord& record) const;
  // "there is no message with this id"
  Problem missing() const;
};
extern const JobResource kMessages, kDispatchJobs;

// The id in the path; answers 404 when it cannot be one.
std::optional<JobId> id_or_404(Call& call, const JobResource& jobs);

}  // namespace eilbote
