// The status feed: changes of public states that somebody outside waits for (mails with a callback), until they have
// become webhook jobs. Written by the outbox in the transaction of the change itself, so none is lost. The rules of
// ports/outbox.h hold here too.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "domain/job.h"

namespace eilbote {

struct UntoldChange {
  JobId job;
  std::int64_t seq = 0;  // grows with time inside a job
  StatusEvent event;
};

class StatusFeed {
 public:
  virtual ~StatusFeed() = default;
  // At most `limit` changes, those of one job in their order.
  virtual Result<std::vector<UntoldChange>> untold(int limit) = 0;
  // They were handed on; telling twice is harmless.
  virtual Result<void> told(std::span<const UntoldChange> changes) = 0;
};

}  // namespace eilbote
