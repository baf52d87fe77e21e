// What may stand in a webhook's header lines. Asked by check_webhook (to refuse) and by what writes the request. Pure.
#pragma once

#include <string_view>

namespace eilbote {

inline constexpr std::size_t kWebhookHeaderNameMax = 128;
inline constexpr std::size_t kWebhookHeaderValueMax = 4096;

// An RFC 9110 token of at most 128 characters.
bool is_http_header_name(std::string_view name);
// Visible ASCII, blanks and tabs; none of those two at either end.
bool is_http_header_value(std::string_view value);
// Written by Eilbote or by the transport; applications may not set them.
bool is_protected_header(std::string_view name);

// type/subtype with optional parameters, on one line.
bool is_media_type(std::string_view text);
// application/json, or any type whose subtype ends in +json.
bool is_json_media_type(std::string_view text);

}  // namespace eilbote
