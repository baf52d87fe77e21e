// An attempt that is over: what came of it, as a settlement. Made by the pure decision after_attempt, with what goes on
// record around it; nothing here measures or logs (outcome_report.h). Used by the courier for attempts of this process, and
// by the orphan desk for those of one that died.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "domain/retry_policy.h"
#include "engine/attempt_trace.h"
#include "ports/outbox.h"

namespace eilbote {

struct CourierRules {
  RetryPolicy mail_policy;  // for jobs without one of their own
  Duration uncertain_delay = std::chrono::minutes{10};
  bool broker = false;                  // webhooks that wait are PENDING until they are in it
  Tracer* tracer = nullptr;             // null: attempts are not traced
  std::string mail_span = "mail send";  // what an attempt of a mail is called in traces
};

// What must be remembered while an attempt is under way.
struct Started {
  ClaimedJob claimed;
  std::vector<Recipient> recipients;
  AttemptRules rules;
  std::string route;
  std::string trace_id;
  AttemptTrace trace;
  bool probe = false;
  bool broker = false;
  TimePoint at{};
  Clock::Steady began{};
};
Started make_started(ClaimedJob claimed, const MailContent& content, const CourierRules& rules,
                     const std::string& route, const Clock& clock);
// `probe`: it finds out whether its host is back; if not, that burns no attempt.
Started make_started(ClaimedJob claimed, const WebhookContent& content, const CourierRules& rules, bool probe,
                     const Clock& clock);

// Waits to be settled.
struct Finished {
  Settlement settlement;
  Job after;  // the job as it will be once settled
  std::string pool;
  LaneId lane;
  Verdict verdict = Verdict::released;  // of the channel
  std::string text;
  std::string route;  // it went by
  std::string trace_id;
  bool probe = false;
  bool counted = true;  // false: neither its pool nor its route has counted it
  bool alarm = false;   // the route or the sender wants a person
  Duration took{0};
  Clock::Steady at{};
};
// Handed on as a pointer: a kilobyte of texts, and many hands.
using FinishedPtr = std::unique_ptr<const Finished>;

std::unique_ptr<Finished> make_finished(const Started& started, DeliveryResult&& result, const Clock& clock,
                                        Random& random);

}  // namespace eilbote
