#include "config/tracing_rules.h"

#include <algorithm>

#include "domain/issuer_url.h"
#include "domain/otlp_endpoint.h"

namespace eilbote {
namespace {

// Also one that was refused: that has its own fault already.
bool is_endpoint_given(const LoadedConfig& loaded) {
  return std::ranges::any_of(loaded.settings, [](const Setting& setting) {
    return setting.option->key == "EILBOTE_OTLP_ENDPOINT" && !setting.value.empty();
  });
}

}  // namespace

void refuse_tracing(LoadedConfig& loaded) {
  const TracingConfig& tracing = loaded.config.tracing;
  if (tracing.endpoint.empty()) {
    if (!tracing.headers_ref.empty() && !is_endpoint_given(loaded))
      loaded.faults.push_back(
          "EILBOTE_OTLP_HEADERS_REF: is set, but EILBOTE_OTLP_ENDPOINT is not, so nothing is traced");
    return;
  }
  const auto url = parse_otlp_endpoint(tracing.endpoint);
  if (!url) return;
  if (!tracing.headers_ref.empty() && !parse_issuer_url(tracing.endpoint))
    loaded.faults.push_back(
        "EILBOTE_OTLP_ENDPOINT: must begin with https:// when EILBOTE_OTLP_HEADERS_REF is set, or anybody on "
        "the way could read the headers (http:// only for 127.0.0.1, [::1] and localhost)");
  if (!tracing.ca_file.empty() && !url->is_https)
    loaded.faults.push_back(
        "EILBOTE_OTLP_CA_FILE: is set, but EILBOTE_OTLP_ENDPOINT is without TLS; write https://, or remove "
        "it");
}

}  // namespace eilbote
