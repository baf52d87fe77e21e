// Whatever is posted as a provider's event: what is taken leads to a mail in some way, can be stored, and has the key of its
// repetition, however that is spaced.
#include <boost/json/serialize.hpp>

#include "api/limits.h"
#include "api/provider_event.h"
#include "domain/delivery.h"
#include "fuzz/fuzz.h"
#include "fuzz/problem_fault.h"

namespace eilbote::fuzz {
namespace {

bool is_storable(std::string_view text) {
  return is_utf8(text) && text.find('\0') == std::string_view::npos;
}

}  // namespace

std::string provider_event_fuzz(std::string_view bytes) {
  const TimePoint now{std::chrono::days{20'000}};
  const auto report = read_provider_event(bytes, now);
  if (!report) return problem_fault(report.error());
  if (report->key.empty() || report->references.empty() || report->recipients.size() != 1)
    return "a report without key, mail or recipient";
  if (!report->said_at || *report->said_at > now + std::chrono::hours{24}) return "said in the future";
  for (const ReportReference& reference : report->references)
    if (!is_storable(reference.message_id) || !is_storable(reference.provider_id) ||
        reference.message_id.size() > kProviderIdMax + 2 || reference.provider_id.size() > kProviderIdMax)
      return "an id that no table takes";
  const RecipientReport& said = report->recipients[0];
  if (!is_storable(said.address) || !is_storable(said.diagnostic)) return "a text that no table takes";
  if (utf8_length(said.diagnostic) > kErrorTextMax) return "words that are too long";
  const auto again = read_provider_event(boost::json::serialize(*read_json(bytes, {})), now);
  return again && again->key == report->key ? "" : "its repetition is another event";
}

}  // namespace eilbote::fuzz
