// Lists on SQLite: where ids and rows come from; list_page.h makes pages of them. A statement answers for one client, so
// those of several are merged.
#include <algorithm>
#include <functional>
#include <iterator>

#include "store/list_page.h"
#include "store/list_plan.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

struct Client {
  std::int64_t id;
  ClientName name;
};

// Where candidates come from. Every source is ordered within a client; several clients are merged.
struct Source {
  ListPlan plan;
  std::vector<Client> clients;
};

// By ListSource, in its order.
const sql::Text* const kStatements[] = {&q::list_ids_facet,       &q::list_ids_ended,  &q::list_ids_reported,
                                        &q::list_ids_retrying,    &q::list_ids_errors, &q::list_ids_all_mails,
                                        &q::list_ids_all_webhooks};
static_assert(std::size(kStatements) == kListSources);

std::vector<Client> clients_of(Reading& reading, const std::optional<ClientName>& wanted) {
  std::vector<Client> clients;
  for (Run run = reading.database.run(q::find_clients); run.row();)
    if (!wanted || run.text(1) == wanted->value())
      clients.push_back({run.int8(0), ClientName{std::string(run.text(1))}});
  return clients;
}

std::vector<JobId> next_ids(Reading& reading, const Source& source, const ListRange& range, int n) {
  std::vector<JobId> ids;
  const ListPlan& plan = source.plan;
  for (const Client& client : source.clients) {
    Run run = reading.database.run(*kStatements[static_cast<std::size_t>(plan.source)]);
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

std::vector<JobId> due_ids(Reading& reading, const ListQuery& query) {
  std::vector<JobId> ids;
  Run run = reading.database.run(q::list_ids_due);
  for (run.with(reading.now, query.look_max); run.row();)
    ids.emplace_back(run.int8(0));
  return ids;
}

// The page without what lists read only for the rows they show. An error sticks to the connection and ends the ids.
Result<Page> find_page(Reading& reading, const ListQuery& query, bool broker) {
  const WebhookView view{broker, reading.now};
  const auto load = [&](std::span<const JobId> ids) { return find_rows(reading, ids); };
  if (query.due_only) return list_due_page(query, view, due_ids(reading, query), load);
  const Source source{plan_list(query), clients_of(reading, query.client)};
  return list_page(
      query, view, [&](const ListRange& range, int n) { return next_ids(reading, source, range, n); }, load);
}

}  // namespace

Page list(Reading& reading, const ListQuery& query, bool broker) {
  Page page = find_page(reading, query, broker).value_or(Page{});
  for (JobRecord& record : page.jobs)
    complete_record(reading, record);
  return page;
}

}  // namespace eilbote::sqlite
