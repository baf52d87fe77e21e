// Breakers: those of all instances, and closing one by hand everywhere.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/audit.h"
#include "api/handlers.h"
#include "api/json_out.h"
#include "base/log.h"
#include "domain/breaker.h"
#include "engine/breaker_desk.h"

namespace eilbote {
namespace {

namespace json = boost::json;

json::object breaker_json(const RouteLoad& breaker) {
  json::object row;
  row["route"] = breaker.route;
  row["channel"] = kChannelNames.text(breaker.channel);
  row["instance"] = breaker.instance;
  row["state"] = breaker.state;
  if (!breaker.reason.empty()) row["reason"] = breaker.reason;
  if (breaker.since) row["since"] = to_rfc3339(*breaker.since);
  return row;
}

// Own ones first; without those of the others when the database cannot say them.
struct AllBreakers {
  std::vector<RouteLoad> rows;
  bool is_partial = false;
};
AllBreakers all_breakers(const BreakerDesk& desk) {
  AllBreakers all{desk.own()};
  auto others = desk.others();
  all.is_partial = !others;
  if (others) all.rows.insert(all.rows.end(), others->begin(), others->end());
  return all;
}

// For the record: the first of this route.
json::object breaker_of(const std::vector<RouteLoad>& breakers, const std::string& route) {
  for (const RouteLoad& breaker : breakers)
    if (breaker.route == route) return breaker_json(breaker);
  return {};
}

// It is closed whatever becomes of the record: whoever resets a breaker may do so because the store is in trouble.
void put_on_record(const Call& call, const std::string& route, const json::object& before) {
  const json::object after{{"state", kBreakerStateNames.text(BreakerState::closed)}};
  if (const auto written = call.context.registry.add_audit(
          audit_entry(call, "breaker.reset", "breaker:" + route, before, after));
      !written)
    log::error("the reset of a breaker is not on the audit record",
               {{"route", route}, {"actor", call.caller.actor()}, {"error", written.error().message}});
}

}  // namespace

void get_breakers(const CallPtr& call) {
  call->on_worker([call] {
    const AllBreakers all = all_breakers(call->context.breakers);
    json::object body = list_object(all.rows, breaker_json);
    body["partial"] = all.is_partial;
    call->reply_json(200, json::serialize(body));
  });
}

void reset_breaker(const CallPtr& call) {
  call->on_worker([call] {
    const std::string& route = call->params.at(0);
    BreakerDesk& desk = call->context.breakers;
    json::object before = breaker_of(desk.own(), route);
    const BreakerDesk::Reset reset = desk.reset(route);
    // Only now: the own one is closed before anything waits for the database, and the others tell of theirs a while longer.
    if (!reset.here && reset.asked > 0)
      before = breaker_of(desk.others().value_or(std::vector<RouteLoad>{}), route);
    const bool any = reset.here || reset.asked > 0;
    if (!any && !reset.not_asked)
      return call->reply(
          Problem{ProblemKind::not_found, "there is no breaker of this name; GET /breakers lists them", {}});
    if (any) {
      log::warning("breaker closed by hand",
                   {{"route", route}, {"actor", call->caller.actor()}, {"others", reset.asked}});
      put_on_record(*call, route, before);
    }
    if (reset.not_asked)
      return call->reply(Problem{
          ProblemKind::unavailable,
          std::string(reset.here ? "the breaker of this instance is closed, but " : "") +
              "the other instances could not be asked: the database does not answer; try again in a moment",
          {}});
    if (reset.asked == 0) return call->reply_json(204, "");
    call->reply_json(202, json::serialize(json::object{{"closedHere", reset.here}, {"asked", reset.asked}}));
  });
}

}  // namespace eilbote
