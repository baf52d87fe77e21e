// The checker of histories finds what it is there for: a history without fault passes, and each of these, which differs from it
// in one thing, breaks the rule that is named and no other. Without this, a green run of the chaos scenarios would say nothing.
#include <gtest/gtest.h>

#include <functional>

#include "support/history_checker.h"
#include "support/history_story.h"

namespace eilbote::test::history_checker_test {
namespace {

using Events = std::vector<HistoryEvent>;
using Kind = HistoryKind;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kStart = 1'800'000'000 * kSecond;

// A delivery that takes a tenth of a second.
void delivered(Events& events, std::int64_t number, const std::string& id, std::int64_t at, int place = 0,
               int answer = 200) {
  events.push_back({.kind = Kind::begun,
                    .at = at,
                    .name = "name-" + id,
                    .id = id,
                    .wire_id = "wire-" + id,
                    .delivery = number,
                    .group = place > 0 ? "g" : "",
                    .place = place});
  events.push_back({.kind = Kind::ended, .at = at + kSecond / 10, .delivery = number, .answer = answer});
}

void on_record(Events& events, const std::string& id, std::int64_t at,
               const std::string& verdict = "delivered") {
  events.push_back(
      {.kind = Kind::attempt, .at = at - 1000, .until = at + kSecond / 5, .id = id, .status = verdict});
}

// Five jobs of a pool with these limits, all at once.
void crowd(Events& events, const HistoryEvent& limits) {
  events.push_back(limits);
  for (int n = 0; n < 5; ++n) {
    const std::string id = "p" + std::to_string(n);
    delivered(events, 20 + n, id, kStart + 10 * kSecond + n);
    events[events.size() - 2].pool = "p";
    on_record(events, id, kStart + 10 * kSecond);
    events.push_back({.kind = Kind::stored,
                      .id = id,
                      .status = "sent",
                      .attempts = 1,
                      .budget = 3,
                      .finished_at = kStart + 11 * kSecond});
  }
}

// Three jobs: `a` is delivered at once, `b` and `c` are of a group; `b` fails once.
Events good_history() {
  Events events;
  for (const char* id : {"a", "b", "c"}) {
    const std::string name = std::string("name-") + id;
    events.push_back({.kind = Kind::asked, .at = kStart, .name = name});
    events.push_back({.kind = Kind::acknowledged, .at = kStart + 1, .name = name, .id = id});
    events.push_back({.kind = Kind::stored,
                      .at = kStart + 99 * kSecond,
                      .id = id,
                      .status = "sent",
                      .attempts = *id == 'b' ? 2 : 1,
                      .budget = 3,
                      .finished_at = kStart + 50 * kSecond});
  }
  delivered(events, 1, "a", kStart + 10 * kSecond);
  on_record(events, "a", kStart + 10 * kSecond);
  delivered(events, 2, "b", kStart + 10 * kSecond, 1, 500);
  on_record(events, "b", kStart + 10 * kSecond, "transient");
  delivered(events, 3, "b", kStart + 20 * kSecond, 1);
  on_record(events, "b", kStart + 20 * kSecond);
  delivered(events, 4, "c", kStart + 30 * kSecond, 2);
  on_record(events, "c", kStart + 30 * kSecond);
  return events;
}

HistoryEvent& find(Events& events, Kind kind, const std::string& id) {
  for (HistoryEvent& event : events)
    if (event.kind == kind && event.id == id) return event;
  throw std::runtime_error("no such event");
}
void drop(Events& events, Kind kind, const std::string& id) {
  std::erase_if(events, [&](const HistoryEvent& event) { return event.kind == kind && event.id == id; });
}

struct Case {
  const char* name;
  std::string_view rule;
  std::function<void(Events&)> spoil;
};

const Case kCases[] = {
    {"a replay named another job", history_rule::one_id,
     [](Events& events) {
       events.push_back({.kind = Kind::acknowledged, .at = kStart + 2, .name = "name-a", .id = "b"});
     }},
    {"a repeat is refused", history_rule::repeat_kept,
     [](Events& events) {
       events.push_back({.kind = Kind::refused, .at = kStart + 2, .name = "name-a", .answer = 503});
       events.push_back({.kind = Kind::refused, .at = kStart + 3, .name = "name-a", .answer = 409});
     }},
    {"an acknowledged job is lost", history_rule::acknowledged_stored,
     [](Events& events) {
       events.push_back({.kind = Kind::acknowledged, .at = kStart, .name = "name-d", .id = "d"});
     }},
    {"a job waits for ever", history_rule::ended,
     [](Events& events) {
       HistoryEvent& row = find(events, Kind::stored, "a");
       row.status = "published";
       row.finished_at = 0;
     }},
    {"a job is dead and nobody says why", history_rule::ended,
     [](Events& events) { find(events, Kind::stored, "a").status = "failed"; }},
    {"a job counts as delivered that nobody saw", history_rule::seen,
     [](Events& events) { drop(events, Kind::begun, "a"); }},
    {"a job counts as delivered that was only refused", history_rule::seen,
     [](Events& events) {
       for (HistoryEvent& event : events)
         if (event.kind == Kind::ended && event.delivery == 1) event.answer = 500;
     }},
    {"a receiver saw a job that is not in the database", history_rule::known,
     [](Events& events) {
       drop(events, Kind::stored, "a");
       drop(events, Kind::acknowledged, "a");
     }},
    {"a retry under another wire id", history_rule::one_wire_id,
     [](Events& events) {
       for (HistoryEvent& event : events)
         if (event.kind == Kind::begun && event.delivery == 3) event.wire_id = "other";
     }},
    {"a delivery that is nowhere on record", history_rule::accounted,
     [](Events& events) { delivered(events, 9, "a", kStart + 5 * kSecond, 0, 500); }},
    {"one attempt, two deliveries", history_rule::started_once,
     [](Events& events) { delivered(events, 9, "a", kStart + 10 * kSecond + kSecond / 7, 0, 500); }},
    {"taken twice on record, and nothing was broken", history_rule::twice,
     [](Events& events) {
       delivered(events, 9, "a", kStart + 15 * kSecond);
       on_record(events, "a", kStart + 15 * kSecond);
     }},
    {"more attempts than it may", history_rule::budget,
     [](Events& events) { find(events, Kind::stored, "b").budget = 1; }},
    {"an attempt after the end", history_rule::after_end,
     [](Events& events) { on_record(events, "a", kStart + 60 * kSecond, "transient"); }},
    {"a group out of order", history_rule::group_order,
     [](Events& events) {
       for (HistoryEvent& event : events)
         if (event.kind == Kind::begun && event.id == "b") event.place = 3;
     }},
    {"two of a group together", history_rule::group_alone,
     [](Events& events) {
       for (HistoryEvent& event : events)
         if (event.kind == Kind::ended && event.delivery == 3) event.at = kStart + 31 * kSecond;
     }},
    {"two deliveries of one job at the same time", history_rule::job_alone,
     [](Events& events) {
       delivered(events, 9, "a", kStart + 10 * kSecond + kSecond / 20, 0, 500);
       on_record(events, "a", kStart + 10 * kSecond + kSecond / 20, "transient");
     }},
    {"more is used up than is on record", history_rule::counted,
     [](Events& events) { find(events, Kind::stored, "a").attempts = 2; }},
    {"a deferral uses up an attempt", history_rule::counted,
     [](Events& events) { find(events, Kind::attempt, "b").status = "deferred"; }},
    {"a cancelled job is sent", history_rule::cancelled_stays,
     [](Events& events) {
       events.push_back({.kind = Kind::cancelled, .at = kStart + 40 * kSecond, .id = "a"});
     }},
    {"a cancelled job is begun all the same", history_rule::cancelled_silent,
     [](Events& events) {
       find(events, Kind::stored, "a").status = "cancelled";
       events.push_back({.kind = Kind::cancelled, .at = kStart + 5 * kSecond, .id = "a"});
     }},
    {"a group that blocks goes on after a failure", history_rule::group_blocks,
     [](Events& events) {
       for (HistoryEvent& event : events) {
         if (event.kind == Kind::begun && event.place > 0) event.mode = "BLOCK_ON_ERROR";
         if (event.delivery == 3) event.at += 40 * kSecond;
       }
       for (HistoryEvent& event : events)
         if (event.kind == Kind::attempt && event.id == "b" && event.at > kStart + 15 * kSecond)
           event = {.kind = Kind::attempt,
                    .at = kStart + 59 * kSecond,
                    .until = kStart + 61 * kSecond,
                    .id = "b",
                    .status = "delivered"};
       find(events, Kind::stored, "b").finished_at = kStart + 61 * kSecond;
     }},
    {"a pool starts more than its rate", history_rule::pool_rate,
     [](Events& events) { crowd(events, {.kind = Kind::limits, .pool = "p", .rate = 60, .burst = 2}); }},
    {"a pool has more under way than it may", history_rule::pool_concurrency,
     [](Events& events) { crowd(events, {.kind = Kind::limits, .pool = "p", .concurrency = 4}); }},
    {"the next of a group while the first never ended", history_rule::group_alone,
     [](Events& events) {
       std::erase_if(events, [](const HistoryEvent& e) { return e.kind == Kind::ended && e.delivery == 2; });
     }},
};

TEST(HistoryChecker, finds_nothing_in_a_good_history) {
  const HistoryVerdict verdict = check_history(good_history());
  EXPECT_TRUE(verdict.holds()) << verdict.page();
  EXPECT_EQ(verdict.acknowledged, 3);
  EXPECT_EQ(verdict.delivered, 3);
  EXPECT_EQ(verdict.duplicates + verdict.unrecorded, 0);
}

TEST(HistoryChecker, names_the_rule_that_is_broken_and_no_other) {
  for (const Case& one : kCases) {
    Events events = good_history();
    one.spoil(events);
    const HistoryVerdict verdict = check_history(events);
    EXPECT_EQ(verdict.violations.size(), 1U) << one.name << "\n" << verdict.page();
    EXPECT_TRUE(verdict.violations.contains(one.rule)) << one.name << "\n" << verdict.page();
  }
}

// The window between hand-over and commit: allowed beside a fault, and nowhere else.
TEST(HistoryChecker, allows_a_delivery_off_the_record_beside_a_fault_only) {
  Events events = good_history();
  delivered(events, 9, "a", kStart + 5 * kSecond);
  const auto with_fault_at = [&](std::int64_t at, std::int64_t until) {
    Events spoilt = events;
    spoilt.push_back({.kind = Kind::fault, .at = at, .until = until, .status = "killed"});
    return check_history(spoilt);
  };
  EXPECT_FALSE(check_history(events).holds());
  const HistoryVerdict near = with_fault_at(kStart + 6 * kSecond, 0);
  EXPECT_TRUE(near.holds()) << near.page();
  EXPECT_EQ(near.duplicates, 1);
  EXPECT_EQ(near.unrecorded, 1);
  EXPECT_TRUE(with_fault_at(kStart + 2 * kSecond, kStart + 6 * kSecond).holds()) << "it lasted until then";
  EXPECT_FALSE(with_fault_at(kStart + 2 * kSecond, kStart + 3 * kSecond).holds()) << "it was over before";
  EXPECT_FALSE(with_fault_at(kStart + 11 * kSecond, 0).holds()) << "it came too late";
}

// A mail that a client would rather not have sent than sent twice is forbidden the window as well.
TEST(HistoryChecker, allows_no_second_delivery_of_a_mail_that_is_held) {
  Events events = good_history();
  delivered(events, 9, "a", kStart + 5 * kSecond);
  find(events, Kind::begun, "a").mode = events[events.size() - 2].mode = "hold";
  events.push_back({.kind = Kind::fault, .at = kStart + 6 * kSecond, .name = "kill", .status = "killed"});
  const HistoryVerdict verdict = check_history(events);
  EXPECT_EQ(verdict.violations.size(), 1U) << verdict.page();
  EXPECT_TRUE(verdict.violations.contains(history_rule::held_once)) << verdict.page();
  EXPECT_EQ(verdict.duplicates_beside.at("kill"), 1);
}

TEST(HistoryChecker, excuses_an_instance_by_what_struck_this_one_only) {
  const auto with_fault_of = [](const std::string& by) {
    Events events = good_history();
    delivered(events, 9, "a", kStart + 5 * kSecond);
    events[events.size() - 2].by = "worker1";
    events.push_back({.kind = Kind::fault, .at = kStart + 6 * kSecond, .status = "killed", .by = by});
    return check_history(events);
  };
  EXPECT_TRUE(with_fault_of("").holds());
  EXPECT_TRUE(with_fault_of("worker1").holds());
  EXPECT_FALSE(with_fault_of("worker2").holds());
}

// What was sent in time and arrives late may come beside the next of its group, or of its pool; what is on record may not.
TEST(HistoryChecker, excuses_what_overtakes_after_a_freeze_and_after_nothing_else) {
  const auto with_fault = [](std::string_view kind) {
    Events events = good_history();
    for (HistoryEvent& event : events)
      if (event.kind == Kind::ended && event.delivery == 3) event.at = kStart + 31 * kSecond;
    events.push_back({.kind = Kind::fault,
                      .at = kStart + 15 * kSecond,
                      .until = kStart + 29 * kSecond,
                      .name = std::string(kind),
                      .status = "struck"});
    return check_history(events);
  };
  EXPECT_TRUE(with_fault(fault_kind::freeze).holds());
  EXPECT_TRUE(with_fault(fault_kind::endpoint_stall).holds());
  EXPECT_TRUE(with_fault(fault_kind::endpoint_drip).holds());
  EXPECT_FALSE(with_fault("kill").holds());
  EXPECT_FALSE(with_fault("PostgreSQL restart").holds());
}

TEST(HistoryStory, tells_a_violation_on_one_page) {
  Events events = good_history();
  delivered(events, 9, "a", kStart + 5 * kSecond);
  events.push_back(
      {.kind = Kind::fault, .at = kStart - 3 * kSecond, .name = "kill", .status = "killed worker1"});
  events.push_back({.kind = Kind::fault, .at = kStart - 60 * kSecond, .status = "long over"});
  const HistoryVerdict verdict = check_history(events);
  const std::string page = tell_violations(events, verdict);
  for (const char* said :
       {"VIOLATED: a delivery that is in no attempt on record", "FAULT, ", "killed worker1", "-3.000 s",
        "a client hands in name-a", "delivery 9 of a begins as wire-a", "delivery 9 is answered 200",
        "in the end a is sent", "an attempt of a"})
    EXPECT_NE(page.find(said), std::string::npos) << said << "\n" << page;
  for (const char* unsaid : {"name-b", "long over"})
    EXPECT_EQ(page.find(unsaid), std::string::npos) << unsaid << "\n" << page;
}

TEST(HistoryChecker, takes_a_dead_job_with_a_reason_for_an_end) {
  Events events = good_history();
  HistoryEvent& row = find(events, Kind::stored, "a");
  row.status = "failed";
  row.dead_reason = "MaxAttemptsExceeded";
  const HistoryVerdict verdict = check_history(events);
  EXPECT_TRUE(verdict.holds()) << verdict.page();
  EXPECT_EQ(verdict.dead, 1);
}

TEST(History, is_read_as_it_was_written) {
  const HistoryEvent event{.kind = Kind::stored,
                           .at = kStart,
                           .until = kStart + 1,
                           .name = "n \"quoted\"",
                           .id = "0J",
                           .wire_id = "<a@b>",
                           .delivery = -4,
                           .answer = 503,
                           .group = "g",
                           .place = 7,
                           .status = "failed",
                           .dead_reason = "Expired",
                           .attempts = 2,
                           .budget = 8,
                           .finished_at = kStart + 2,
                           .by = "worker1",
                           .mode = "hold",
                           .pool = "p",
                           .rate = 60,
                           .burst = 5,
                           .concurrency = 4};
  const auto read = parse_history_line(history_line(event));
  ASSERT_TRUE(read);
  EXPECT_EQ(history_line(*read), history_line(event));
  EXPECT_EQ(read->finished_at, event.finished_at);
  EXPECT_FALSE(parse_history_line("{}"));
  EXPECT_FALSE(parse_history_line(R"({"event":"rumour"})"));
  EXPECT_FALSE(parse_history_line("not JSON"));
}

}  // namespace
}  // namespace eilbote::test::history_checker_test
