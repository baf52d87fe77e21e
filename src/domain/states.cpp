#include "domain/states.h"

#include <algorithm>
#include <array>

namespace eilbote {
namespace {

using S = JobStatus;
using E = JobEvent;

// Read it beside the diagram in states.h.
constexpr std::array kTransitions{
    JobTransition{S::queued, E::claim, S::dispatching},
    JobTransition{S::queued, E::publish, S::publishing},
    JobTransition{S::queued, E::cancel, S::cancelled},
    JobTransition{S::queued, E::expire, S::failed},
    JobTransition{S::queued, E::exhaust, S::failed},
    JobTransition{S::queued, E::abandon, S::failed},

    JobTransition{S::blocked, E::promote, S::queued},
    JobTransition{S::blocked, E::cancel, S::cancelled},
    JobTransition{S::blocked, E::expire, S::failed},
    JobTransition{S::blocked, E::abandon, S::failed},

    JobTransition{S::publishing, E::mark_published, S::published},
    JobTransition{S::publishing, E::start, S::dispatching},
    JobTransition{S::publishing, E::rescue, S::queued},
    JobTransition{S::publishing, E::release, S::queued},
    JobTransition{S::publishing, E::lose, S::failed},
    JobTransition{S::publishing, E::cancel, S::cancelled},
    JobTransition{S::publishing, E::abandon, S::failed},

    JobTransition{S::published, E::start, S::dispatching},
    JobTransition{S::published, E::unpublish, S::queued},
    JobTransition{S::published, E::cancel, S::cancelled},
    JobTransition{S::published, E::expire, S::failed},
    JobTransition{S::published, E::abandon, S::failed},

    JobTransition{S::dispatching, E::settle_sent, S::sent},
    JobTransition{S::dispatching, E::settle_retry, S::queued},
    JobTransition{S::dispatching, E::settle_block, S::blocked},
    JobTransition{S::dispatching, E::settle_failed, S::failed},
    JobTransition{S::dispatching, E::release, S::queued},
    JobTransition{S::dispatching, E::rescue, S::queued},
    JobTransition{S::dispatching, E::lose, S::failed},
    JobTransition{S::dispatching, E::cancel,
                  S::dispatching},  // a webhook only, and only marked; domain/acts.h
    JobTransition{S::dispatching, E::stop, S::cancelled},

    JobTransition{S::in_flight, E::rescue, S::queued},
    JobTransition{S::in_flight, E::lose, S::failed},

    JobTransition{S::sent, E::report, S::sent},
    JobTransition{S::sent, E::report_failed, S::failed},
    JobTransition{S::sent, E::reopen, S::queued},
    JobTransition{S::sent, E::retry, S::queued},  // only when it bounced; domain/acts.h asks for that

    JobTransition{S::failed, E::retry, S::queued},
    JobTransition{S::failed, E::report, S::sent},  // only when uncertain; domain/report_rules.h asks for that
    JobTransition{S::failed, E::cancel,
                  S::cancelled},  // only in its group's turn; domain/acts.h asks for that
};

}  // namespace

std::span<const JobTransition> job_transitions() {
  return kTransitions;
}

std::optional<JobStatus> next_status(JobStatus from, JobEvent event) {
  for (const JobTransition& t : kTransitions)
    if (t.from == from && t.event == event) return t.to;
  return std::nullopt;
}

bool is_leased(JobStatus status) {
  return status == S::dispatching || status == S::in_flight || status == S::publishing;
}

bool is_final(JobStatus status) {
  return status == S::sent || status == S::failed || status == S::cancelled;
}

bool mail_move_is_legal(MailState from, MailState to) {
  using M = MailState;
  constexpr std::array kMoves{
      std::pair{M::QUEUED, M::SENT},
      std::pair{M::SENT, M::DELIVERED},
      std::pair{M::SENT, M::BOUNCED},
      std::pair{M::QUEUED, M::CANCELLED},
      std::pair{M::QUEUED, M::FAILED},
      std::pair{M::SENT, M::FAILED},
      std::pair{M::RETRY_PENDING, M::FAILED},
      std::pair{M::SENT, M::RETRY_PENDING},
      std::pair{M::QUEUED, M::RETRY_PENDING},
      std::pair{M::RETRY_PENDING, M::SENT},
      std::pair{M::RETRY_PENDING, M::CANCELLED},
      std::pair{M::FAILED, M::SENT},     // uncertain, and a report says that it arrived somewhere
      std::pair{M::FAILED, M::QUEUED},   // an operator's "send again"
      std::pair{M::BOUNCED, M::QUEUED},  // an operator's "send again"
  };
  return std::find(kMoves.begin(), kMoves.end(), std::pair{from, to}) != kMoves.end();
}

}  // namespace eilbote
