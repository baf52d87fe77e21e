#include "domain/issuer_url.h"

namespace eilbote {

Result<WebhookUrl> parse_issuer_url(std::string_view text) {
  auto url = parse_webhook_url(text);
  if (!url) return url;
  const bool is_here = url->host == "localhost" || url->host == "[::1]" ||
                       (url->host_is_address && url->host.starts_with("127."));
  if (!url->is_https && !is_here)
    return fail(ErrorKind::invalid,
                "must begin with https:// (http:// only for 127.0.0.1, [::1] and localhost)");
  return url;
}

std::string discovery_url(std::string_view issuer) {
  while (issuer.ends_with('/'))
    issuer.remove_suffix(1);
  return std::string(issuer) + "/.well-known/openid-configuration";
}

}  // namespace eilbote
