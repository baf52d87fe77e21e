// Lists, newest first: candidate ids from the best index, a chunk at a time, then every filter checked on the
// row. A bounded number of rows is looked at, so a page may come short while there is more.
#include <algorithm>
#include <limits>

#include "domain/tsid.h"
#include "store/list_plan.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

constexpr int kChunk = 200;

struct Client {
  std::int64_t id;
  ClientName name;
};

// Where candidates come from. Every source is ordered within a client; several clients are merged.
struct Source {
  ListPlan plan;
  std::vector<Client> clients;
};

const sql::Text& statement_of(ListSource source) {
  switch (source) {
    case ListSource::facet:
      return q::list_ids_facet;
    case ListSource::ended:
      return q::list_ids_ended;
    case ListSource::reported:
      return q::list_ids_reported;
    case ListSource::retrying:
      return q::list_ids_retrying;
    case ListSource::errors:
      return q::list_ids_errors;
    case ListSource::all_webhooks:
      return q::list_ids_webhooks;
    case ListSource::all_mails:
      break;
  }
  return q::list_ids_all;
}

std::vector<Client> clients_of(Reading& reading, const std::optional<ClientName>& wanted) {
  std::vector<Client> clients;
  for (Run run = reading.database.run(q::find_clients); run.row();)
    if (!wanted || run.text(1) == wanted->value())
      clients.push_back({run.int8(0), ClientName{std::string(run.text(1))}});
  return clients;
}

struct IdRange {
  JobId from, before;
};

// The range of time is one of ids: an id carries the moment its job was made.
IdRange range_of(const ListQuery& query) {
  IdRange range{JobId{0}, JobId{std::numeric_limits<std::int64_t>::max()}};
  if (query.created_from) range.from = tsid_floor(*query.created_from);
  if (query.created_to) range.before = tsid_floor(*query.created_to);
  if (query.before) range.before = std::min(range.before, *query.before);
  return range;
}

std::vector<JobId> next_ids(Reading& reading, const Source& source, const IdRange& range, int n) {
  std::vector<JobId> ids;
  const ListPlan& plan = source.plan;
  for (const Client& client : source.clients) {
    Run run = reading.database.run(statement_of(plan.source));
    if (plan.source == ListSource::facet)
      run.with(facet_hash(client.name, plan.facet, plan.value), range.before, range.from, n);
    else
      run.with(client.id, range.before, range.from, n);
    if (plan.source != ListSource::facet && !plan.value.empty()) run.with(plan.value);
    while (run.row())
      ids.emplace_back(run.int8(0));
  }
  if (source.clients.size() > 1) std::sort(ids.begin(), ids.end(), std::greater<>{});
  if (ids.size() > static_cast<std::size_t>(n)) ids.resize(static_cast<std::size_t>(n));
  return ids;
}

bool is_full(const Page& page, const ListQuery& query) {
  return page.jobs.size() >= static_cast<std::size_t>(std::max(query.limit, 0));
}

// Adds the jobs whose filters all match, until the page is full; how many ids were looked at.
std::size_t take_matching(Reading& reading, const ListQuery& query, std::span<const JobId> ids, Page& page) {
  std::vector<JobRecord> records = find_rows(reading, ids);
  auto record = records.begin();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (is_full(page, query)) return i;
    // A job that is gone by now has no record.
    if (record == records.end() || record->job.id != ids[i]) continue;
    if (matches(*record, query, reading.now)) {
      complete_record(reading, *record);
      page.jobs.push_back(std::move(*record));
    }
    ++record;
  }
  return ids.size();
}

Page list_due(Reading& reading, const ListQuery& query) {
  const IdRange range = range_of(query);
  std::vector<JobId> ids;
  {
    Run run = reading.database.run(q::list_ids_due);
    for (run.with(reading.now, query.look_max); run.row();)
      if (const JobId id{run.int8(0)}; id >= range.from && id < range.before) ids.push_back(id);
  }
  Page page;
  take_matching(reading, query, ids, page);
  return page;
}

}  // namespace

Page list(Reading& reading, const ListQuery& query) {
  if (query.due_only) return list_due(reading, query);
  const Source source{plan_list(query), clients_of(reading, query.client)};
  IdRange range = range_of(query);
  Page page;
  int looked = 0;
  while (!is_full(page, query) && looked < query.look_max) {
    const int n = std::min(kChunk, query.look_max - looked);
    const std::vector<JobId> ids = next_ids(reading, source, range, n);
    const std::size_t used = take_matching(reading, query, ids, page);
    if (used > 0) range.before = ids[used - 1];
    looked += static_cast<int>(used);
    if (used == ids.size() && ids.size() < static_cast<std::size_t>(n)) return page;
  }
  if (looked > 0) page.next = range.before;
  return page;
}

}  // namespace eilbote::sqlite
