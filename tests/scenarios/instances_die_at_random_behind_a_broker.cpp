// Two schedulers, three workers and two instances that take jobs in, on one PostgreSQL and one RabbitMQ. One of them is killed
// with kill -9 each second; PostgreSQL is restarted once, and so is RabbitMQ. The history of it all is judged: every acknowledged
// job is delivered, duplicates exist only beside a fault, budgets and groups are kept. Directly and through PgBouncer.
//
// Small by default; EILBOTE_TEST_CHAOS=full is the run of the proof: 20,000 jobs and a minute of killing.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "support/broker_scenario.h"
#include "support/eventually.h"
#include "support/hook_receiver.h"
#include "support/job_load.h"
#include "support/pgbouncer.h"
#include "support/server_packages.h"
#include "support/test_scale.h"
#include "support/test_seed.h"

namespace eilbote::test::instances_die_at_random_behind_a_broker {
namespace {

using namespace std::chrono_literals;

struct Size {
  int jobs = 0;
  std::chrono::seconds killing{};
};

Size size_of_run() {
  const char* chaos = std::getenv("EILBOTE_TEST_CHAOS");
  if (chaos != nullptr && std::strcmp(chaos, "full") == 0) return {20'000, 60s};
  return {scaled(2'000, 400), std::chrono::seconds{scaled(20, 8)}};
}

class InstancesDieAtRandom : public BrokerScenario {
 protected:
  void start_all(const Settings& settings) {
    for (const char* name : {"front1", "front2"})
      fronts_.push_back(start_server("api", settings, name));
    for (const char* name : {"scheduler1", "scheduler2"})
      others_.push_back(start_server("scheduler", settings, name));
    for (const char* name : {"worker1", "worker2", "worker3"})
      others_.push_back(start_server("worker", settings, name));
  }

  // Kills and restarts one of all; the fault lasts until it is back.
  void kill_one(std::mt19937_64& random, JobLoad& load) {
    const std::size_t which = random() % (fronts_.size() + others_.size());
    const bool is_front = which < fronts_.size();
    EilboteProcess& victim = is_front ? *fronts_[which] : *others_[which - fronts_.size()];
    const std::int64_t at = history_now();
    if (is_front) load.serve_at({fronts_[1 - which]->url()});
    victim.kill_hard();
    bring_back(victim);
    if (is_front) load.serve_at({fronts_[0]->url(), fronts_[1]->url()});
    note_fault(at, "killed " + victim.data_folder().substr(victim.data_folder().rfind('/') + 1));
  }

  // As whatever watches over processes does: one that cannot start, since PostgreSQL is just away, is started once more.
  static void bring_back(EilboteProcess& victim) {
    const auto starts = [&] {
      try {
        victim.start();
        return true;
      } catch (const std::runtime_error&) {
        return false;
      }
    };
    if (!eventually(starts, 60s, 200ms)) throw std::runtime_error("an instance does not come back");
  }

  void note_fault(std::int64_t at, const std::string& what) {
    history_.add({.kind = HistoryKind::fault, .at = at, .until = history_now(), .status = what});
  }

  void restart_postgres() {
    const std::int64_t at = history_now();
    postgres().restart();
    note_fault(at, "PostgreSQL restarted");
  }
  void restart_rabbit() {
    const std::int64_t at = history_now();
    broker().stop();
    broker().start();
    note_fault(at, "RabbitMQ restarted");
  }

  // One kill a second, or as fast as the machine starts processes.
  void rage(std::chrono::seconds time, JobLoad& load) {
    const std::uint64_t seed = test_seed();
    std::printf("EILBOTE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    const auto begin = std::chrono::steady_clock::now();
    bool postgres_done = false, rabbit_done = false;
    for (auto next = begin; next < begin + time; next += 1s) {
      eventually([&] { return std::chrono::steady_clock::now() >= next; }, 5s);
      kill_one(random, load);
      ++kills_;
      if (!postgres_done && next >= begin + time / 3) {
        postgres_done = true;
        restart_postgres();
      }
      if (!rabbit_done && next >= begin + time * 2 / 3) {
        rabbit_done = true;
        restart_rabbit();
      }
      next = std::max(next, std::chrono::steady_clock::now() - 1s);
    }
  }

  void expect_all_well(std::chrono::seconds patience) {
    const auto sql = open_sql();
    const std::string waiting =
        "SELECT status, count(*) FROM outbox WHERE status NOT IN ('sent', 'failed', 'cancelled') GROUP BY "
        "status";
    EXPECT_TRUE(eventually([&] { return sql->rows(waiting).empty(); }, patience, 500ms))
        << sql->rows(waiting).at(0).at(0) << " " << sql->rows(waiting).at(0).at(1);
    add_stored(*sql, history_);
    std::vector<std::string> folders;
    for (const auto& server : others_)
      folders.push_back(server->capture_folder());
    add_captured(folders, history_);
    const HistoryVerdict verdict = expect_history_holds(history_);
    EXPECT_EQ(verdict.dead, 0) << verdict.page();
    RecordProperty("duplicates", verdict.duplicates);
    std::printf("%d kills; %s", kills_, verdict.page().c_str());
    for (const auto* servers : {&fronts_, &others_})
      for (const auto& server : *servers)
        EXPECT_EQ(server->stop(), 0);
  }

  void run(const Settings& settings) {
    const Size size = size_of_run();
    start_all(settings);
    HookReceiver receiver(history_, 2ms);
    JobLoad load({.jobs = size.jobs, .clients = 16, .receiver_url = receiver.url()}, history_);
    load.serve_at({fronts_[0]->url(), fronts_[1]->url()});
    ASSERT_TRUE(load.acknowledged(size.jobs / 20));
    rage(size.killing, load);
    ASSERT_TRUE(load.acknowledged(size.jobs)) << "everything is taken in the end";
    load.finish();
    expect_all_well(240s);
  }

  History history_;
  std::vector<std::unique_ptr<EilboteProcess>> fronts_, others_;
  int kills_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Brokers, InstancesDieAtRandom,
                         testing::Values(BrokerCase{BrokerKind::rabbitmq, StoreKind::postgres}),
                         broker_case_name);

const Settings kShortTimes{{"EILBOTE_LEASE_SECONDS", "3"},
                           {"EILBOTE_STALE_PUBLISHED_SECONDS", "20"},
                           {"EILBOTE_UNCERTAIN_DELAY", "1s"}};

TEST_P(InstancesDieAtRandom, and_nothing_is_lost) {
  run(kShortTimes);
}

TEST_P(InstancesDieAtRandom, and_nothing_is_lost_through_pgbouncer) {
  SKIP_BECAUSE(PgBouncer::missing());
  const PgBouncer pooler(postgres().port());
  Settings settings = kShortTimes;
  settings["EILBOTE_STORE_URL"] = pooler.url_of(database_url());
  settings["EILBOTE_STORE_LISTEN_URL"] = database_url();
  run(settings);
}

}  // namespace
}  // namespace eilbote::test::instances_die_at_random_behind_a_broker
