// A page of a list, the same in both stores: candidate ids come newest first from the index that narrows best, their rows
// are loaded by id, and every filter is checked on the row. Called by list.cpp in postgres/ and sqlite/, which say where
// ids and rows come from.
//
// Promise: `next` is set when another job that fits was seen, or when as many rows were looked at as one page may and
// candidates are left. Nothing follows a page without a cursor, and a full page has none when nothing follows.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "domain/public_state.h"
#include "ports/outbox.h"

namespace eilbote {

// The ids a list may show: from <= id < before. A range of time is one of ids, because an id carries the moment its job
// was made.
struct ListRange {
  JobId from, before;
};
ListRange list_range(const ListQuery& query);

// At most `n` ids in the range, newest first.
using NextIds = std::function<Result<std::vector<JobId>>(const ListRange& range, int n)>;
// The records of these ids in their order, without those that are gone.
using LoadRecords = std::function<Result<std::vector<JobRecord>>(std::span<const JobId> ids)>;

Result<Page> list_page(const ListQuery& query, const WebhookView& view, const NextIds& next_ids,
                       const LoadRecords& load);

// due_only: `ids` are what could be claimed now, in that order; one page, without a cursor.
Result<Page> list_due_page(const ListQuery& query, const WebhookView& view, std::vector<JobId> ids,
                           const LoadRecords& load);

}  // namespace eilbote
