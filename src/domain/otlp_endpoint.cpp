#include "domain/otlp_endpoint.h"

namespace eilbote {
namespace {

constexpr std::string_view kTracesPath = "/v1/traces";

}  // namespace

Result<WebhookUrl> parse_otlp_endpoint(std::string_view base) {
  if (base.find('@') != std::string_view::npos)
    return fail(ErrorKind::invalid,
                "must not carry a user name or password; they belong into EILBOTE_OTLP_HEADERS_REF");
  auto url = parse_webhook_url(base);
  if (!url) return url;
  std::string& path = url->path_and_query;
  if (path.find('?') != std::string::npos)
    return fail(ErrorKind::invalid,
                "must not have a query; what a receiver wants to see stands in EILBOTE_OTLP_HEADERS_REF");
  while (path.ends_with('/'))
    path.pop_back();
  if (path.ends_with(kTracesPath))
    return fail(ErrorKind::invalid, "must be the receiver's base address, without /v1/traces");
  path += kTracesPath;
  return url;
}

}  // namespace eilbote
