// Lists: ids come newest first from the index that narrows best, the rows are loaded by id, and every filter
// is checked on the row. A bounded number of rows is looked at for one page.
#include <algorithm>
#include <limits>

#include "domain/tsid.h"
#include "store/list_plan.h"
#include "store/postgres/operations.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

constexpr int kChunk = 200;

struct Client {
  std::int32_t id;
  ClientName name;
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

// Where the candidates of a query come from: a statement and the parameters that stay the same from chunk to
// chunk.
class Source {
 public:
  Source(const ListQuery& query, const std::vector<Client>& clients)
      : plan_(plan_list(query)), clients_(clients) {
    low_ = query.created_from ? tsid_floor(*query.created_from).value()
                              : std::numeric_limits<std::int64_t>::min();
  }

  // At most `n` ids below `before`, newest first.
  Result<std::vector<JobId>> next(Connection& connection, std::int64_t before, int n) const {
    const bool facet = plan_.source == ListSource::facet;
    Params params;
    params.add(facet ? hash_array() : client_array()).add(before).add(low_).add(n);
    if (!facet && !plan_.value.empty()) params.add(plan_.value);
    auto rows = connection.run(statement_of(plan_.source), std::move(params));
    if (!rows) return fail(rows.error());
    std::vector<JobId> ids;
    for (const Row row : *rows)
      ids.push_back(JobId{row.int8(0)});
    return ids;
  }

 private:
  Array hash_array() const {
    Array array(Type::int8);
    for (const Client& client : clients_)
      array.add(facet_hash(client.name, plan_.facet, plan_.value));
    return array;
  }
  Array client_array() const {
    Array array(Type::int4);
    for (const Client& client : clients_)
      array.add(client.id);
    return array;
  }

  const ListPlan plan_;
  const std::vector<Client>& clients_;
  std::int64_t low_;
};

Result<std::vector<Client>> clients_of(Connection& connection, Directory& directory, const ListQuery& query) {
  std::vector<Client> clients;
  if (query.client) {
    auto id = directory.client_id(connection, *query.client);
    if (!id) return fail(id.error());
    if (*id) clients.push_back({**id, *query.client});
    return clients;
  }
  auto all = directory.clients(connection);
  if (!all) return fail(all.error());
  for (auto& [id, name] : *all)
    clients.push_back({id, ClientName{std::move(name)}});
  return clients;
}

// Only the states of webhook jobs depend on the time.
Result<TimePoint> now_for(Connection& connection, const ListQuery& query) {
  if (query.channel == ChannelKind::mail) return TimePoint{};
  auto rows = connection.run(q::transaction_now);
  if (!rows) return fail(rows.error());
  return (*rows)[0].time(0);
}

Result<Page> list_due(Connection& connection, Directory& directory, const ListQuery& query,
                      const std::vector<Client>& clients) {
  Params params;
  if (query.client) {
    Array ids(Type::int4);
    for (const Client& client : clients)
      ids.add(client.id);
    params.add(std::move(ids));
  } else {
    params.add_null_array(Type::int4);
  }
  params.add(query.look_max);
  auto rows = connection.run(q::list_ids_due, std::move(params));
  if (!rows) return fail(rows.error());
  std::vector<JobId> ids;
  for (const Row row : *rows)
    ids.push_back(JobId{row.int8(0)});
  auto records = find_jobs(connection, directory, ids);
  if (!records) return fail(records.error());
  Page page;
  for (JobRecord& record : *records)
    if (static_cast<int>(page.jobs.size()) < query.limit && matches(record, query, TimePoint{}))
      page.jobs.push_back(std::move(record));
  if (auto done = complete_records(connection, page.jobs); !done) return fail(done.error());
  return page;
}

}  // namespace

Result<Page> list(Connection& connection, Directory& directory, const ListQuery& query) {
  auto clients = clients_of(connection, directory, query);
  if (!clients) return fail(clients.error());
  if (clients->empty() || query.limit <= 0) return Page{};
  if (query.due_only) return list_due(connection, directory, query, *clients);

  const auto now = now_for(connection, query);
  if (!now) return fail(now.error());
  const Source source(query, *clients);
  std::int64_t before = query.before ? query.before->value() : std::numeric_limits<std::int64_t>::max();
  if (query.created_to) before = std::min(before, tsid_floor(*query.created_to).value());
  Page page;
  int looked = 0;
  bool more = true;
  while (more && looked < query.look_max && static_cast<int>(page.jobs.size()) < query.limit) {
    // Without misses the first chunk fills the page and shows whether there is another.
    const int chunk = looked == 0 ? std::min(query.limit + 1, kChunk) : kChunk;
    const int wanted = std::min(chunk, query.look_max - looked);
    auto ids = source.next(connection, before, wanted);
    if (!ids) return fail(ids.error());
    more = static_cast<int>(ids->size()) == wanted;
    auto records = find_jobs(connection, directory, *ids);
    if (!records) return fail(records.error());
    looked += static_cast<int>(ids->size());
    if (!ids->empty()) before = ids->back().value();
    for (JobRecord& record : *records) {
      if (!matches(record, query, *now)) continue;
      if (static_cast<int>(page.jobs.size()) == query.limit) {
        // The page is full and there is another one that fits: the next page begins with it.
        more = true;
        before = page.jobs.back().job.id.value();
        break;
      }
      page.jobs.push_back(std::move(record));
    }
  }
  if (more) page.next = JobId{before};
  if (auto done = complete_records(connection, page.jobs); !done) return fail(done.error());
  return page;
}

}  // namespace eilbote::postgres
