// Whatever comes out of a broker's queue: what is read as a job is written and read again as the same one, and an error
// is short and clean.
#include "base/ascii.h"
#include "domain/carried_job.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {

std::string carried_job_fuzz(std::string_view bytes) {
  const auto job = parse_carried_job(bytes);
  if (!job) {
    const std::string& error = job.error().message;
    if (error.empty()) return "an error that says nothing";
    return error.size() > 200 || !is_printable_ascii(error) ? "an error with the message in it" : "";
  }
  if (bytes.size() > kCarriedBytesMax) return "a message that is too long was read";
  if (job->id.value() <= 0) return "an id that no job has";
  if (job->attempt && *job->attempt < 1) return "an attempt before the first";
  const std::string text = carried_job_text(*job);
  if (text.size() > kCarriedBytesMax) return {};  // every byte of a long key was escaped
  const auto again = parse_carried_job(text);
  if (!again) return "its own text is refused: " + again.error().message;
  if (again->id != job->id || again->key != job->key || again->attempt != job->attempt)
    return "another job the second time";
  return {};
}

}  // namespace eilbote::fuzz
