#include "channel/capture_faults.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "domain/delivery_codes.h"

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

struct FaultAnswer {
  CaptureFault fault;
  Verdict verdict;
  AttemptStatus status;
  int smtp_code;     // 0: none
  const char* code;  // where there is no smtp_code
  const char* enhanced_code;
  const char* text;
};
constexpr std::array kAnswers{
    FaultAnswer{CaptureFault::transient, Verdict::transient, AttemptStatus::SERVER_ERROR, 451, "", "4.3.0",
                "451 4.3.0 capture was asked to fail for now"},
    FaultAnswer{CaptureFault::permanent, Verdict::permanent, AttemptStatus::CLIENT_ERROR, 554, "", "5.6.0",
                "554 5.6.0 capture was asked to fail for good"},
    FaultAnswer{CaptureFault::defer, Verdict::deferred, AttemptStatus::SERVER_ERROR, 0,
                code::capture_deferred, "", "capture was asked to come back later"},
    FaultAnswer{CaptureFault::route, Verdict::route_fault, AttemptStatus::CONNECTION_ERROR, 0,
                code::capture_route_down, "", "capture was asked to be unreachable"},
    FaultAnswer{CaptureFault::configuration, Verdict::configuration, AttemptStatus::CLIENT_ERROR, 535, "",
                "5.7.8", "535 5.7.8 capture was asked to refuse the login"},
    FaultAnswer{CaptureFault::lost, Verdict::uncertain, AttemptStatus::TIMEOUT, 0, code::capture_answer_lost,
                "", "handed over, but the answer was lost"},
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
  const auto row = std::find_if(kAnswers.begin(), kAnswers.end(),
                                [&](const FaultAnswer& one) { return one.fault == fault; });
  if (row == kAnswers.end()) return result;
  result.verdict = row->verdict;
  result.attempt_status = row->status;
  result.code = row->smtp_code != 0 ? smtp_code(row->smtp_code) : row->code;
  result.smtp_code = row->smtp_code;
  result.enhanced_code = row->enhanced_code;
  result.text = row->text;
  if (row->verdict == Verdict::deferred) result.retry_after = std::chrono::seconds{1};
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
