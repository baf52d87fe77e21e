// The filters of the lists and of requeue: one table per resource, whether they come as a query or as JSON.
#pragma once

#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/call.h"
#include "api/query_fields.h"
#include "ports/outbox.h"

namespace eilbote {

using FilterRow = QueryRow<ListQuery>;
using FilterTable = QueryTable<ListQuery>;

// status, deadReason, recipient, tag, campaignId, pool, createdFrom, createdTo, clientId, metadata.KEY
FilterTable mail_filters();
// status, kind, source, code, subject, ..., metadata.KEY, createdAfter, createdBefore, clientId
FilterTable job_filters();

// What a list takes in its query: its filters, cursor and limit.
std::vector<std::string_view> list_parameters(FilterTable table);

// The query of a GET, with cursor and limit; all faults at once.
tl::expected<ListQuery, Problem> read_list_query(const Call& call, FilterTable table, ChannelKind channel);

}  // namespace eilbote
