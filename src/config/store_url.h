// Store URLs as people write them: the default one, and one without its password for showing.
#pragma once

#include <string>
#include <string_view>

#include "config/config.h"

namespace eilbote {

std::string default_store_url(const Config& config);

// "postgresql://mailer:****@db/outbox"; a `password=` in the query is masked as well.
std::string masked_url(std::string_view url);

}  // namespace eilbote
