#include "store/list_page.h"

#include <algorithm>
#include <limits>

#include "domain/tsid.h"
#include "store/list_plan.h"

namespace eilbote {
namespace {

// Rows that are loaded at once.
constexpr int kChunk = 200;

bool is_full(const Page& page, const ListQuery& query) {
  return static_cast<int>(page.jobs.size()) >= query.limit;
}

// Adds those that fit. False: the page was full already when another one fitted.
bool take_matching(std::vector<JobRecord> records, const ListQuery& query, const WebhookView& view,
                   Page& page) {
  for (JobRecord& record : records) {
    if (!matches(record, query, view)) continue;
    if (is_full(page, query)) return false;
    page.jobs.push_back(std::move(record));
  }
  return true;
}

}  // namespace

ListRange list_range(const ListQuery& query) {
  ListRange range{JobId{std::numeric_limits<std::int64_t>::min()},
                  JobId{std::numeric_limits<std::int64_t>::max()}};
  if (query.created_from) range.from = tsid_floor(*query.created_from);
  if (query.created_to) range.before = tsid_floor(*query.created_to);
  if (query.before) range.before = std::min(range.before, *query.before);
  return range;
}

Result<Page> list_page(const ListQuery& query, const WebhookView& view, const NextIds& next_ids,
                       const LoadRecords& load) {
  Page page;
  if (query.limit <= 0) return page;
  ListRange range = list_range(query);
  for (int looked = 0; looked < query.look_max;) {
    // Without misses the first chunk fills the page and shows whether there is another.
    const int chunk = looked == 0 ? std::min(query.limit, kChunk - 1) + 1 : kChunk;
    const int wanted = std::min(chunk, query.look_max - looked);
    auto ids = next_ids(range, wanted);
    if (!ids) return fail(ids.error());
    auto records = load(*ids);
    if (!records) return fail(records.error());
    if (!take_matching(std::move(*records), query, view, page)) {
      page.next = page.jobs.back().job.id;  // the next page begins with the one that found no room
      return page;
    }
    if (static_cast<int>(ids->size()) < wanted) return page;
    looked += wanted;
    range.before = ids->back();
  }
  auto rest = next_ids(range, 1);
  if (!rest) return fail(rest.error());
  if (!rest->empty()) page.next = range.before;
  return page;
}

Result<Page> list_due_page(const ListQuery& query, const WebhookView& view, std::vector<JobId> ids,
                           const LoadRecords& load) {
  const ListRange range = list_range(query);
  std::erase_if(ids, [&](JobId id) { return id < range.from || id >= range.before; });
  Page page;
  auto records = load(ids);
  if (!records) return fail(records.error());
  take_matching(std::move(*records), query, view, page);
  return page;
}

}  // namespace eilbote
