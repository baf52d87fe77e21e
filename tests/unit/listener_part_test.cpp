// What each listener answers of the API: by EILBOTE_METRICS_LISTEN, and by role. Every route is asked at every part.
#include "api/listener_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/route_table.h"
#include "support/api_world.h"

namespace eilbote::test::listener_part_test {
namespace {

using testing::HasSubstr;

// Answers 200 to what reaches it.
class Behind final : public HttpHandler {
 public:
  void handle(HttpRequest, Responder respond) override { respond({}); }
  HttpResponse refusal(int status, std::string_view detail) override {
    HttpResponse response;
    response.status = status;
    response.body = detail;
    return response;
  }
};

const std::set<std::string> kWatching{"/health/live", "/health/ready", "/metrics"};
const std::set<std::string> kDelivering{"/internal/dispatch",      "/internal/dispatch/batch",
                                        "/internal/dispatch/{id}", "/breakers",
                                        "/breakers/{route}/reset", "/jobs/{id}/why"};

const std::string kOfEveryInstance = "/log-level";

bool wants(ListenerPart part, const std::string& pattern) {
  switch (part) {
    case ListenerPart::all_but_metrics:
      return pattern != "/metrics";
    case ListenerPart::metrics_and_health:
      return kWatching.contains(pattern);
    case ListenerPart::of_scheduler:
      return kWatching.contains(pattern) || pattern == kOfEveryInstance;
    case ListenerPart::of_worker:
      return kWatching.contains(pattern) || pattern == kOfEveryInstance || kDelivering.contains(pattern);
  }
  return false;
}

TEST(ListenerPart, each_answers_its_own_routes_and_no_other) {
  Behind behind;
  for (const ListenerPart part : {ListenerPart::all_but_metrics, ListenerPart::metrics_and_health,
                                  ListenerPart::of_worker, ListenerPart::of_scheduler}) {
    const auto shown = make_listener_part(behind, part);
    for (const Route& route : route_table()) {
      const std::string pattern(route.pattern);
      const int status = ApiWorld::ask(*shown, std::string(route.method), pattern + "?a=b").get().status;
      EXPECT_EQ(status, wants(part, pattern) ? 200 : 404) << static_cast<int>(part) << " " << pattern;
    }
  }
}

TEST(ListenerPart, a_role_says_who_else_to_ask) {
  Behind behind;
  const auto detail = [&](ListenerPart part) {
    return ApiWorld::ask(*make_listener_part(behind, part), "POST", "/messages").get().body;
  };
  EXPECT_THAT(detail(ListenerPart::of_worker), HasSubstr("role worker"));
  EXPECT_THAT(detail(ListenerPart::of_scheduler), HasSubstr("role scheduler"));
}

TEST(ListenerPart, one_in_front_of_the_other_answers_what_both_do) {
  Behind behind;
  const auto worker = make_listener_part(behind, ListenerPart::of_worker);
  const auto apart = make_listener_part(*worker, ListenerPart::all_but_metrics);
  const std::map<std::string, int> want{
      {"/metrics", 404}, {"/messages", 404}, {"/breakers", 200}, {"/health/live", 200}};
  for (const auto& [path, status] : want)
    EXPECT_EQ(ApiWorld::ask(*apart, "GET", path).get().status, status) << path;
}

}  // namespace
}  // namespace eilbote::test::listener_part_test
