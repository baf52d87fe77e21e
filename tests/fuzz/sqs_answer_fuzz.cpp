// Whatever SQS, or somebody in its place, answers: no entry that was not asked for, no message that nothing could be done with,
// and words for a log that stay on one line.
#include "base/ascii.h"
#include "domain/carried_job.h"
#include "fuzz/fuzz.h"
#include "transport/sqs_answers.h"

namespace eilbote::fuzz {

std::string sqs_answer_fuzz(std::string_view bytes) {
  constexpr std::size_t kEntries = 10;
  for (const int status : {400, 403, 429, 500}) {
    const SqsError error = sqs_error(status, bytes.substr(0, 80), bytes.substr(0, 80), bytes);
    if (!error || error.detail.empty()) return "an error that is none";
    if (has_control(error.detail)) return "an error of several lines: " + error.detail;
  }
  const auto entries = sqs_entries(bytes, kEntries);
  if (entries.size() != kEntries) return "another number of entries";
  for (const SqsEntry& entry : entries) {
    if (entry.outcome == SqsEntry::Outcome::done && !entry.code.empty()) return "done, and a code";
    if (has_control(entry.code)) return "a code of several lines";
  }
  for (const SqsMessage& message : sqs_messages(bytes)) {
    if (message.id.empty() || message.handle.empty()) return "a message that cannot be answered";
    // The body goes on to the reader of what brokers carry; carried_job_fuzz looks at that.
    (void)parse_carried_job(message.body);
  }
  (void)sqs_queue_url(bytes);
  (void)sqs_depth(bytes);
  return {};
}

}  // namespace eilbote::fuzz
