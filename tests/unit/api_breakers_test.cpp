// GET /breakers and POST /breakers/{route}/reset, without a database; and how the parameters of a path are read, of which a
// route with a port or an IPv6 address is the hard case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/api_world.h"

namespace eilbote::test::api_breakers_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Has the breakers the test gives it, and keeps what it was asked to close.
class BreakerLedger final : public Ledger {
 public:
  void start() override {}
  void stop(Duration) override {}
  void wake(std::span<const LaneId>) override {}
  void wake_all() override {}
  void offer(std::vector<Offer>) override {}
  void dispatch(DispatchOrder, std::function<void(Result<DispatchReport>)>) override {}
  bool holds(const Lease&) const override { return false; }
  std::vector<JobId> held_webhooks() const override { return {}; }
  std::vector<BreakerView> breakers() const override { return views; }
  bool reset_breaker(const std::string& route) override {
    resets.push_back(route);
    return std::ranges::any_of(views, [&](const BreakerView& view) { return view.route == route; });
  }
  std::optional<std::string> held_back(const Job&) const override { return std::nullopt; }

  std::vector<BreakerView> views;
  std::vector<std::string> resets;
};

struct BreakerApi {
  BreakerApi() : ledger(static_cast<BreakerLedger&>(*world.ledger)) {}

  HttpResponse ask(std::string method, std::string path) {
    return world.ask(std::move(method), std::move(path)).get();
  }

  ApiWorld world{std::make_unique<BreakerLedger>()};
  BreakerLedger& ledger;
};

TEST(ApiBreakers, are_reset_by_the_name_the_list_shows_encoded_or_not) {
  for (const auto& [path, route] : std::vector<std::pair<std::string, std::string>>{
           {"smtp", "smtp"},
           {"hooks.example.org", "hooks.example.org"},
           {"127.0.0.1:8080", "127.0.0.1:8080"},
           {"127.0.0.1%3A8080", "127.0.0.1:8080"},
           {"%5B%3A%3A1%5D%3A8080", "[::1]:8080"},
           {"%5b::1%5d:8080", "[::1]:8080"},
           {"[::1]:8080", "[::1]:8080"}}) {
    BreakerApi api;
    api.ledger.views = {{route, BreakerState::open, "connection refused", {}, ChannelKind::webhook}};
    EXPECT_EQ(api.ask("POST", "/breakers/" + path + "/reset").status, 204) << path;
    EXPECT_THAT(api.ledger.resets, ElementsAre(route)) << path;
  }
}

TEST(ApiBreakers, of_a_name_that_is_no_text_are_refused) {
  for (const std::string path : {"%", "%5", "%zz", "%ff", "a%00b"}) {
    BreakerApi api;
    const HttpResponse answer = api.ask("POST", "/breakers/" + path + "/reset");
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_THAT(answer.body, HasSubstr("the path must be percent-encoded UTF-8")) << path;
    EXPECT_TRUE(api.ledger.resets.empty()) << path;
  }
}

// Of every other path: the same text, once decoded.
TEST(ApiBreakers, the_parameters_of_all_paths_are_decoded_once) {
  ApiWorld world;
  EXPECT_EQ(world.ask("GET", "/dispatch-pools/s%6Cow").get().status, 200);
  EXPECT_EQ(world.ask("GET", "/dispatch-pools/s%256Cow").get().status, 404);
  const HttpResponse twice = world.ask("DELETE", "/suppressions/a%2540b.example").get();
  EXPECT_EQ(twice.status, 400) << "a%40b.example is no address: " << twice.body;
  const HttpResponse none = world.ask("DELETE", "/suppressions/%zzada%40example.org").get();
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(none.body.find("ada"), std::string::npos) << "a path that names an address is not shown";
}

}  // namespace
}  // namespace eilbote::test::api_breakers_test
