// URLs that a client names (a job's target, a mail's callback) against the outbound guard, before anything is accepted.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "api/api.h"
#include "api/problem.h"

namespace eilbote {

// How long one request may wait for names, all its items together: an answer is due within 200 ms.
inline constexpr std::chrono::milliseconds kNamePatience{150};

// Whether `check_target` would have something to say, or to look up. The URL keeps the rules of parse_webhook_url.
bool target_needs_check(const ApiContext& context, const std::string& url);
// Absent: it may be named. May block for `patience`, which becomes less by it.
std::optional<Problem> check_target(const ApiContext& context, const std::string& url, const char* pointer,
                                    std::chrono::milliseconds& patience);

}  // namespace eilbote
