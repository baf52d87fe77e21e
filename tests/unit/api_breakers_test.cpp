// GET /breakers and POST /breakers/{route}/reset over several instances, without a database; and how the parameters of a path are
// read, of which a route with a port or an IPv6 address is the hard case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/api_world.h"

namespace eilbote::test::api_breakers_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace json = boost::json;

constexpr Epoch kOther{99};

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

RouteLoad told(const std::string& route, BreakerState state, const std::string& reason = "") {
  RouteLoad load;
  load.route = route;
  load.channel = ChannelKind::webhook;
  load.state = kBreakerStateNames.text(state);
  load.is_down = state != BreakerState::closed;
  load.reason = reason;
  return load;
}

struct BreakerApi {
  BreakerApi() : ledger(static_cast<BreakerLedger&>(*world.ledger)) {}

  // Another instance with one breaker.
  void meet(const std::string& route) {
    EXPECT_TRUE(world.instance.begin());
    world.care.peers = 1;
    EXPECT_TRUE(world.instance.beat());
    EXPECT_TRUE(
        world.board.tell(kOther, "worker:2", std::vector{told(route, BreakerState::open, "timeout")}));
  }
  std::vector<std::string> asked_of_other() { return world.board.take_resets(kOther).value(); }
  json::value read(const std::string& path) { return json::parse(ask("GET", path).body); }

  HttpResponse ask(std::string method, std::string path) {
    return world.ask(std::move(method), std::move(path)).get();
  }

  ApiWorld world{std::make_unique<BreakerLedger>()};
  BreakerLedger& ledger;
};

TEST(ApiBreakers, are_reset_by_the_name_the_list_shows_encoded_or_not) {
  for (const auto& [path, route] :
       std::vector<std::pair<std::string, std::string>>{{"smtp", "smtp"},
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

TEST(ApiBreakers, of_all_instances_are_shown_own_ones_first) {
  BreakerApi api;
  api.ledger.views = {{"smtp", BreakerState::closed, "", {}, ChannelKind::mail}};
  api.meet("hooks.example.org");
  EXPECT_EQ(json::serialize(api.read("/breakers")),
            R"({"data":[{"route":"smtp","channel":"mail","instance":"host:1","state":"closed"},)"
            R"({"route":"hooks.example.org","channel":"webhook","instance":"worker:2","state":"open",)"
            R"("reason":"timeout"}],"partial":false})");
  api.world.board.away = true;
  const json::value alone = api.read("/breakers");
  EXPECT_EQ(alone.at("data").as_array().size(), 1U) << "own ones are known without the database";
  EXPECT_EQ(alone.at("partial"), true);
}

TEST(ApiBreakers, are_reset_at_all_instances_that_have_one) {
  BreakerApi api;
  api.meet("a.example");
  const HttpResponse there = api.ask("POST", "/breakers/a.example/reset");
  EXPECT_EQ(there.status, 202) << there.body;
  EXPECT_EQ(there.body, R"({"closedHere":false,"asked":1})");
  EXPECT_THAT(api.asked_of_other(), ElementsAre("a.example"));
  api.ledger.views = {{"a.example", BreakerState::open, "refused", {}, ChannelKind::webhook}};
  const HttpResponse both = api.ask("POST", "/breakers/a.example/reset");
  EXPECT_EQ(both.status, 202);
  EXPECT_EQ(both.body, R"({"closedHere":true,"asked":1})");
  EXPECT_THAT(api.asked_of_other(), ElementsAre("a.example"));
  EXPECT_EQ(api.ask("POST", "/breakers/b.example/reset").status, 404);
  EXPECT_THAT(api.asked_of_other(), IsEmpty());
  EXPECT_EQ(api.world.registry.audit_entries.size(), 2U) << "what changed nothing is not on the record";
}

TEST(ApiBreakers, are_reset_here_while_the_database_is_away) {
  BreakerApi api;
  api.ledger.views = {{"a.example", BreakerState::open, "refused", {}, ChannelKind::webhook}};
  api.world.board.away = true;
  EXPECT_EQ(api.ask("POST", "/breakers/a.example/reset").status, 204) << "who is alone asks nobody";
  EXPECT_EQ(api.world.board.calls, 0);
  api.world.board.away = false;
  api.meet("a.example");
  api.world.board.away = true;
  const HttpResponse half = api.ask("POST", "/breakers/a.example/reset");
  EXPECT_EQ(half.status, 503);
  EXPECT_THAT(half.body, HasSubstr("of this instance is closed, but the other instances could not be asked"));
  EXPECT_EQ(api.ledger.resets.size(), 2U);
}

// The other side of it: what an instance is asked for, it does with the next exchange; and it tells what changed, once.
TEST(ApiBreakers, told_and_asked_for_are_exchanged) {
  BreakerApi api;
  ApiWorld& world = api.world;
  ASSERT_TRUE(world.instance.begin());
  api.ledger.views = {
      {"a.example", BreakerState::open, "refused", world.clock.steady_now(), ChannelKind::webhook}};
  ASSERT_TRUE(world.breakers.exchange());
  ASSERT_TRUE(world.breakers.exchange());
  EXPECT_EQ(world.board.tells, 1) << "nothing changed";
  const auto seen = world.board.told_by_others(kOther).value();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].route + " " + std::string(seen[0].state) + " " + seen[0].instance,
            "a.example open host:1");
  EXPECT_TRUE(seen[0].since);
  ASSERT_EQ(world.board.ask_reset(kOther, "a.example").value(), 1);
  api.ledger.views.clear();
  ASSERT_TRUE(world.breakers.exchange());
  EXPECT_THAT(api.ledger.resets, ElementsAre("a.example"));
  EXPECT_EQ(world.board.tells, 2);
  ASSERT_TRUE(world.breakers.exchange());
  EXPECT_EQ(api.ledger.resets.size(), 1U);
  ASSERT_TRUE(world.instance.begin());
  ASSERT_TRUE(world.breakers.exchange());
  EXPECT_EQ(world.board.tells, 3) << "in a new epoch nobody knows anything of it";
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
