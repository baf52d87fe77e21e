// The filters of GET /messages and POST /messages/requeue: one table, whether they come as a query or as
// JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ports/outbox.h"

namespace eilbote {

// status, deadReason, recipient, tag, campaignId, createdFrom, createdTo.
std::span<const std::string_view> filter_names();

// Sets one filter; the returned text says what would be right, empty when all is well. False in `known`: no
// such filter.
struct FilterResult {
  bool known = true;
  std::string wrong;
};
FilterResult set_filter(ListQuery& query, std::string_view name, const std::string& value);

}  // namespace eilbote
