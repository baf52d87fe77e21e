#include "tracing/otlp_headers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/url_escape.h"
#include "domain/webhook_headers.h"

namespace eilbote {

Result<OtlpHeaders> parse_otlp_headers(std::string_view text) {
  OtlpHeaders headers;
  text = trimmed(text);
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    const auto wrong = [&headers](std::string_view why) {
      return fail(ErrorKind::invalid, fmt::format("header {}: {}", headers.size() + 1, why));
    };
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) return wrong("must be NAME=VALUE, with commas between the headers");
    std::string name(trimmed(entry.substr(0, equals)));
    const auto value = url_unescaped(trimmed(entry.substr(equals + 1)));
    if (!is_http_header_name(name)) return wrong("its name must be that of an HTTP header");
    if (is_protected_header(name) && !same_but_for_case(name, "authorization"))
      return wrong("its name is one that Eilbote writes itself");
    if (!value || value->size() > kWebhookHeaderValueMax || !is_http_header_value(*value))
      return wrong(fmt::format(
          "its value must be at most {} visible ASCII characters, a % followed by two hexadecimal digits",
          kWebhookHeaderValueMax));
    if (headers.size() == kOtlpHeadersMax)
      return wrong(fmt::format("there may be at most {}", kOtlpHeadersMax));
    headers.emplace_back(std::move(name), *value);
  }
  return headers;
}

}  // namespace eilbote
