// What mails and webhook jobs share on their way in: the body read on the right thread, the items of a batch, and what the
// intake's answers mean to people.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "api/batch_answer.h"
#include "engine/intake.h"

namespace eilbote {

// The words of one resource.
struct Accepting {
  std::string_view one, many;  // "message", "messages"; a batch may be an object with the member `many`
  std::string_view key;        // what its idempotency key is called
  int status;                  // of a batch's answer
};
inline constexpr Accepting kMails{"message", "messages", "Idempotency-Key", 202};
inline constexpr Accepting kJobs{"job", "jobs", "idempotencyKey", 201};

// Larger bodies are read by a worker: parsing them would hold up the HTTP thread.
void accept_body(const CallPtr& call, void (*accept)(const CallPtr&));

using AcceptItem = std::function<void(const std::shared_ptr<BatchAnswer>& batch,
                                      const boost::json::value& item, std::size_t index)>;
// Always on a worker: some of a thousand items refers to something that has to be looked up.
void accept_batch(const CallPtr& call, const Accepting& what, AcceptItem accept);

// Too many wait already.
Problem intake_full(const Call& call, const Accepting& what);
// Absent: accepted, now or before.
std::optional<Problem> problem_of(const IntakeAnswer& answer, const Accepting& what);

}  // namespace eilbote
