// What an attempt makes of recipients on the client's suppression list: they are left out, each with a reason that a person
// understands. Pure; the courier and the orphan desk put it around what the channel says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/delivery.h"
#include "domain/job.h"

namespace eilbote {

// What is on record as the reply to a suppressed recipient: why it is on the list, as the store tells it ("suppressed: it
// bounced on 2026-11-18 (5.1.1 no such user)"), and what to do about it.
std::string suppressed_reply(std::string_view told);

// `suppressed_now`: indexes into `recipients`, whose replies tell why.
std::vector<RecipientResult> suppressed_results(const std::vector<Recipient>& recipients,
                                                const std::vector<int>& suppressed_now);

// How the attempt ends that has nobody to send to, because of `suppressed`: delivered when others were taken earlier, else
// dead with the code SUPPRESSED. Nothing: somebody still waits, or nobody was left out.
std::optional<DeliveryResult> nobody_left(const std::vector<Recipient>& recipients,
                                          const std::vector<RecipientResult>& suppressed);

// What the channel says of the others, and those who were left out. An attempt that never began says nothing of anybody.
DeliveryResult with_suppressed(DeliveryResult result, const std::vector<RecipientResult>& suppressed);

}  // namespace eilbote
