// The headers a receiver of traces wants to see, tokens mostly: "api-key=abc,X-Tenant=shop", names and values as everybody
// writes OTEL_EXPORTER_OTLP_HEADERS, percent-encoded where they hold a comma or a blank. Pure. Used by the exporter.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace eilbote {

inline constexpr std::size_t kOtlpHeadersMax = 16;

using OtlpHeaders = std::vector<std::pair<std::string, std::string>>;

// The error says which entry is wrong by its number, never what is in it.
Result<OtlpHeaders> parse_otlp_headers(std::string_view text);

}  // namespace eilbote
