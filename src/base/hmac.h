// HMAC-SHA256, as webhooks are signed with.
#pragma once

#include <string_view>

#include "base/sha256.h"

namespace eilbote {

Sha256 hmac_sha256(std::string_view key, std::string_view message);

}  // namespace eilbote
