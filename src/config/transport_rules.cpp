#include "config/transport_rules.h"

#include <algorithm>

#include "domain/transport_url.h"

namespace eilbote {
namespace {

void refuse_password(LoadedConfig& loaded, const TransportUrl& url) {
  const bool has_ref = !loaded.config.transport.password_ref.empty();
  if (has_ref && !url.has_user)
    loaded.faults.push_back(
        "EILBOTE_TRANSPORT_PASSWORD_REF: is set, but EILBOTE_TRANSPORT_URL names no user (amqp://USER@host)");
  else if (has_ref && url.has_password)
    loaded.faults.push_back(
        "EILBOTE_TRANSPORT_URL: has a password in it, and EILBOTE_TRANSPORT_PASSWORD_REF names another; take "
        "it "
        "out of the URL");
  else if (!has_ref && url.has_user && !url.has_password)
    loaded.faults.push_back(
        "EILBOTE_TRANSPORT_URL: names a user; say with EILBOTE_TRANSPORT_PASSWORD_REF where the password is");
}

// A URL that was refused: its option has its default since, which is not what the others were set for.
bool was_refused(const LoadedConfig& loaded) {
  return std::ranges::any_of(loaded.settings, [&](const Setting& setting) {
    return setting.option->key == "EILBOTE_TRANSPORT_URL" && setting.value != loaded.config.transport.url;
  });
}

}  // namespace

void refuse_transport(LoadedConfig& loaded) {
  const Config& config = loaded.config;
  const auto url = read_transport_url(config.transport.url);
  if (!url || was_refused(loaded)) return;
  refuse_password(loaded, *url);
  if (!config.transport.ca_file.empty() && !url->tls)
    loaded.faults.push_back(
        "EILBOTE_TRANSPORT_CA_FILE: is set, but EILBOTE_TRANSPORT_URL is without TLS; write amqps://, or "
        "remove it");
}

}  // namespace eilbote
