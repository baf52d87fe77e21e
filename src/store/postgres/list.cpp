// Lists on PostgreSQL: where ids and rows come from; list_page.h makes pages of them. A statement answers for all clients
// at once.
#include <iterator>

#include "store/list_page.h"
#include "store/list_plan.h"
#include "store/postgres/operations.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

struct Client {
  std::int32_t id;
  ClientName name;
};

// By ListSource, in its order.
const sql::Text* const kStatements[] = {&q::list_ids_facet,       &q::list_ids_ended,  &q::list_ids_reported,
                                        &q::list_ids_retrying,    &q::list_ids_errors, &q::list_ids_all_mails,
                                        &q::list_ids_all_webhooks};
static_assert(std::size(kStatements) == kListSources);

std::vector<JobId> ids_of(const Rows& rows) {
  std::vector<JobId> ids;
  for (const Row row : rows)
    ids.push_back(JobId{row.int8(0)});
  return ids;
}

// Where the candidates of a query come from: a statement and the parameters that stay the same from chunk to
// chunk.
class Source {
 public:
  Source(const ListQuery& query, const std::vector<Client>& clients)
      : plan_(plan_list(query)), clients_(clients) {}

  Result<std::vector<JobId>> next(Connection& connection, const ListRange& range, int n) const {
    const bool facet = plan_.source == ListSource::facet;
    Params params;
    params.add(facet ? hash_array() : client_array())
        .add(range.before.value())
        .add(range.from.value())
        .add(n);
    if (!facet && !plan_.value.empty()) params.add(plan_.value);
    auto rows = connection.run(*kStatements[static_cast<std::size_t>(plan_.source)], std::move(params));
    if (!rows) return fail(rows.error());
    return ids_of(*rows);
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

Result<std::vector<JobId>> due_ids(Connection& connection, const ListQuery& query,
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
  return ids_of(*rows);
}

// The page without what lists read only for the rows they show.
Result<Page> find_page(Connection& connection, Directory& directory, const ListQuery& query,
                       const std::vector<Client>& clients, bool broker) {
  const auto now = now_for(connection, query);
  if (!now) return fail(now.error());
  const WebhookView view{broker, *now};
  const auto load = [&](std::span<const JobId> ids) { return find_jobs(connection, directory, ids); };
  if (query.due_only) {
    auto ids = due_ids(connection, query, clients);
    if (!ids) return fail(ids.error());
    return list_due_page(query, view, std::move(*ids), load);
  }
  const Source source(query, clients);
  return list_page(
      query, view, [&](const ListRange& range, int n) { return source.next(connection, range, n); }, load);
}

}  // namespace

Result<Page> list(Connection& connection, Directory& directory, const ListQuery& query, bool broker) {
  auto clients = clients_of(connection, directory, query);
  if (!clients) return fail(clients.error());
  if (clients->empty() || query.limit <= 0) return Page{};
  auto page = find_page(connection, directory, query, *clients, broker);
  if (!page) return page;
  if (auto done = complete_records(connection, page->jobs); !done) return fail(done.error());
  return page;
}

}  // namespace eilbote::postgres
