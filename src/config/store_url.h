// Store URLs as people write them: the default one, one without its password for showing, one with a resolved
// password for opening.
#pragma once

#include <string>
#include <string_view>

#include "base/secret.h"
#include "config/config.h"

namespace eilbote {

std::string default_store_url(const Config& config);

// "postgresql://mailer:****@db/outbox"; a `password=` in the query is masked as well.
std::string masked_url(std::string_view url);

// The PostgreSQL URL with this password; other URLs stay as they are. The result is secret: do not log it.
std::string url_with_password(std::string_view url, const Secret& password);

}  // namespace eilbote
