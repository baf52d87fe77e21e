// POST /messages/requeue and /dispatch-jobs/requeue: send again what is dead, by ids or by filter.
#pragma once

#include "api/list_filter.h"

namespace eilbote {

struct RequeueKind {
  ChannelKind channel;
  FilterTable filters;
  // Sets what a filter without a status means; a text says that the status given cannot be requeued.
  std::string (*settle_state)(ListQuery& query);
};
void requeue(const CallPtr& call, const RequeueKind& kind);

}  // namespace eilbote
