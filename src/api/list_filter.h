// The filters of the lists and of requeue: one table per resource, whether they come as a query or as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/call.h"
#include "ports/outbox.h"

namespace eilbote {

struct FilterRow {
  std::string_view name;  // ending in ".": stands for every name that begins so
  // The returned text says what would be right; empty when all is well. `key` is what follows the dot.
  std::string (*set)(ListQuery& query, std::string_view key, const std::string& value);
};
using FilterTable = std::span<const FilterRow>;

// status, deadReason, recipient, tag, campaignId, createdFrom, createdTo
FilterTable mail_filters();
// status, kind, source, code, subject, ..., metadata.KEY, createdAfter, createdBefore
FilterTable job_filters();

std::vector<std::string_view> names_of(FilterTable table);
// What a list takes in its query: its filters, cursor and limit.
std::vector<std::string_view> list_parameters(FilterTable table);

// `limit` of any list; empty, or what would be right.
std::string set_page_limit(int& limit, std::string_view value);

struct FilterResult {
  bool known = true;
  std::string wrong;
};
FilterResult set_filter(FilterTable table, ListQuery& query, std::string_view name, const std::string& value);

// The query of a GET, with cursor and limit; all faults at once.
tl::expected<ListQuery, Problem> read_list_query(const Call& call, FilterTable table, ChannelKind channel);

}  // namespace eilbote
