// A job as the outbox knows it, and the records around it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/ids.h"
#include "domain/names.h"

namespace eilbote {

// Who changed something, where it was no client: Eilbote itself, or a person at the machine or without identity.
inline constexpr std::string_view kEngineActor = "engine";
inline constexpr std::string_view kOperatorActor = "operator";

// The outbox row.
struct Job {
  JobId id;
  ChannelKind channel = ChannelKind::mail;
  ClientName client;
  std::string pool;
  std::string route;  // of a webhook: the endpoint's host; empty for mail
  JobStatus status = JobStatus::queued;
  int retry_count = 0;   // failed attempts
  int attempts_max = 5;  // outbox.max_attempts
  int attempts = 0;      // attempts on record, deferrals included
  int deferrals = 0;     // in a row
  int losses = 0;        // leases lost with their worker
  bool partial = false;  // some recipient was taken, others wait
  GroupMode group_mode = GroupMode::IMMEDIATE;
  bool holds_turn = false;  // of its group; known where an act decides, false elsewhere
  bool cancelling = false;  // cancelled while leased: the running attempt is its last; known as holds_turn
  std::optional<Report> report;
  std::optional<DeadReason> dead_reason;
  std::string last_error;
  TimePoint created_at{};
  TimePoint updated_at{};
  TimePoint next_attempt_at{};
  std::optional<TimePoint> last_attempt_at, finished_at, expires_at;
};

struct Recipient {
  RecipientKind kind = RecipientKind::to;
  std::string address;
  RecipientStatus status = RecipientStatus::waiting;
  std::string reply{};
  friend bool operator==(const Recipient&, const Recipient&) = default;
};

// One try to deliver, on record until retention.
struct Attempt {
  int number = 0;  // from 1
  LeaseToken token;
  TimePoint attempted_at{};
  TimePoint completed_at{};
  std::chrono::milliseconds duration{0};
  AttemptStatus status = AttemptStatus::SUCCESS;
  std::string route;
  std::string code;                // DeliveryResult::code
  std::optional<Verdict> verdict;  // the class; on record for every attempt
  int smtp_code = 0;
  std::string enhanced_code;
  int response_code = 0;
  std::string response_body;
  std::string diagnostic;
  std::string error_message;
  std::optional<ErrorType> error_type;
  bool deferral = false;
};

// A change of the public state.
struct StatusEvent {
  TimePoint at{};
  std::string from;  // empty: accepted
  std::string to;
  std::string reason;
  std::string actor;  // a client, kEngineActor or kOperatorActor
  std::string trace_id;
  friend bool operator==(const StatusEvent&, const StatusEvent&) = default;
};

}  // namespace eilbote
