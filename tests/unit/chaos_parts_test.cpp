// What is pure of the chaos run (tests/chaos): its options, its plan of faults, its orders, its figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "chaos/fault_plan.h"
#include "chaos/options.h"
#include "chaos/orders.h"
#include "chaos/recovery.h"
#include "chaos/report.h"

namespace eilbote::chaos::chaos_parts_test {
namespace {

using namespace std::chrono_literals;
using test::HistoryEvent;
using test::HistoryKind;

TEST(ChaosOptions, are_read_or_refused_with_a_reason) {
  struct Case {
    const char* name;
    std::vector<std::string> words;
    const char* trouble;  // a part of it; nullptr: none
  };
  const Case cases[] = {
      {"none", {}, nullptr},
      {"all",
       {"--minutes", "3", "--seed", "7", "--store", "postgres", "--transport", "rabbitmq", "--rate", "9",
        "--keep", "a", "--json", "b"},
       nullptr},
      {"a history to judge", {"--judge", "history.jsonl"}, nullptr},
      {"help", {"--help"}, nullptr},
      {"an unknown word", {"--hours", "3"}, "--hours"},
      {"a number that is none", {"--minutes", "3x"}, "--minutes wants"},
      {"too short", {"--seconds", "2"}, "10 at least"},
      {"no value", {"--store"}, "sqlite or postgres"},
      {"a store that is none", {"--store", "mysql"}, "sqlite or postgres"},
  };
  for (const Case& one : cases) {
    const OptionsRead read = read_options(one.words);
    EXPECT_EQ(read.trouble.empty(), one.trouble == nullptr) << one.name << ": " << read.trouble;
    EXPECT_NE(read.trouble.find(one.trouble == nullptr ? "" : one.trouble), std::string::npos) << one.name;
  }
  const ChaosOptions all = read_options(cases[1].words).options;
  EXPECT_EQ(all.seconds, 180);
  EXPECT_EQ(all.seed, 7U);
  EXPECT_TRUE(all.on_postgres && all.with_broker);
  EXPECT_EQ(all.rate, 9);
}

std::vector<FaultKind> all_kinds() {
  std::vector<FaultKind> kinds;
  for (int i = 0; i <= static_cast<int>(FaultKind::clock_jump); ++i)
    kinds.push_back(static_cast<FaultKind>(i));
  return kinds;
}

TEST(FaultPlan, is_the_same_for_the_same_seed_and_another_for_another) {
  const auto plan = [](std::uint64_t seed) {
    std::vector<std::pair<FaultKind, std::int64_t>> told;
    for (const PlannedFault& fault : plan_faults({seed, 300s, 15s, all_kinds()}))
      told.emplace_back(fault.kind, fault.at.count());
    return told;
  };
  EXPECT_EQ(plan(1), plan(1));
  EXPECT_NE(plan(1), plan(2));
}

TEST(FaultPlan, has_every_kind_and_leaves_time_to_come_back) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::map<FaultKind, int> times;
    std::map<WorldPart, std::chrono::milliseconds> over;
    for (const PlannedFault& fault : plan_faults({seed, 600s, 15s, all_kinds()})) {
      ++times[fault.kind];
      EXPECT_LE(fault.at, 540s);
      EXPECT_LE(fault.at % 40s, 28s) << "a calm after each storm";
      EXPECT_TRUE(fault.kind != FaultKind::freeze || fault.lasts > 15s) << "longer than the lease";
      if (fault.kind == FaultKind::kill) continue;
      EXPECT_GE(fault.at, over[part_of(fault.kind)]) << "one after the other";
      over[part_of(fault.kind)] = fault.at + fault.lasts;
    }
    for (const FaultKind kind : all_kinds())
      EXPECT_GE(times[kind], 1) << kFaultKindNames.text(kind);
    EXPECT_GE(times[FaultKind::kill], 60);
  }
}

// The checker knows kinds by their words.
TEST(FaultPlan, has_the_words_that_rules_ask_for) {
  for (const FaultKind kind : {FaultKind::freeze, FaultKind::endpoint_stall, FaultKind::endpoint_drip})
    EXPECT_TRUE(test::delays_bytes(kFaultKindNames.text(kind)));
  EXPECT_FALSE(test::delays_bytes(kFaultKindNames.text(FaultKind::database_stall)));
  EXPECT_EQ(kFaultKindNames.text(FaultKind::names_fail), test::fault_kind::names_fail);
  EXPECT_EQ(kFaultKindNames.text(FaultKind::clock_jump), test::fault_kind::clock_jump);
}

TEST(FaultPlan, has_nothing_that_cannot_be_had) {
  for (const PlannedFault& fault : plan_faults({3, 200s, 8s, {FaultKind::kill, FaultKind::freeze}}))
    EXPECT_TRUE(fault.kind == FaultKind::kill || fault.kind == FaultKind::freeze);
}

TEST(ChaosOrders, are_valid_json_with_names_of_their_own_and_groups_in_order) {
  Orders orders(5, 3, "http://127.0.0.1:9/hook");
  std::set<std::string> names;
  std::map<std::string, std::int64_t> places;
  for (int n = 0; n < 2000; ++n) {
    const Order order = orders.next(1'800'000'000'000);
    EXPECT_TRUE(names.insert(order.name).second) << order.name;
    const auto body = boost::json::parse(order.body).as_object();
    if (!body.contains("messageGroup") || !body.contains("sequence")) continue;
    const std::string group(body.at("messageGroup").as_string());
    EXPECT_EQ(body.at("sequence").as_int64(), ++places[group]) << group;
  }
  EXPECT_EQ(places.size(), 2U);
}

TEST(ChaosRecovery, measures_from_the_kill_to_the_next_start_and_keeps_uncertain_mails_apart) {
  constexpr std::int64_t kSecond = 1'000'000, kKill = 100 * kSecond;
  std::vector<HistoryEvent> events;
  const auto leased = [&](const char* id, const char* channel) {
    events.push_back(
        {.kind = HistoryKind::leased, .at = kKill, .name = "worker1", .id = id, .mode = channel});
  };
  const auto began = [&](const char* id, std::int64_t at, const char* verdict) {
    events.push_back(
        {.kind = HistoryKind::attempt, .at = at, .until = at + kSecond, .id = id, .status = verdict});
  };
  leased("a", "webhook");
  began("a", kKill - 10 * kSecond, "transient");
  began("a", kKill + 4 * kSecond, "delivered");
  leased("b", "mail");
  began("b", kKill + 16 * kSecond, "delivered");
  leased("c", "mail");
  began("c", kKill - kSecond, "uncertain");
  began("c", kKill + 60 * kSecond, "delivered");
  leased("d", "webhook");
  const Recovery recovery = recovery_of(events);
  EXPECT_EQ(recovery.jobs.jobs, 2);
  EXPECT_DOUBLE_EQ(recovery.jobs.most, 16);
  EXPECT_EQ(recovery.first.jobs, 1);
  EXPECT_DOUBLE_EQ(recovery.first.most, 4);
  EXPECT_EQ(recovery.uncertain.jobs, 1);
  EXPECT_DOUBLE_EQ(recovery.uncertain.most, 60);
  EXPECT_EQ(recovery.not_again, 1);
}

TEST(ChaosReport, says_the_same_to_people_and_to_programs) {
  ChaosReport report;
  report.seed = 42;
  report.store = "SQLite";
  report.faults = {{"kill -9", 3}};
  report.lacks = {"failover: a short run has no time for it"};
  report.verdict.acknowledged = 7;
  report.verdict.violations[test::history_rule::seen].push_back({"a", {"a"}});
  const std::string page = report_page(report);
  for (const char* said :
       {"seed 42", "7 acknowledged", "kill -9 3", "NOT DONE HERE", "failover", "1 times: "})
    EXPECT_NE(page.find(said), std::string::npos) << said << "\n" << page;
  const auto json = boost::json::parse(report_json(report));
  EXPECT_EQ(json.at_pointer("/jobs/acknowledged"), 7);
  EXPECT_EQ(json.at_pointer("/faults/kill -9"), 3);
  EXPECT_EQ(json.at("violations").as_object().size(), 1U);
}

}  // namespace
}  // namespace eilbote::chaos::chaos_parts_test
