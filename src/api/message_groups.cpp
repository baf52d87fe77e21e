// /message-groups: the groups whose job in turn is dead, and the two ways to free one: skip the job, or send it again.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/json_body.h"
#include "api/json_out.h"
#include "api/limits.h"
#include "api/query_fields.h"
#include "api/query_parameters.h"
#include "domain/public_state.h"
#include "domain/tsid.h"
#include "engine/outcome_report.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr int kNamesakesMax = 20;  // groups of one name looked at; two are too many already

json::object group_json(const BlockedGroup& group) {
  json::object out;
  out["channel"] = kChannelNames.text(group.channel);
  out["clientId"] = group.client.value();
  out["group"] = group.group;
  out["blockingJobId"] = to_text(group.blocking);
  out["lastError"] = group.last_error;
  out["since"] = to_rfc3339(group.since);
  out["waiting"] = group.waiting;
  return out;
}

// ---- list ----

std::string set_client(BlockedGroupQuery& query, QueryKey, QueryValue value) {
  std::string name;
  std::string wrong = set_text(name, value, kGroupNameMax);
  if (wrong.empty()) query.client = ClientName{name};
  return wrong;
}

constexpr QueryRow<BlockedGroupQuery> kGroupParameters[] = {
    {"blocked",
     [](BlockedGroupQuery&, QueryKey, QueryValue v) {
       return std::string(v == "true" ? "" : "must be true: only blocked groups are listed");
     }},
    {"clientId", set_client},
    {"limit", [](BlockedGroupQuery& q, QueryKey, QueryValue v) { return set_page_limit(q.limit, v); }},
};

// ---- skip and retry ----

struct GroupName {
  std::optional<ClientName> client;
  std::optional<ChannelKind> channel;
  std::string group;
};

std::optional<std::string> read_name(const json::value& value, const Place& place) {
  auto text = read_text(value, place);
  if (!text || (!text->empty() && text->size() <= kGroupNameMax)) return text;
  place.fault(fmt::format("must have 1 to {} bytes", kGroupNameMax));
  return std::nullopt;
}

constexpr FieldRow<GroupName> kGroupFields[] = {
    {"clientId",
     [](GroupName& g, const json::value& v, const Place& p) {
       if (const auto name = read_name(v, p)) g.client = ClientName{*name};
     }},
    {"channel",
     [](GroupName& g, const json::value& v, const Place& p) { g.channel = read_enum(v, p, kChannelNames); }},
    {"group",
     [](GroupName& g, const json::value& v, const Place& p) { g.group = read_name(v, p).value_or(""); }},
};

const Problem kNotBlocked{
    ProblemKind::not_found, "there is no blocked group of this name; GET /message-groups lists them", {}};

// The one blocked group that is meant; answers by itself when there is none, or more than one.
std::optional<BlockedGroup> group_or_404(const CallPtr& call, const GroupName& name) {
  auto found = call->context.registry.blocked_groups(
      {.client = name.client, .group = name.group, .limit = kNamesakesMax});
  if (!found) return call->reply(to_problem(found.error())), std::nullopt;
  std::erase_if(*found,
                [&](const BlockedGroup& group) { return name.channel && group.channel != *name.channel; });
  if (found->empty()) return call->reply(kNotBlocked), std::nullopt;
  if (found->size() == 1) return std::move(found->front());
  call->reply(Problem{ProblemKind::conflict,
                      "several groups of this name are blocked: say which with clientId and channel",
                      {}});
  return std::nullopt;
}

void act_on_group(const CallPtr& call, Act act) {
  GroupName name;
  if (!read_body(*call, kGroupFields, name)) return;
  if (name.group.empty()) return call->reply(invalid({{"/group", "is required"}}));
  if (const auto only = call->caller.only()) name.client = only;
  call->on_worker([call, act, name = std::move(name)] {
    const auto group = group_or_404(call, name);
    if (!group) return;
    const auto outcomes = call->context.outbox.act({&group->blocking, 1}, {.act = act,
                                                                           .channel = group->channel,
                                                                           .client = call->caller.only(),
                                                                           .actor = call->caller.actor(),
                                                                           .trace_id = call->trace.trace_id});
    if (!outcomes) return call->reply(to_problem(outcomes.error()));
    const ActOutcome& outcome = outcomes->front();
    if (outcome.kind != ActKind::done) return call->reply(kNotBlocked);  // somebody was faster
    report_act(act, call->context.metrics);
    call->context.due.somewhere();  // whoever is next may be in another lane
    json::object body;
    body["channel"] = kChannelNames.text(group->channel);
    body["clientId"] = group->client.value();
    body["group"] = group->group;
    body["jobId"] = to_text(group->blocking);
    body["status"] = public_state_text(outcome.job, when_due(outcome.job, call->view().broker));
    call->reply_json(200, json::serialize(body));
  });
}

}  // namespace

std::vector<std::string_view> message_group_parameters() {
  return names_of<BlockedGroupQuery>(kGroupParameters);
}

void list_message_groups(const CallPtr& call) {
  BlockedGroupQuery all;
  all.limit = kPageDefault;
  auto query = read_query(call->target.query, kGroupParameters, all);
  if (!query) return call->reply(query.error());
  if (const auto only = call->caller.only()) query->client = only;
  call->on_worker([call, query = *query] {
    const auto groups = call->context.registry.blocked_groups(query);
    if (!groups) return call->reply(to_problem(groups.error()));
    call->reply_json(200, list_json(*groups, group_json));
  });
}

void skip_message_group(const CallPtr& call) {
  act_on_group(call, Act::skip);
}

void retry_message_group(const CallPtr& call) {
  act_on_group(call, Act::retry);
}

}  // namespace eilbote
