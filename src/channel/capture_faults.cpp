#include "channel/capture_faults.h"

#include <array>
#include <string_view>

namespace eilbote {
namespace {

std::string_view tag_of(std::string_view address) {
  const std::size_t at = address.rfind('@');
  const std::size_t plus = address.find('+');
  if (at == std::string_view::npos || plus == std::string_view::npos || plus > at) return {};
  return address.substr(plus + 1, at - plus - 1);
}

struct FaultName {
  std::string_view name;
  CaptureFault fault;
};
constexpr std::array kFaults{
    FaultName{"transient", CaptureFault::transient},
    FaultName{"permanent", CaptureFault::permanent},
    FaultName{"defer", CaptureFault::defer},
    FaultName{"route", CaptureFault::route},
    FaultName{"configuration", CaptureFault::configuration},
    FaultName{"lost", CaptureFault::lost},
    FaultName{"stall", CaptureFault::stall},
};

}  // namespace

CaptureFault capture_fault(const MailDelivery& delivery) {
  for (const Recipient& recipient : delivery.content.recipients) {
    if (recipient.status != RecipientStatus::waiting) continue;
    const std::string_view tag = tag_of(recipient.address);
    for (const FaultName& entry : kFaults) {
      if (!tag.starts_with(entry.name)) continue;
      const std::string times(tag.substr(entry.name.size()));
      if (times.empty()) return entry.fault;
      if (times.size() > 3 || times.find_first_not_of("0123456789") != std::string::npos) continue;
      return delivery.job.attempts < std::stoi(times) ? entry.fault : CaptureFault::none;
    }
    return CaptureFault::none;
  }
  return CaptureFault::none;
}

DeliveryResult fault_result(CaptureFault fault) {
  DeliveryResult result;
  result.attempt_status = AttemptStatus::SERVER_ERROR;
  switch (fault) {
    case CaptureFault::transient:
      result.verdict = Verdict::transient;
      result.code = "SMTP_451";
      result.smtp_code = 451;
      result.enhanced_code = "4.3.0";
      result.text = "451 4.3.0 capture was asked to fail for now";
      break;
    case CaptureFault::permanent:
      result.verdict = Verdict::permanent;
      result.attempt_status = AttemptStatus::CLIENT_ERROR;
      result.code = "SMTP_554";
      result.smtp_code = 554;
      result.enhanced_code = "5.6.0";
      result.text = "554 5.6.0 capture was asked to fail for good";
      break;
    case CaptureFault::defer:
      result.verdict = Verdict::deferred;
      result.code = "DEFERRED";
      result.text = "capture was asked to come back later";
      result.retry_after = std::chrono::seconds{1};
      break;
    case CaptureFault::route:
      result.verdict = Verdict::route_fault;
      result.attempt_status = AttemptStatus::CONNECTION_ERROR;
      result.code = "ROUTE_DOWN";
      result.text = "capture was asked to be unreachable";
      break;
    case CaptureFault::configuration:
      result.verdict = Verdict::configuration;
      result.attempt_status = AttemptStatus::CLIENT_ERROR;
      result.code = "SMTP_535";
      result.smtp_code = 535;
      result.enhanced_code = "5.7.8";
      result.text = "535 5.7.8 capture was asked to refuse the login";
      break;
    case CaptureFault::lost:
      result.verdict = Verdict::uncertain;
      result.attempt_status = AttemptStatus::TIMEOUT;
      result.code = "ANSWER_LOST";
      result.text = "handed over, but the answer was lost";
      break;
    case CaptureFault::stall:
    case CaptureFault::none:
      break;
  }
  return result;
}

std::vector<RecipientResult> capture_recipients(const MailDelivery& delivery, bool by_address) {
  std::vector<RecipientResult> results;
  const auto& recipients = delivery.content.recipients;
  for (std::size_t i = 0; i < recipients.size(); ++i) {
    if (recipients[i].status != RecipientStatus::waiting) continue;
    const std::string_view tag = by_address ? tag_of(recipients[i].address) : std::string_view{};
    const int index = static_cast<int>(i);
    if (tag == "refuse")
      results.push_back({index, RecipientStatus::refused, "550 5.1.1 capture was asked to refuse this one"});
    else if (tag == "later")
      results.push_back(
          {index, RecipientStatus::waiting, "451 4.2.1 capture was asked to take this one later"});
    else
      results.push_back({index, RecipientStatus::taken, "captured"});
  }
  return results;
}

}  // namespace eilbote
