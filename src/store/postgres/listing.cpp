// Lists: ids come newest first from the index that narrows best, the rows are loaded by id, and every filter
// is checked on the row. A bounded number of rows is looked at for one page.
#include <algorithm>
#include <limits>

#include "domain/public_state.h"
#include "domain/tsid.h"
#include "store/content_json.h"
#include "store/postgres/operations.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

constexpr int kChunk = 200;

struct Client {
  std::int32_t id;
  ClientName name;
};

// Where the candidates of a query come from: a statement and the parameters that stay the same from chunk to
// chunk.
class Source {
 public:
  Source(const ListQuery& query, const std::vector<Client>& clients) {
    low_ = query.created_from ? tsid_floor(*query.created_from).value()
                              : std::numeric_limits<std::int64_t>::min();
    if (!query.recipient.empty())
      by_facet(clients, FacetKind::recipient, query.recipient);
    else if (!query.campaign_id.empty())
      by_facet(clients, FacetKind::campaign, query.campaign_id);
    else if (!query.tag.empty())
      by_facet(clients, FacetKind::tag, query.tag);
    else
      by_state(query, clients);
  }

  // At most `n` ids below `before`, newest first.
  Result<std::vector<JobId>> next(Connection& connection, std::int64_t before, int n) const {
    Params params;
    params.add(facet_ ? int8_array(hashes_) : client_array()).add(before).add(low_).add(n);
    if (!which_.empty()) params.add(which_);
    auto rows = connection.run(*statement_, std::move(params));
    if (!rows) return fail(rows.error());
    std::vector<JobId> ids;
    for (const Row row : *rows)
      ids.push_back(JobId{row.int8(0)});
    return ids;
  }

 private:
  void by_facet(const std::vector<Client>& clients, FacetKind kind, std::string_view value) {
    statement_ = &q::list_ids_facet;
    facet_ = true;
    for (const Client& client : clients)
      hashes_.push_back(facet_hash(client.name, kind, value));
  }
  void by_state(const ListQuery& query, const std::vector<Client>& clients) {
    for (const Client& client : clients)
      clients_.push_back(client.id);
    if (query.dead_reason || query.state == MailState::FAILED)
      use(q::list_ids_ended, kJobStatusNames.text(JobStatus::failed));
    else if (query.state == MailState::CANCELLED)
      use(q::list_ids_ended, kJobStatusNames.text(JobStatus::cancelled));
    else if (query.state == MailState::DELIVERED)
      use(q::list_ids_reported, kReportNames.text(Report::delivered));
    else if (query.state == MailState::BOUNCED)
      use(q::list_ids_reported, kReportNames.text(Report::bounced));
    else if (query.state == MailState::RETRY_PENDING)
      use(q::list_ids_retrying, "");
    else
      use(q::list_ids_all, "");
  }
  void use(const sql::Text& statement, std::string_view which) {
    statement_ = &statement;
    which_ = which;
  }
  Array client_array() const {
    Array array(Type::int4);
    for (const std::int32_t id : clients_)
      array.add(id);
    return array;
  }

  const sql::Text* statement_ = nullptr;
  std::vector<std::int32_t> clients_;
  std::vector<std::int64_t> hashes_;
  bool facet_ = false;
  std::string which_;
  std::int64_t low_;
};

bool has_recipient(const JobRecord& record, const std::string& folded) {
  return std::ranges::any_of(record.recipients,
                             [&](const Recipient& r) { return address_folded(r.address) == folded; });
}

// Every filter again, on the row itself: an index may have answered too much (hashes), or the row moved on
// meanwhile.
bool matches(const JobRecord& record, const ListQuery& query) {
  const Job& job = record.job;
  if (job.channel != query.channel) return false;
  if (query.client && job.client != *query.client) return false;
  if (query.state && mail_state(job) != *query.state) return false;
  if (query.dead_reason && (job.status != JobStatus::failed || job.dead_reason != query.dead_reason))
    return false;
  if (!query.recipient.empty() && !has_recipient(record, address_folded(query.recipient))) return false;
  if (!query.tag.empty() || !query.campaign_id.empty()) {
    const MetaFacts facts = facts_from_meta(record.meta);
    if (!query.tag.empty() && std::ranges::find(facts.tags, query.tag) == facts.tags.end()) return false;
    if (!query.campaign_id.empty() && facts.campaign_id != query.campaign_id) return false;
  }
  if (query.created_from && job.id < tsid_floor(*query.created_from)) return false;
  if (query.created_to && job.id >= tsid_floor(*query.created_to)) return false;
  return true;
}

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
    if (static_cast<int>(page.jobs.size()) < query.limit && matches(record, query))
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
      if (!matches(record, query)) continue;
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
