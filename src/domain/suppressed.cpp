#include "domain/suppressed.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/utf8.h"
#include "domain/delivery_codes.h"

namespace eilbote {
namespace {

constexpr std::string_view kMark = "suppressed";
constexpr std::string_view kWayOut = "; remove it from the suppression list to send to it again";

bool was_taken(const Recipient& recipient) {
  return recipient.status == RecipientStatus::taken || recipient.status == RecipientStatus::delivered ||
         recipient.status == RecipientStatus::bounced;
}

}  // namespace

std::string suppressed_reply(std::string_view told) {
  if (told.ends_with(kWayOut)) return std::string(told);
  // What to do is kept whole, however much there is to tell.
  told = utf8_prefix(told, kErrorTextMax - kWayOut.size() - kMark.size() - 2);
  if (told.starts_with(kMark)) return fmt::format("{}{}", told, kWayOut);
  return fmt::format("{}: {}{}", kMark, told.empty() ? "it is on the list" : told, kWayOut);
}

std::vector<RecipientResult> suppressed_results(const std::vector<Recipient>& recipients,
                                                const std::vector<int>& suppressed_now) {
  std::vector<RecipientResult> results;
  for (const int index : suppressed_now) {
    EILBOTE_ASSERT(index >= 0 && static_cast<std::size_t>(index) < recipients.size());
    const std::string& told = recipients[static_cast<std::size_t>(index)].reply;
    results.push_back({index, RecipientStatus::suppressed, suppressed_reply(told)});
  }
  return results;
}

std::optional<DeliveryResult> nobody_left(const std::vector<Recipient>& recipients,
                                          const std::vector<RecipientResult>& suppressed) {
  if (suppressed.empty()) return std::nullopt;
  const auto waits = [&](const Recipient& one) {
    const auto index = static_cast<int>(&one - recipients.data());
    return one.status == RecipientStatus::waiting &&
           std::ranges::none_of(suppressed, [&](const RecipientResult& left) { return left.index == index; });
  };
  if (std::ranges::any_of(recipients, waits)) return std::nullopt;
  DeliveryResult result;
  if (std::ranges::any_of(recipients, was_taken)) {
    result.verdict = Verdict::delivered;
    return result;
  }
  result.verdict = Verdict::permanent;
  result.attempt_status = AttemptStatus::CLIENT_ERROR;
  result.code = code::suppressed;
  result.text =
      suppressed.size() == 1
          ? suppressed.front().reply
          : fmt::format("{}: all {} recipients that waited are on the suppression list; each says why", kMark,
                        suppressed.size());
  return result;
}

DeliveryResult with_suppressed(DeliveryResult result, const std::vector<RecipientResult>& suppressed) {
  if (result.verdict == Verdict::released) return result;
  for (const RecipientResult& one : suppressed) {
    // Those were not among the ones the channel was to send to; where it names one all the same, the list counts.
    std::erase_if(result.recipients, [&](const RecipientResult& other) { return other.index == one.index; });
    result.recipients.push_back(one);
  }
  return result;
}

}  // namespace eilbote
