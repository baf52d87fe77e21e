// Callbacks: every change of a mail's public state becomes a signed webhook job to the mail's callback, in order per
// mail. A chore of upkeep. The change was marked in its own transaction and the job carries a key made from it, so a crash
// or a second instance in the middle neither loses nor doubles one.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/tsid.h"
#include "ports/outbox.h"
#include "ports/status_feed.h"

namespace eilbote {

class CallbackDesk {
 public:
  // All of them outlive it. `on_accepted` is told the lanes of new jobs.
  CallbackDesk(Outbox& outbox, StatusFeed& feed, TsidFactory& ids, const Clock& clock, Duration expires_after,
               std::function<void(std::span<const LaneId>)> on_accepted)
      : outbox_(outbox),
        feed_(feed),
        ids_(ids),
        clock_(clock),
        expires_after_(expires_after),
        on_accepted_(std::move(on_accepted)) {}

  // Hands on what there is, up to a few hundred changes.
  Result<void> tell();

 private:
  Result<std::optional<NewJob>> job_of(const UntoldChange& change);

  Outbox& outbox_;
  StatusFeed& feed_;
  TsidFactory& ids_;
  const Clock& clock_;
  const Duration expires_after_;
  const std::function<void(std::span<const LaneId>)> on_accepted_;
};

}  // namespace eilbote
