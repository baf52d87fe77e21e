#include "app/store_options.h"

#include "app/secret_options.h"

namespace eilbote {

Result<StoreOptions> store_options(const Config& config) {
  StoreOptions options;
  options.url = config.store_url;
  options.listen_url = config.store_listen_url;
  options.connections = config.store_connections;
  options.pools = config.pools;
  if (!config.store_password_ref.empty()) {
    auto password = open_secrets(secret_options(config))->resolve(config.store_password_ref);
    if (!password) return fail(password.error().with_context("EILBOTE_STORE_PASSWORD_REF"));
    options.password = std::move(*password);
  }
  return options;
}

}  // namespace eilbote
