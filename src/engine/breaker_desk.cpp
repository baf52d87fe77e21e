#include "engine/breaker_desk.h"

#include <utility>

#include "base/log.h"

namespace eilbote {
namespace {

RouteLoad route_of(const BreakerView& view, const std::string& instance, const Clock& clock) {
  RouteLoad route;
  route.route = view.route;
  route.instance = instance;
  route.channel = view.channel;
  route.state = kBreakerStateNames.text(view.state);
  route.is_down = view.state != BreakerState::closed;
  route.reason = view.reason;
  if (view.since) route.since = wall_time(clock, *view.since);
  return route;
}

std::vector<RouteLoad> routes_of(const std::vector<BreakerView>& views, const std::string& instance,
                                 const Clock& clock) {
  std::vector<RouteLoad> routes;
  routes.reserve(views.size());
  for (const BreakerView& view : views)
    routes.push_back(route_of(view, instance, clock));
  return routes;
}

}  // namespace

BreakerDesk::BreakerDesk(BreakerBoard& board, Ledger& ledger, const Instance& instance, const Clock& clock,
                         std::string shown_as)
    : board_(board), ledger_(ledger), instance_(instance), clock_(clock), shown_as_(std::move(shown_as)) {}

Result<void> BreakerDesk::exchange() {
  const Epoch epoch = instance_.epoch();
  const auto asked = board_.take_resets(epoch);
  if (!asked) return fail(asked.error());
  for (const std::string& route : *asked)
    if (ledger_.reset_breaker(route))
      log::warning("breaker closed by hand, at another instance", {{"route", route}});
  std::vector<BreakerView> views = ledger_.breakers();
  if (epoch == told_in_ && views == told_) return {};
  if (auto told = board_.tell(epoch, shown_as_, routes_of(views, shown_as_, clock_)); !told) return told;
  told_in_ = epoch;
  told_ = std::move(views);
  return {};
}

std::vector<RouteLoad> BreakerDesk::own() const {
  return routes_of(ledger_.breakers(), shown_as_, clock_);
}

Result<std::vector<RouteLoad>> BreakerDesk::others() const {
  if (instance_.is_alone()) return std::vector<RouteLoad>{};
  return board_.told_by_others(instance_.epoch());
}

BreakerDesk::Reset BreakerDesk::reset(const std::string& route) {
  Reset done;
  done.here = ledger_.reset_breaker(route);
  // Whoever resets a breaker may do so because the database is in trouble: who is alone does not need it.
  if (instance_.is_alone()) return done;
  const auto asked = board_.ask_reset(instance_.epoch(), route);
  if (asked)
    done.asked = *asked;
  else
    done.not_asked = asked.error();
  return done;
}

}  // namespace eilbote
