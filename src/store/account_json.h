// How a service account lies in the database as JSON; the same in both stores. Secrets are references here too.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/service_account.h"

namespace eilbote {

// Everything but what has columns of its own: id, code, lastUsedAt, createdAt, updatedAt.
std::string account_to_json(const ServiceAccount& account);

// Fills in what account_to_json wrote; `internal` for a text it did not write, so that nobody sends without
// credentials because somebody's hand broke them.
Result<void> account_from_json(std::string_view json, ServiceAccount& account);

}  // namespace eilbote
