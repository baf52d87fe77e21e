#include "store/breaker_json.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/time.h"
#include "base/utf8.h"
#include "domain/breaker.h"
#include "domain/json_members.h"
#include "ports/breaker_board.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kReasonMax = 300;

}  // namespace

std::string breakers_to_json(std::span<const RouteLoad> breakers) {
  json::array rows;
  for (const RouteLoad& breaker : breakers.first(std::min(breakers.size(), kBreakersToldMax))) {
    // The names are those that ask_reset.sql looks for.
    json::object row{{"route", breaker.route},
                     {"channel", kChannelNames.text(breaker.channel)},
                     {"state", breaker.state},
                     {"reason", clean_peer_text(breaker.reason, kReasonMax)}};
    if (breaker.since) row["since"] = to_rfc3339(*breaker.since);
    rows.push_back(std::move(row));
  }
  return json::serialize(rows);
}

void add_breakers(std::vector<RouteLoad>& all, std::string_view instance, std::string_view text) {
  const json::value value = parse_json(text);
  if (!value.is_array()) return;
  for (const json::value& row : value.get_array()) {
    const auto channel = kChannelNames.parse(text_at(row, {"channel"}));
    const auto state = kBreakerStateNames.parse(text_at(row, {"state"}));
    if (!channel || !state) continue;
    RouteLoad& breaker = all.emplace_back();
    breaker.route = text_at(row, {"route"});
    breaker.instance = instance;
    breaker.channel = *channel;
    breaker.state = kBreakerStateNames.text(*state);
    breaker.is_down = *state != BreakerState::closed;
    breaker.reason = text_at(row, {"reason"});
    breaker.since = parse_rfc3339(text_at(row, {"since"}));
  }
}

std::vector<std::string> routes_from_json(std::string_view text) {
  std::vector<std::string> routes;
  const json::value value = parse_json(text);
  if (!value.is_array()) return routes;
  for (const json::value& route : value.get_array())
    routes.push_back(as_text(route));
  return routes;
}

}  // namespace eilbote
