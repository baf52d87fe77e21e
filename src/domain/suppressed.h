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

// What stands in front of the reason of an entry that a bounce made: "bounced: 5.1.1 ...".
inline constexpr std::string_view kBouncedReason = "bounced: ";

// What is on record as the reply to a suppressed recipient. `reason`: why it is on the list; may be empty.
std::string suppressed_reply(std::string_view reason);

// `suppressed_now`: indexes into `recipients`, whose replies are the reasons.
std::vector<RecipientResult> suppressed_results(const std::vector<Recipient>& recipients,
                                                const std::vector<int>& suppressed_now);

// How the attempt ends that has nobody to send to, because of `suppressed`: delivered when others were taken earlier, else
// dead with the code SUPPRESSED. Nothing: somebody still waits, or nobody was left out.
std::optional<DeliveryResult> nobody_left(const std::vector<Recipient>& recipients,
                                          const std::vector<RecipientResult>& suppressed);

// What the channel says of the others, and those who were left out. An attempt that never began says nothing of anybody.
DeliveryResult with_suppressed(DeliveryResult result, const std::vector<RecipientResult>& suppressed);

}  // namespace eilbote
