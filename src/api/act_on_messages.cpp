// DELETE /messages/{id} and what people do with dead mail: retry, abandon, requeue.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/json_body.h"
#include "api/message_filter.h"
#include "domain/public_state.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kIdsMax = 1000;
constexpr std::int64_t kRequeueMax = 10'000;  // per call; `more` says that there are others
constexpr int kRequeueStep = 200;             // per turn on a worker, so that other requests get theirs
constexpr std::size_t kIdsShownMax = 200;

ActRequest act_request(const Call& call, Act act) {
  const bool by_client = act == Act::cancel;
  return {act, by_client ? call.caller.only() : std::nullopt,
          by_client ? call.caller.client.value() : "operator", call.trace.trace_id};
}

// What the rest of the engine should know about an act that was done.
void after_act(const Call& call, Act act, const ActOutcome& outcome) {
  if (outcome.kind != ActKind::done) return;
  Metrics& metrics = call.context.metrics;
  if (act == Act::retry) metrics.add(Metric::requeued, 1, {"operator"});
  if (act == Act::abandon) {
    metrics.add(Metric::messages_failed);
    metrics.add(Metric::dead, 1, {std::string(kDeadReasonNames.text(DeadReason::Abandoned))});
  }
  const LaneId lane = outcome.lane;
  call.context.ledger.wake({&lane, 1});
}

Problem refused(Act act, const Job& job) {
  return {ProblemKind::conflict,
          fmt::format("{} is not possible: the message is {}{}", kActNames.text(act),
                      kMailStateNames.text(mail_state(job)),
                      is_leased(job.status) ? " and being delivered right now" : ""),
          {}};
}

void act_on_one(const CallPtr& call, Act act) {
  const auto id = call->id_or_404();
  if (!id) return;
  call->on_worker([call, act, id = *id] {
    const auto outcomes = call->context.outbox.act({&id, 1}, act_request(*call, act));
    if (!outcomes) return call->reply(to_problem(outcomes.error()));
    const ActOutcome& outcome = outcomes->front();
    after_act(*call, act, outcome);
    if (outcome.kind == ActKind::not_found)
      return call->reply(Problem{ProblemKind::not_found, "there is no message with this id", {}});
    if (outcome.kind == ActKind::refused) return call->reply(refused(act, outcome.job));
    if (act == Act::cancel) return call->reply_json(204, "");
    call->reply_json(200, fmt::format(R"({{"messageId":"{}","status":"{}"}})", to_text(id),
                                      kMailStateNames.text(mail_state(outcome.job))));
  });
}

// ---- requeue ----

struct RequeueOrder {
  std::optional<std::vector<JobId>> ids;
  std::optional<ListQuery> filter;
  bool dry_run = false;
  std::int64_t limit = 1000;
};

void read_ids(RequeueOrder& order, const json::value& value, const Place& place) {
  order.ids.emplace();
  const json::array* array = read_array(value, place, kIdsMax);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const Place at(place, i);
    const auto text = read_text((*array)[i], at);
    if (!text) continue;
    const auto id = parse_job_id(*text);
    if (id)
      order.ids->push_back(*id);
    else
      at.fault("must be a message id of 13 characters");
  }
}

void read_filter(RequeueOrder& order, const json::value& value, const Place& place) {
  ListQuery& query = order.filter.emplace();
  const json::object* object = read_object(value, place);
  if (object == nullptr) return;
  for (const auto& member : *object) {
    const std::string_view name(member.key().data(), member.key().size());
    const Place at(place, name);
    if (!set_filter(query, name, "").known) {
      unknown_field(place, name, filter_names());
      continue;
    }
    const auto text = read_text(member.value(), at);
    if (!text) continue;
    if (auto result = set_filter(query, name, *text); !result.wrong.empty())
      at.fault(std::move(result.wrong));
  }
  if (query.state.value_or(MailState::FAILED) != MailState::FAILED && query.state != MailState::BOUNCED)
    Place(place, "status").fault("must be FAILED or BOUNCED: only those are sent again");
  if (!query.state) query.state = MailState::FAILED;
}

constexpr FieldRow<RequeueOrder> kRequeueFields[] = {
    {"ids", read_ids},
    {"filter", read_filter},
    {"dryRun", [](RequeueOrder& o, const json::value& v,
                  const Place& p) { o.dry_run = read_flag(v, p).value_or(false); }},
    {"limit", [](RequeueOrder& o, const json::value& v,
                 const Place& p) { o.limit = read_integer(v, p, 1, kRequeueMax).value_or(1000); }},
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
    if (shown.size() < kIdsShownMax) shown.push_back(json::value(to_text(id)));
  matched += static_cast<std::int64_t>(ids.size());
  if (order.dry_run) return true;
  const auto outcomes = call->context.outbox.act(ids, act_request(*call, Act::retry));
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

void cancel_message(const CallPtr& call) {
  act_on_one(call, Act::cancel);
}
void retry_message(const CallPtr& call) {
  act_on_one(call, Act::retry);
}
void abandon_message(const CallPtr& call) {
  act_on_one(call, Act::abandon);
}

void requeue_messages(const CallPtr& call) {
  RequeueOrder order;
  if (!read_body(*call, kRequeueFields, order)) return;
  if (order.ids.has_value() == order.filter.has_value())
    return call->reply(invalid({{"", "needs either ids or filter"}}));
  auto requeue = std::make_shared<Requeue>(Requeue{call, std::move(order), 0, 0, 0, 0, false, {}});
  call->on_worker([requeue] { run(requeue); });
}

}  // namespace eilbote
