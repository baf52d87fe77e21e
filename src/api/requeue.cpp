#include "api/requeue.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/acts.h"
#include "api/json_body.h"
#include "api/limits.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr int kRequeueStep = 200;  // per turn on a worker, so that other requests get theirs

struct RequeueOrder {
  const JobResource& jobs;
  std::optional<std::vector<JobId>> ids;
  std::optional<ListQuery> filter;
  bool dry_run = false;
  std::int64_t limit = kRequeueDefault;
};

void read_ids(RequeueOrder& order, const json::value& value, const Place& place) {
  order.ids.emplace();
  const json::array* array = read_array(value, place, kRequeueIdsMax);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const Place at(place, i);
    const auto text = read_text((*array)[i], at);
    if (!text) continue;
    const auto id = parse_job_id(*text);
    if (id)
      order.ids->push_back(*id);
    else
      at.fault("must be an id of 13 characters");
  }
}

// Texts, and truth values where a filter is one.
std::optional<std::string> read_value(const json::value& value, const Place& place) {
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  return read_text(value, place);
}

void read_filter(RequeueOrder& order, const json::value& value, const Place& place) {
  ListQuery& query = order.filter.emplace();
  query.channel = order.jobs.channel;
  const FilterTable filters = order.jobs.filters();
  const json::object* object = read_object(value, place);
  if (object == nullptr) return;
  for (const auto& member : *object) {
    const std::string_view name(member.key().data(), member.key().size());
    const Place at(place, name);
    const FilterRow* row = row_for(filters, name);
    if (row == nullptr) {
      unknown_field(place, name, names_of(filters));
      continue;
    }
    const auto text = read_value(member.value(), at);
    if (!text) continue;
    if (std::string wrong = set_by(*row, query, name, *text); !wrong.empty()) at.fault(std::move(wrong));
  }
  if (std::string wrong = order.jobs.settle_state(query); !wrong.empty())
    Place(place, "status").fault(std::move(wrong));
}

constexpr FieldRow<RequeueOrder> kRequeueFields[] = {
    {"ids", read_ids},
    {"filter", read_filter},
    {"dryRun", [](RequeueOrder& o, const json::value& v,
                  const Place& p) { o.dry_run = read_flag(v, p).value_or(false); }},
    {"limit", [](RequeueOrder& o, const json::value& v,
                 const Place& p) { o.limit = read_integer(v, p, 1, kRequeueMax).value_or(kRequeueDefault); }},
};

// A requeue under way: a step at a time on a worker, so that one long act does not keep the workers from
// everybody else.
struct Requeue {
  CallPtr call;
  RequeueOrder order;
  std::int64_t matched = 0, requeued = 0, refused = 0, not_found = 0;
  bool more = false;
  json::array shown;

  bool act(std::span<const JobId> ids);
  bool step_ids();
  bool step_filter();
  void finish();
};

// False after having answered an error.
bool Requeue::act(std::span<const JobId> ids) {
  for (const JobId id : ids)
    if (shown.size() < kRequeueIdsShownMax) shown.push_back(json::value(to_text(id)));
  matched += static_cast<std::int64_t>(ids.size());
  if (order.dry_run) return true;
  const auto outcomes = call->context.outbox.act(ids, act_request(*call, Act::retry, order.jobs.channel));
  if (!outcomes) return call->reply(to_problem(outcomes.error())), false;
  for (const ActOutcome& outcome : *outcomes) {
    after_act(*call, Act::retry, outcome);
    if (outcome.kind == ActKind::done) ++requeued;
    if (outcome.kind == ActKind::refused) ++refused;
    if (outcome.kind == ActKind::not_found) ++not_found;
  }
  return true;
}

// Each step returns whether there is more to do.
bool Requeue::step_ids() {
  std::vector<JobId>& ids = *order.ids;
  const std::size_t n = std::min<std::size_t>(ids.size(), kRequeueStep);
  if (!act(std::span(ids).first(n))) return false;
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n));
  if (!ids.empty()) return true;
  finish();
  return false;
}

bool Requeue::step_filter() {
  ListQuery& query = *order.filter;
  query.limit = static_cast<int>(std::min<std::int64_t>(kRequeueStep, order.limit - matched));
  const auto page = call->context.outbox.list(query);
  if (!page) return call->reply(to_problem(page.error())), false;
  std::vector<JobId> ids;
  for (const JobRecord& record : page->jobs)
    ids.push_back(record.job.id);
  if (!ids.empty() && !act(ids)) return false;
  query.before = page->next;
  more = page->next.has_value();
  if (more && matched < order.limit) return true;
  finish();
  return false;
}

void Requeue::finish() {
  json::object body;
  body["matched"] = matched;
  body["requeued"] = requeued;
  body["refused"] = refused;
  body["notFound"] = not_found;
  body["dryRun"] = order.dry_run;
  body["more"] = more;
  body["ids"] = std::move(shown);
  call->reply_json(200, json::serialize(body));
}

// What has begun goes on: when no worker can take the next step, this one does.
void run(const std::shared_ptr<Requeue>& requeue) {
  while (requeue->order.ids ? requeue->step_ids() : requeue->step_filter())
    if (requeue->call->try_worker([requeue] { run(requeue); })) return;
}

}  // namespace

void requeue(const CallPtr& call, const JobResource& jobs) {
  RequeueOrder order{jobs, {}, {}};
  if (!read_body(*call, kRequeueFields, order)) return;
  if (order.ids.has_value() == order.filter.has_value())
    return call->reply(invalid({{"", "must have either ids or filter, not both"}}));
  if (order.filter) {
    if (const auto own = call->caller.only()) order.filter->client = own;
    std::string& pool = order.filter->pool;
    pool = call->context.pools.code_of(pool).value_or(pool);
  }
  auto work = std::make_shared<Requeue>(Requeue{call, std::move(order), 0, 0, 0, 0, false, {}});
  call->on_worker([work] { run(work); });
}

}  // namespace eilbote
