// Where a mail's callback goes, and the account it is signed with: the one named, or the client's default one.
#pragma once

#include <optional>

#include "api/api.h"
#include "api/problem.h"
#include "domain/mail.h"

namespace eilbote {

// Fills in the account of a callback that names none. The problem says why it cannot be had. May block.
// `patience`: what is left of the time for the name it goes to.
std::optional<Problem> settle_callback(const ApiContext& context, Mail& mail, const ClientName& client,
                                       std::chrono::milliseconds& patience);

}  // namespace eilbote
