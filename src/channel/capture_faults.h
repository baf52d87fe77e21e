// Which fault a mail asks the capture channel for. Pure.
#pragma once

#include "ports/channel.h"

namespace eilbote {

enum class CaptureFault { none, transient, permanent, defer, route, configuration, lost, stall };

// From the tag of the first waiting recipient; an attempt beyond the tag's number succeeds.
CaptureFault capture_fault(const MailDelivery& delivery);

// What the channel answers for a fault that needs no file.
DeliveryResult fault_result(CaptureFault fault);

// The results of the recipients that wait: taken, unless their tag says refuse or later.
std::vector<RecipientResult> capture_recipients(const MailDelivery& delivery, bool by_address);

}  // namespace eilbote
