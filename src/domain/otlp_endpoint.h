// The address of a receiver of OpenTelemetry traces, as operators write it: "http://collector:4318", its base. Checked when the
// configuration is read. Pure.
#pragma once

#include <string_view>

#include "domain/webhook_url.h"

namespace eilbote {

// The URL that traces are posted to: the base with /v1/traces behind it. http is fine, traces hold nothing private.
Result<WebhookUrl> parse_otlp_endpoint(std::string_view base);

}  // namespace eilbote
