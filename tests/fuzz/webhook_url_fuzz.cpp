// Whatever is given as a target URL: what is accepted names one host for us and for the library that connects, can be written
// into a request as it is, and means the same when it is read again.
#include <algorithm>

#include "domain/retry_after.h"
#include "domain/webhook_url.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {

std::string webhook_url_fuzz(std::string_view bytes) {
  // The same bytes as a header of the answer: any wait is within its bounds.
  const auto wait = parse_retry_after(bytes, TimePoint{std::chrono::days{20'000}});
  if (wait && (*wait < kRetryAfterMin || *wait > kRetryAfterMax)) return "a wait out of bounds";

  const auto url = parse_webhook_url(bytes);
  if (!url) return url.error().message.empty() ? "refused without a word" : "";
  const std::string text = url->text();
  if (std::any_of(text.begin(), text.end(), [](char c) { return c <= 0x20 || c >= 0x7F; }))
    return "something that is not visible ASCII";
  if (text.find_first_of("@\\#", 0) < text.find('/', 8))
    return "an authority that reads differently elsewhere";
  if (url->host.empty() || url->port == 0 || !url->path_and_query.starts_with('/'))
    return "a part is missing";
  if (url->host.ends_with('.')) return "the dot at the end makes another lane";
  const bool has_brackets = url->host.starts_with('[') && url->host.ends_with(']');
  if (has_brackets != (url->host.find(':') != std::string::npos)) return "brackets in the wrong place";
  const auto again = parse_webhook_url(text);
  if (!again) return "its own text is refused: " + again.error().message;
  if (*again != *url) return "another URL the second time";
  return {};
}

}  // namespace eilbote::fuzz
