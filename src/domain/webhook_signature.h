// How a webhook is signed, in the two styles endpoints know. Pure; used for every request that is sent.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/secret.h"
#include "base/time.h"

namespace eilbote {

// The bytes a key stands for: a "whsec_" text is base64, any other text is taken as it is. A "whsec_" text that is not
// base64 is taken as it is too, so that a delivery never depends on it.
std::string signing_key_bytes(const Secret& key);

// Standard Webhooks: "v1,<base64>" over "id.seconds.body", one per key, parted by blanks, the current key first.
// `keys` must not be empty.
std::string standard_signature(std::span<const Secret> keys, std::string_view id, TimePoint at,
                               std::string_view body);
// Whole seconds since 1970, as the header `webhook-timestamp` has them.
std::string standard_timestamp(TimePoint at);

// FlowCatalyst: lower-case hex over the timestamp's text and the body, nothing between them.
std::string flowcatalyst_signature(const Secret& key, std::string_view timestamp, std::string_view body);

}  // namespace eilbote
