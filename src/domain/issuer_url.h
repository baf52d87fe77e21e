// The address of an OpenID Connect issuer and of its keys. Checked when the configuration is read, and again for what the
// issuer's own documents name.
#pragma once

#include <string>
#include <string_view>

#include "domain/webhook_url.h"

namespace eilbote {

// https, or http on this machine: whoever can change the keys on their way can be anybody.
Result<WebhookUrl> parse_issuer_url(std::string_view text);

// <issuer>/.well-known/openid-configuration
std::string discovery_url(std::string_view issuer);

}  // namespace eilbote
