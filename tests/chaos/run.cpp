#include "chaos/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "chaos/faults.h"
#include "chaos/load.h"
#include "chaos/pulse.h"
#include "chaos/report.h"
#include "chaos/storm.h"
#include "support/eventually.h"
#include "support/history_story.h"
#include "support/mail_api.h"
#include "support/test_seed.h"

namespace eilbote::chaos {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kUpPatience = 180s;
constexpr auto kFinishPatience = 180s;
// As long as something gets done, it is slow and not stuck.
constexpr auto kStandstill = 120s;
constexpr int kDrainRounds = 40;

// A commit may wait for a database that is away for as long as the longest fault, and for a slow machine.
constexpr test::HistoryRules kRules{.commit_window = 6'000'000};

int waiting(World& world) {
  const auto sql = world.database().open();
  return std::stoi(
      sql->rows("SELECT count(*) FROM outbox WHERE status NOT IN ('sent', 'failed', 'cancelled')")
          .at(0)
          .at(0));
}

// A dead job that blocks its group waits for a person, who is here.
void free_groups(World& world) {
  for (const std::string& front : world.fronts()) {
    const auto reply = test::http_request("GET", front + "/message-groups", "", {}, 5000);
    if (reply.status != 200) continue;
    const auto groups = test::json::parse(reply.body);
    for (const auto& group : groups.at("data").as_array())
      test::http_request(
          "POST", front + "/message-groups/skip",
          fmt::format(R"({{"group":"{}","clientId":"local"}})", test::text_at(group, "/group")), {}, 5000);
    return;
  }
}

// Until nothing waits any more; false: it stood still.
bool drain(World& world) {
  int least = INT_MAX, now = INT_MAX;
  const auto gets_less = [&] {
    try {
      now = waiting(world);
    } catch (const std::exception&) {
      return false;
    }
    return now == 0 || now < least;
  };
  for (int round = 0; round < kDrainRounds * 1000; ++round) {
    if (!test::eventually(gets_less, kStandstill, 250ms)) return false;
    if (now == 0) return true;
    least = now;
    free_groups(world);
  }
  return false;
}

void make_pool(World& world) {
  const auto reply =
      test::http_request("POST", world.fronts().at(0) + "/dispatch-pools", narrow_pool_json(), {}, 10000);
  if (reply.status != 201) throw std::runtime_error(fmt::format("no pool: {} {}", reply.status, reply.body));
  world.history().add({.kind = test::HistoryKind::limits,
                       .pool = kNarrowPool,
                       .rate = kNarrowRate,
                       .burst = kNarrowBurst,
                       .concurrency = kNarrowConcurrency});
}

std::string folder_to_keep(const ChaosOptions& options) {
  std::string folder = options.keep;
  if (folder.empty())
    folder = (fs::temp_directory_path() / fmt::format("eilbote-chaos-{}", ::getpid())).string();
  fs::create_directories(folder);
  return folder;
}

void keep_logs(World& world, const std::string& folder) {
  for (const auto& instance : world.instances()) {
    std::error_code ignored;
    fs::copy_file(instance->data_folder() + ".log", folder + "/" + instance->name() + ".log",
                  fs::copy_options::overwrite_existing, ignored);
  }
}

void say(const ChaosReport& report, const std::vector<test::HistoryEvent>& events,
         const ChaosOptions& options) {
  std::printf("%s%s", test::tell_violations(events, report.verdict).c_str(), report_page(report).c_str());
  if (!options.json.empty()) std::ofstream(options.json) << report_json(report);
}

void rage(World& world, ChaosReport& report) {
  const auto plan = plan_faults({.seed = report.seed,
                                 .time = std::chrono::seconds{report.seconds},
                                 .lease = world.lease(),
                                 .kinds = world.kinds()});
  Pulse pulse(world.history());
  Load load(
      {.seed = report.seed, .rate = report.rate, .fronts = world.fronts(), .hook_url = world.hook_url()},
      world.history());
  Storm storm(world, plan);
  storm.wait_until_over();
  const auto over = std::chrono::steady_clock::now();
  for (const auto& instance : world.instances())
    if (!instance->waits_until_up(kUpPatience))
      report.troubles.push_back(instance->name() + " does not come back");
  if (!load.finish(kFinishPatience)) report.troubles.emplace_back("not everything could be handed in");
  if (!drain(world)) report.troubles.emplace_back("jobs wait, and nothing gets done");
  report.drained_after = std::chrono::duration<double>(std::chrono::steady_clock::now() - over).count();
  for (const auto& [kind, times] : storm.struck())
    report.faults[std::string(kFaultKindNames.text(kind))] = times;
  report.hitches = storm.troubles();
  report.handed_in = load.handed_in();
  report.repeated = load.repeated();
  report.cancels = load.cancelled();
  if (!world.stop()) report.troubles.emplace_back("an instance did not stop well");
  test::add_stored(*world.database().open(), world.history(), world.database().dialect());
}

}  // namespace

int run_chaos(const ChaosOptions& options) {
  ChaosReport report;
  report.seed = options.seed.value_or(test::test_seed());
  report.seconds = options.seconds;
  report.rate = options.rate;
  report.store = options.on_postgres ? "PostgreSQL" : "SQLite";
  report.transport = options.with_broker ? "RabbitMQ" : "database";
  std::printf("EILBOTE_TEST_SEED=%llu\n", static_cast<unsigned long long>(report.seed));
  std::fflush(stdout);
  const bool own_mounts = ::geteuid() == 0 && enter_own_mounts();
  test::History history;
  {
    World world(options, own_mounts, history);
    report.lacks = world.lacks();
    make_pool(world);
    rage(world, report);
    for (const auto& instance : world.instances())
      report.own_ends += instance->own_ends();
    if (!options.keep.empty()) keep_logs(world, folder_to_keep(options));
  }
  // What the servers' logs say that they must not is a failure of GoogleTest, which printed it.
  if (testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed())
    report.troubles.emplace_back("the log of an instance says what it must not; see above");
  auto events = history.events();
  set_right(events);
  report.verdict = test::check_history(events, kRules);
  report.recovery = recovery_of(events);
  say(report, events, options);
  const bool well = report.verdict.holds() && report.troubles.empty();
  if (well && options.keep.empty()) return 0;
  const std::string file = folder_to_keep(options) + "/history.jsonl";
  history.save(file);
  std::printf("the whole history: %s\n", file.c_str());
  return well ? 0 : 1;
}

int judge_again(const ChaosOptions& options) {
  test::History history;
  const int foreign = history.load(options.judge);
  auto events = history.events();
  set_right(events);
  if (events.empty()) {
    std::fprintf(stderr, "chaos: no history in %s\n", options.judge.c_str());
    return 2;
  }
  if (foreign > 0) std::fprintf(stderr, "chaos: %d lines of it are no events\n", foreign);
  ChaosReport report;
  report.store = report.transport = "a kept history";
  for (const auto& event : events)
    if (event.kind == test::HistoryKind::fault) ++report.faults[event.name];
  report.verdict = test::check_history(events, kRules);
  report.recovery = recovery_of(events);
  say(report, events, options);
  return report.verdict.holds() ? 0 : 1;
}

}  // namespace eilbote::chaos
