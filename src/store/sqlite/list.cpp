// Lists, newest first: candidate ids from the best index, a chunk at a time, then every filter checked on the
// row. A bounded number of rows is looked at, so a page may come short while there is more.
#include <algorithm>
#include <limits>

#include "domain/public_state.h"
#include "domain/tsid.h"
#include "store/content_json.h"
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
  const sql::Text* statement = &q::list_ids_all;
  std::string_view value;          // the source's own parameter; empty: it has none
  std::optional<FacetKind> facet;  // list_ids_facet: `value` is the facet's
  std::vector<Client> clients;
};

std::vector<Client> clients_of(Reading& reading, const std::optional<ClientName>& wanted) {
  std::vector<Client> clients;
  for (Run run = reading.database.run(q::find_clients); run.row();)
    if (!wanted || run.text(1) == wanted->value())
      clients.push_back({run.integer(0), ClientName{std::string(run.text(1))}});
  return clients;
}

Source source_for(Reading& reading, const ListQuery& query) {
  Source source;
  source.clients = clients_of(reading, query.client);
  const auto facet = [&](FacetKind kind, std::string_view value) {
    source.statement = &q::list_ids_facet;
    source.facet = kind;
    source.value = value;
    return source;
  };
  const auto indexed = [&](const sql::Text& statement, std::string_view value) {
    source.statement = &statement;
    source.value = value;
    return source;
  };
  if (!query.recipient.empty()) return facet(FacetKind::recipient, query.recipient);
  if (!query.campaign_id.empty()) return facet(FacetKind::campaign, query.campaign_id);
  if (!query.tag.empty()) return facet(FacetKind::tag, query.tag);
  if (query.dead_reason || query.state == MailState::FAILED)
    return indexed(q::list_ids_ended, kJobStatusNames.text(JobStatus::failed));
  if (query.state == MailState::CANCELLED)
    return indexed(q::list_ids_ended, kJobStatusNames.text(JobStatus::cancelled));
  if (query.state == MailState::RETRY_PENDING) return indexed(q::list_ids_retrying, "");
  if (query.state == MailState::DELIVERED)
    return indexed(q::list_ids_reported, kReportNames.text(Report::delivered));
  if (query.state == MailState::BOUNCED)
    return indexed(q::list_ids_reported, kReportNames.text(Report::bounced));
  return source;
}

struct IdRange {
  JobId from, before;
};

// The range of time is one of ids: an id carries the moment its job was made.
IdRange range_of(const ListQuery& query) {
  IdRange range{JobId{0}, JobId{std::numeric_limits<std::int64_t>::max()}};
  if (query.created_from) range.from = tsid_floor(*query.created_from);
  if (query.created_to) range.before = tsid_floor(*query.created_to + std::chrono::milliseconds{1});
  if (query.before) range.before = std::min(range.before, *query.before);
  return range;
}

std::vector<JobId> next_ids(Reading& reading, const Source& source, const IdRange& range, int n) {
  std::vector<JobId> ids;
  for (const Client& client : source.clients) {
    Run run = reading.database.run(*source.statement);
    if (source.facet)
      run.with(facet_hash(client.name, *source.facet, source.value), range.before, range.from, n);
    else
      run.with(client.id, range.before, range.from, n);
    if (!source.facet && !source.value.empty()) run.with(source.value);
    while (run.row())
      ids.emplace_back(run.integer(0));
  }
  if (source.clients.size() > 1) std::sort(ids.begin(), ids.end(), std::greater<>{});
  if (ids.size() > static_cast<std::size_t>(n)) ids.resize(static_cast<std::size_t>(n));
  return ids;
}

bool has_recipient(const JobRecord& record, const std::string& address) {
  const std::string wanted = address_folded(address);
  return std::any_of(record.recipients.begin(), record.recipients.end(),
                     [&](const Recipient& recipient) { return address_folded(recipient.address) == wanted; });
}

bool matches(const JobRecord& record, const ListQuery& query) {
  const Job& job = record.job;
  if (job.channel != query.channel) return false;
  if (query.client && job.client != *query.client) return false;
  if (query.state && mail_state(job) != *query.state) return false;
  if (query.dead_reason && job.dead_reason != query.dead_reason) return false;
  if (!query.recipient.empty() && !has_recipient(record, query.recipient)) return false;
  if (query.tag.empty() && query.campaign_id.empty()) return true;
  const MetaFacts facts = facts_from_meta(record.meta);
  if (!query.campaign_id.empty() && facts.campaign_id != query.campaign_id) return false;
  return query.tag.empty() || std::find(facts.tags.begin(), facts.tags.end(), query.tag) != facts.tags.end();
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
    if (matches(*record, query)) {
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
      if (const JobId id{run.integer(0)}; id >= range.from && id < range.before) ids.push_back(id);
  }
  Page page;
  take_matching(reading, query, ids, page);
  return page;
}

}  // namespace

Page list(Reading& reading, const ListQuery& query) {
  if (query.due_only) return list_due(reading, query);
  const Source source = source_for(reading, query);
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
