// What a broker carries: the name of a job and the attempt it is to be started for, and the letter about a dead one. Only
// names travel; what is true of a job stands in the database. Pure. Written by the scheduler, read by workers and by foreign
// programs that know nothing but these fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/ids.h"
#include "domain/names.h"

namespace eilbote {

// Where messages wait. Their names at RabbitMQ; other brokers that know fewer characters change them as they must.
enum class CarrierQueue {
  mail_send,     // a mail to be sent
  webhook_send,  // a webhook job to be delivered
  mail_retry,    // a mail that failed before, where retries travel apart
  mail_dead,     // letters about dead mails, for people and their programs; Eilbote does not read it
  webhook_dead,
};
inline constexpr auto kCarrierQueueNames =
    enum_names<CarrierQueue>({{CarrierQueue::mail_send, "email.dispatcher.send"},
                              {CarrierQueue::webhook_send, "dispatch.jobs.send"},
                              {CarrierQueue::mail_retry, "email.dispatcher.retry"},
                              {CarrierQueue::mail_dead, "email.dispatcher.dlq"},
                              {CarrierQueue::webhook_dead, "dispatch.jobs.dlq"}});
static_assert(kCarrierQueueNames.complete());

// {"EmailId":"0J8...","MessageKey":"order-7","attempt":1}
struct CarriedJob {
  JobId id;
  std::string key;             // the Idempotency-Key, else the id; only for those who read the queue
  std::optional<int> attempt;  // absent: a foreign producer's; whatever attempt is due
};
std::string carried_job_text(const CarriedJob& job);

// A message longer than this is not looked at.
inline constexpr std::size_t kCarriedBytesMax = 4096;

// Strict about what it needs, easy about the rest: names in any case, fields it does not know are passed over, EmailId is the
// id's text, or its number as the tables have it. The error says what is wrong, without the message's text.
Result<CarriedJob> parse_carried_job(std::string_view text);

// {"EmailId","MessageKey","attempt","deadReason","lastError","failedAt"}
struct DeadLetter {
  JobId id;
  ChannelKind channel = ChannelKind::mail;
  std::string key;
  int attempt = 0;  // the last one's number
  DeadReason reason = DeadReason::MaxAttemptsExceeded;
  std::string last_error;
  TimePoint failed_at{};
};
std::string dead_letter_text(const DeadLetter& letter);

}  // namespace eilbote
