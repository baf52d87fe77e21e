// The message trace: what a row says of a recipient, which window is asked for, and what is not asked too often.
#include "channel/graph_trace.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "domain/report_rules.h"
#include "support/watch_fakes.h"

namespace eilbote::test::graph_trace_test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

const std::string kSender = "o'brien@example.org";

json::object row(const std::string& id, const std::string& status, TimePoint received) {
  return {{"id", id},
          {"messageId", "<" + id + "@example.org>"},
          {"recipientAddress", "Ada@Example.com"},
          {"receivedDateTime", to_rfc3339(received)},
          {"status", status}};
}

TEST(GraphTrace, a_row_says_what_became_of_one_recipient) {
  const struct {
    const char* status;
    std::optional<ReportAction> want;
  } cases[] = {
      {"delivered", ReportAction::delivered},
      {"Delivered", ReportAction::delivered},
      {"failed", ReportAction::failed},
      {"expanded", ReportAction::expanded},
      {"quarantined", ReportAction::delayed},
      {"filteredAsSpam", ReportAction::relayed},
      {"pending", std::nullopt},
      {"gettingStatus", std::nullopt},
      {"unknownFutureValue", std::nullopt},
      {"", std::nullopt},
  };
  const TimePoint received{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  for (const auto& c : cases) {
    const auto report = report_of_trace(row("t1", c.status, received));
    ASSERT_EQ(report.has_value(), c.want.has_value()) << c.status;
    if (!report) continue;
    ASSERT_EQ(report->recipients.size(), 1U);
    EXPECT_EQ(report->recipients[0].action, *c.want) << c.status;
    EXPECT_EQ(report->recipients[0].address, "Ada@Example.com");
    ASSERT_EQ(report->references.size(), 1U);
    EXPECT_EQ(report->references[0].message_id, "<t1@example.org>");
    EXPECT_EQ(report->source, ReportSource::message_trace);
    EXPECT_EQ(report->said_at, received);
  }
  EXPECT_EQ(report_of_trace(row("t1", "Delivered", received))->key, "trace:t1:ada@example.com:delivered");
  json::object bare = row("t1", "failed", received);
  bare["messageId"] = "no-brackets@example.org";
  EXPECT_EQ(report_of_trace(bare)->references[0].message_id, "<no-brackets@example.org>");
  for (const char* name : {"id", "messageId", "recipientAddress", "status"}) {
    json::object without = row("t1", "failed", received);
    without.erase(name);
    EXPECT_FALSE(report_of_trace(without)) << name;
    if (std::string_view(name) == "status") continue;
    json::object odd = row("t1", "failed", received);
    odd[name] = json::string_view("a\0b@example.org", 15);
    EXPECT_FALSE(report_of_trace(odd)) << "what no table takes must not hold up the window: " << name;
  }
  EXPECT_FALSE(report_of_trace(json::value(nullptr)));
}

struct Trace {
  Trace() {
    WatchedMailbox kept;
    kept.mailbox = kSender;
    store.set(kept);
    mailbox.row = kept;
    door.answer = [this](const GraphCall& call) {
      if (call.path == "https://graph/more")
        return door_answer(200, json::serialize(json::object{{"value", second_page}}));
      json::object body{{"value", rows}};
      if (!second_page.empty()) body["@odata.nextLink"] = "https://graph/more";
      return refuse_with.status != 0 ? refuse_with : door_answer(200, json::serialize(body));
    };
  }
  void look() { trace.look(mailbox, stop.get_token()); }
  std::optional<TimePoint> traced_until() const { return store.row(kSender).traced_until; }

  FakeClock clock;
  WatchJournal journal;
  GraphOptions options;
  AnsweringDoor door{journal};
  MemoryMailboxWatch store{journal};
  KeptMailbox mailbox{WatchedMailbox{}};
  std::vector<std::string> taken;
  bool refuse = false;
  std::string too_early;  // the key of a report whose mail is being sent
  GraphTrace trace{options, door, store,
                   [this](const DeliveryReport& report) -> Result<void> {
                     if (refuse) return fail(ErrorKind::unavailable, "away");
                     if (report.key == too_early) return fail(too_early_error());
                     taken.push_back(report.key);
                     return {};
                   },
                   clock};
  std::stop_source stop;
  json::array rows, second_page;
  GraphAnswer refuse_with;
};

TEST(GraphTrace, asks_for_one_window_per_sender_and_reports_each_row_once) {
  Trace world;
  world.rows.push_back(row("t1", "delivered", world.clock.now() - 30min));
  world.second_page.push_back(row("t2", "failed", world.clock.now() - 20min));
  world.look();
  EXPECT_EQ(world.journal.lines().at(0),
            "GET "
            "/admin/exchange/tracing/"
            "messageTraces?$filter=senderAddress%20eq%20%27o%27%27brien%40example.org%27%20and%20"
            "receivedDateTime%20ge%202025-12-31T22%3A00%3A00.000Z%20and%20receivedDateTime%20le%202026-01-"
            "01T00%3A00%3A00.000Z&$top=1000");
  EXPECT_EQ(world.taken, (std::vector<std::string>{"trace:t1:ada@example.com:delivered",
                                                   "trace:t2:ada@example.com:failed"}));
  EXPECT_EQ(world.traced_until(), world.clock.now() - 1h) << "rows may still appear before now";
  EXPECT_EQ(world.mailbox.trace.due, world.clock.steady_now() + 5min);

  world.clock.advance(5min);
  world.look();
  EXPECT_EQ(world.taken.size(), 2U) << "the same rows say nothing new";
  world.rows[0].as_object()["status"] = "quarantined";
  world.look();
  EXPECT_EQ(world.taken.size(), 3U) << "another word does";
}

TEST(GraphTrace, waits_for_what_is_under_way_but_not_for_ever) {
  Trace world;
  const TimePoint received = world.clock.now() - 90min;
  world.rows.push_back(row("t1", "pending", received));
  world.look();
  EXPECT_EQ(world.traced_until(), received) << "the next window begins with it";
  world.clock.advance(10h);
  world.look();
  EXPECT_EQ(world.traced_until(), received);
  world.clock.advance(72h);
  world.look();
  EXPECT_EQ(world.traced_until(), world.clock.now() - 48h);
  world.rows[0].as_object()["status"] = "delivered";
  world.look();
  EXPECT_EQ(world.taken.size(), 1U);
  EXPECT_EQ(world.traced_until(), world.clock.now() - 1h);
}

TEST(GraphTrace, a_window_is_over_only_when_all_its_rows_were_taken) {
  Trace world;
  world.rows.push_back(row("t1", "delivered", world.clock.now()));
  world.refuse = true;
  world.look();
  EXPECT_EQ(world.traced_until(), std::nullopt);
  EXPECT_EQ(world.mailbox.trace.due, world.clock.steady_now() + 10s);
  world.refuse = false;
  world.store.fail_next("save");
  world.look();
  EXPECT_EQ(world.traced_until(), std::nullopt);
  world.look();
  EXPECT_EQ(world.taken.size(), 2U) << "brought again, under its key";
  EXPECT_TRUE(world.traced_until());

  world.refuse_with = door_answer(403, "", "Forbidden");
  world.look();
  EXPECT_EQ(world.mailbox.trace.trouble, "403 Forbidden");
}

TEST(GraphTrace, one_that_comes_too_early_is_looked_at_again_and_the_others_go_on) {
  Trace world;
  const TimePoint received = world.clock.now() - 90min;
  world.rows.push_back(row("t1", "failed", received));
  world.rows.push_back(row("t2", "delivered", world.clock.now() - 80min));
  world.too_early = "trace:t1:ada@example.com:failed";
  world.look();
  EXPECT_EQ(world.taken, std::vector<std::string>{"trace:t2:ada@example.com:delivered"});
  EXPECT_EQ(world.traced_until(), received) << "the next window begins with it";
  EXPECT_EQ(world.mailbox.trace.failures, 0);
  world.too_early.clear();
  world.clock.advance(5min);
  world.look();
  EXPECT_EQ(world.taken.size(), 2U);
  EXPECT_EQ(world.taken.back(), "trace:t1:ada@example.com:failed");
  EXPECT_EQ(world.traced_until(), world.clock.now() - 1h);
}

TEST(GraphTrace, stays_below_the_tenants_limit) {
  Trace world;
  for (int i = 0; i < GraphTrace::kRequestsMax + 10; ++i)
    world.look();
  EXPECT_EQ(world.journal.count("GET"), static_cast<std::size_t>(GraphTrace::kRequestsMax));
  EXPECT_EQ(world.mailbox.trace.due, world.clock.steady_now() + 5min) << "and comes back when there is room";
  EXPECT_EQ(world.mailbox.trace.failures, 0);
  world.clock.advance(5min);
  world.look();
  EXPECT_EQ(world.journal.count("GET"), static_cast<std::size_t>(GraphTrace::kRequestsMax) + 1);
}

}  // namespace
}  // namespace eilbote::test::graph_trace_test
