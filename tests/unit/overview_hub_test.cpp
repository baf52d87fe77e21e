// The overview for many: one look for all who ask at once, none for nobody, a bounded number of streams, each with an end.
#include "api/overview_hub.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <future>
#include <thread>

#include "engine/idle_ledger.h"
#include "metrics/metrics.h"
#include "support/eventually.h"
#include "support/fake_registry.h"
#include "support/lively_care.h"
#include "support/memory_breaker_board.h"
#include "support/memory_overview_book.h"

namespace eilbote::test::overview_hub_test {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

// Notes what it is sent.
class NotingStream final : public HttpStream {
 public:
  void send(std::shared_ptr<const std::string> event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(*event);
  }
  void end() override { open_ = false; }
  bool is_open() const override { return open_; }
  std::vector<std::string> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::atomic<bool> open_{true};

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> events_;
};

class OverviewHubTest : public testing::Test {
 protected:
  std::string ask() {
    std::promise<std::string> answer;
    const bool taken = hub_.ask([&](const Result<OverviewHub::Text>& text) {
      answer.set_value(text ? **text : "failed: " + text.error().message);
    });
    if (!taken) return "full";
    return answer.get_future().get();
  }

  SystemClock clock_;
  Metrics metrics_;
  MemoryOverviewBook book_{clock_};
  FakeRegistry registry_;
  PoolList pools_{registry_};
  std::unique_ptr<Ledger> ledger_ = make_idle_ledger("api");
  FlowBook flow_{book_, metrics_, clock_};
  LivelyCare care_;
  Instance instance_{care_, clock_, "this", 15s};
  MemoryBreakerBoard board_;
  BreakerDesk breakers_{board_, *ledger_, instance_, clock_, "one"};
  OverviewDesk desk_{{book_, flow_, breakers_, pools_, metrics_, clock_, {}, "one", "1.2.3", "sqlite"}};
  OverviewHub hub_{desk_, clock_};
};

TEST_F(OverviewHubTest, a_picture_has_what_was_counted) {
  metrics_.add(Metric::messages_accepted, 5);
  metrics_.observe(Metric::attempt_seconds, 0.01, {"smtp", "delivered"});
  book_.standing_now.instances = 2;
  book_.standing_now.dead.by_reason[DeadReason::Expired] = 3;
  book_.standing_now.dead.count = 4;
  hub_.start();
  const json::value seen = json::parse(ask());
  EXPECT_EQ(seen.at("totals").at("accepted"), 5) << "not written yet, and shown";
  EXPECT_EQ(seen.at("instance"), "one");
  EXPECT_EQ(seen.at("version"), "1.2.3");
  EXPECT_EQ(seen.at("store"), "sqlite");
  EXPECT_EQ(seen.at("instances"), 2);
  EXPECT_TRUE(seen.at("broker").is_null());
  EXPECT_EQ(seen.at("dead").at("count"), 4);
  EXPECT_EQ(seen.at("dead").at("byReason").at("Expired"), 3);
  EXPECT_EQ(seen.at("minutes").as_array().size(), 1U);
  EXPECT_EQ(seen.at("minutes").at(0).at("accepted"), 5);
  EXPECT_TRUE(seen.at("attempts").at("p50Millis").is_null()) << "no second is over yet";
  EXPECT_EQ(seen.at("attention").at(0).at("code"), "nothing_delivers");
}

TEST_F(OverviewHubTest, a_picture_has_the_ways_out_of_all_instances) {
  ASSERT_TRUE(instance_.begin());
  care_.peers = 2;
  ASSERT_TRUE(instance_.beat());
  const auto told = [](ChannelKind channel, const std::string& route, bool is_down) {
    RouteLoad load;
    load.route = route;
    load.channel = channel;
    load.state = kBreakerStateNames.text(is_down ? BreakerState::open : BreakerState::closed);
    load.is_down = is_down;
    return load;
  };
  const RouteLoad smtp = told(ChannelKind::mail, "smtp", true),
                  hook = told(ChannelKind::webhook, "smtp", true);
  ASSERT_TRUE(board_.tell(Epoch{7}, "worker:7", std::vector{smtp, hook}));
  ASSERT_TRUE(board_.tell(Epoch{8}, "worker:8", std::vector{smtp, told(ChannelKind::webhook, "b", false)}));
  hub_.start();
  const json::value seen = json::parse(ask());
  std::vector<std::string> rows;
  for (const json::value& row : seen.at("routes").as_array())
    rows.push_back(std::string(row.at("instance").as_string()) + " " +
                   std::string(row.at("route").as_string()) + " " + std::string(row.at("state").as_string()));
  EXPECT_EQ(rows, (std::vector<std::string>{"worker:7 smtp open", "worker:8 smtp open", "worker:7 smtp open",
                                            "worker:8 b closed"}))
      << "relays before hosts";
  EXPECT_EQ(seen.at("attention").as_array().size(), 3U)
      << "the relay and the host once each, and that nobody delivers: "
      << json::serialize(seen.at("attention"));
}

TEST_F(OverviewHubTest, many_who_ask_at_once_cost_one_look) {
  hub_.start();
  ask();
  const int before = book_.looks;
  std::atomic<int> answers{0};
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(hub_.ask([&](const Result<OverviewHub::Text>&) { ++answers; }));
  EXPECT_TRUE(eventually([&] { return answers == 100; }));
  EXPECT_LE(book_.looks - before, 1);
}

TEST_F(OverviewHubTest, nobody_watches_and_nothing_is_asked) {
  hub_.start();
  ASSERT_TRUE(eventually([&] { return flow_.seconds().size() >= 2; }));
  EXPECT_EQ(book_.looks, 0);
}

TEST_F(OverviewHubTest, who_watches_gets_an_event_a_second_until_they_go) {
  hub_.start();
  const auto first = std::make_shared<NotingStream>(), second = std::make_shared<NotingStream>();
  hub_.join(first, hub_.take_seat());
  hub_.join(second, hub_.take_seat());
  ASSERT_TRUE(eventually([&] { return first->events().size() >= 2 && !second->events().empty(); }));
  const std::string event = first->events().front();
  EXPECT_TRUE(event.starts_with("event: overview\ndata: {")) << event;
  EXPECT_TRUE(event.ends_with("}\n\n")) << event;
  EXPECT_EQ(event.find("minutes"), std::string::npos) << "the past comes once";
  first->open_ = second->open_ = false;
  const int looks = book_.looks;
  const std::size_t events = first->events().size();
  EXPECT_TRUE(eventually([&, n = flow_.seconds().size()] { return flow_.seconds().size() >= n + 2; }));
  EXPECT_LE(book_.looks, looks + 1);
  EXPECT_LE(first->events().size(), events + 1);
}

TEST_F(OverviewHubTest, a_store_that_is_away_is_a_line_for_who_watches_and_an_error_for_who_asks) {
  hub_.start();
  book_.away = true;
  const auto stream = std::make_shared<NotingStream>();
  hub_.join(stream, hub_.take_seat());
  ASSERT_TRUE(eventually([&] { return !stream->events().empty(); }));
  EXPECT_TRUE(stream->events().front().starts_with(": "));
  EXPECT_EQ(ask(), "failed: away");
}

TEST_F(OverviewHubTest, seats_are_bounded_and_given_back) {
  std::vector<OverviewHub::Seat> seats;
  for (int i = 0; i < OverviewHub::kStreamsMax; ++i)
    seats.push_back(hub_.take_seat());
  EXPECT_TRUE(seats.back());
  EXPECT_FALSE(hub_.take_seat());
  seats.pop_back();
  EXPECT_TRUE(hub_.take_seat());
  for (std::size_t i = 0; i < OverviewHub::kAskersMax; ++i)
    ASSERT_TRUE(hub_.ask([](const Result<OverviewHub::Text>&) {}));
  EXPECT_FALSE(hub_.ask([](const Result<OverviewHub::Text>&) {})) << "it has not started";
}

// Time is what it is given.
TEST(OverviewStreams, end_after_five_minutes) {
  FakeClock clock;
  Metrics metrics;
  MemoryOverviewBook book(clock);
  FakeRegistry registry;
  PoolList pools(registry);
  const auto ledger = make_idle_ledger("api");
  FlowBook flow(book, metrics, clock);
  LivelyCare care;
  Instance instance(care, clock, "this", 15s);
  MemoryBreakerBoard board;
  BreakerDesk breakers(board, *ledger, instance, clock, "one");
  OverviewDesk desk({book, flow, breakers, pools, metrics, clock, {}, "one", "1", "sqlite"});
  OverviewHub hub(desk, clock);
  const auto stream = std::make_shared<NotingStream>();
  hub.join(stream, hub.take_seat());
  hub.start();
  // Who asks wakes it, and it looks at its clock.
  const auto later = [&](Duration by) {
    clock.advance(by);
    EXPECT_TRUE(hub.ask([](const Result<OverviewHub::Text>&) {}));
  };
  EXPECT_TRUE(eventually([&] {
    later(100ms);
    return !stream->events().empty();
  }));
  EXPECT_TRUE(stream->is_open());
  clock.advance(OverviewHub::kStreamLife);
  EXPECT_TRUE(eventually([&] {
    later(1s);
    return !stream->is_open();
  }));
}

TEST_F(OverviewHubTest, has_many_lives) {
  for (int life = 0; life < 30; ++life) {
    OverviewHub hub(desk_, clock_);
    std::atomic<int> answers{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 20; ++i) {
            if (!hub.ask([&](const Result<OverviewHub::Text>&) { ++answers; })) continue;
            hub.join(std::make_shared<NotingStream>(), hub.take_seat());
          }
        });
      if (life % 2 == 0) hub.start();
    }
    hub.stop();
    const int at_the_end = answers;
    EXPECT_LE(at_the_end, 60);
    hub.stop();
  }
}

}  // namespace
}  // namespace eilbote::test::overview_hub_test
