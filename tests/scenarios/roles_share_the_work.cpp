// `--role api|worker|scheduler`: processes with different roles on one PostgreSQL do together what one does alone, with a broker
// and without; each answers only what its role can, and all can be restarted one after the other under load without loss.
#include <gtest/gtest.h>

#include <functional>

#include "support/broker_scenario.h"
#include "support/eventually.h"
#include "support/hook_receiver.h"
#include "support/job_load.h"
#include "support/program.h"
#include "support/test_scale.h"

namespace eilbote::test::roles_share_the_work {
namespace {

using namespace std::chrono_literals;

SCENARIO_ON_POSTGRES(RolesByTheDatabase);
SCENARIO_WITH_RABBITMQ(RolesByABroker);

using Start =
    std::function<std::unique_ptr<EilboteProcess>(const std::string& role, const std::string& name)>;

// Two that take work in, one that schedules, two that deliver; each restarted once while a load goes through.
void restart_all_under_load(const Start& start, RawSql& sql) {
  const int jobs = scaled(3'000, 300);
  std::vector<std::unique_ptr<EilboteProcess>> fronts, others;
  for (const char* name : {"front1", "front2"})
    fronts.push_back(start("api", name));
  others.push_back(start("scheduler", "scheduler"));
  for (const char* name : {"worker1", "worker2"})
    others.push_back(start("worker", name));
  History history;
  HookReceiver receiver(history, 1ms);
  JobLoad load({.jobs = jobs, .receiver_url = receiver.url()}, history);
  load.serve_at({fronts[0]->url(), fronts[1]->url()});
  ASSERT_TRUE(load.acknowledged(jobs / 10));
  for (auto& server : others) {
    EXPECT_EQ(server->stop(), 0);
    server->start();
  }
  for (std::size_t i = 0; i < fronts.size(); ++i) {
    load.serve_at({fronts[1 - i]->url()});
    EXPECT_EQ(fronts[i]->stop(), 0);
    fronts[i]->start();
    load.serve_at({fronts[0]->url(), fronts[1]->url()});
  }
  ASSERT_TRUE(load.acknowledged(jobs));
  load.finish();
  EXPECT_TRUE(eventually(
      [&] {
        return sql.rows("SELECT 1 FROM outbox WHERE status NOT IN ('sent', 'failed', 'cancelled') LIMIT 1")
            .empty();
      },
      120s, 200ms));
  add_stored(sql, history);
  std::vector<std::string> folders;
  for (const auto& server : others)
    folders.push_back(server->capture_folder());
  add_captured(folders, history);
  // A clean stop finishes or hands back what it holds: nothing is doubled, and no attempt is burnt.
  const HistoryVerdict verdict = expect_history_holds(history);
  EXPECT_EQ(verdict.dead, 0);
  EXPECT_EQ(verdict.duplicates, 0) << verdict.page();
  for (const auto& front : fronts)
    EXPECT_EQ(captured_count(front->capture_folder()), 0U) << "an instance of this role delivers nothing";
}

TEST_P(RolesByTheDatabase, restarted_one_by_one_under_load_lose_nothing) {
  const auto sql = open_raw_postgres(database_url());
  restart_all_under_load(
      [&](const std::string& role, const std::string& name) {
        return start_server({{"EILBOTE_ROLE", role}, {"EILBOTE_LEASE_SECONDS", "3"}}, name);
      },
      *sql);
}

TEST_P(RolesByABroker, restarted_one_by_one_under_load_lose_nothing) {
  const auto sql = open_sql();
  restart_all_under_load(
      [&](const std::string& role, const std::string& name) { return start_server(role, {}, name); }, *sql);
}

TEST_P(RolesByTheDatabase, answer_only_what_they_can) {
  const auto front = start_server({{"EILBOTE_ROLE", "api"}}, "front");
  const auto worker = start_server({{"EILBOTE_ROLE", "worker"}}, "worker");
  const auto scheduler = start_server({{"EILBOTE_ROLE", "scheduler"}}, "scheduler");
  for (const auto* server : {front.get(), worker.get(), scheduler.get()}) {
    EXPECT_EQ(server->get("/health/live").status, 200);
    EXPECT_EQ(server->get("/health/ready").status, 200);
    EXPECT_EQ(server->get("/metrics").status, 200);
  }
  for (const auto* server : {worker.get(), scheduler.get()}) {
    const HttpReply refused = server->post("/messages", mail_json("a@example.org"));
    EXPECT_EQ(refused.status, 404);
    EXPECT_NE(refused.body.find("role"), std::string::npos) << "it says whom to ask: " << refused.body;
  }
  EXPECT_EQ(front->post("/internal/dispatch/batch", "{}").status, 503) << "it delivers nothing";
  EXPECT_EQ(worker->get("/breakers").status, 200);
  EXPECT_EQ(scheduler->get("/breakers").status, 404);

  const MailApi api(*front);
  const std::string id = api.accept(mail_json("a@example.org"));
  EXPECT_TRUE(api.reaches(id, "SENT"));
  EXPECT_EQ(captured_count(worker->capture_folder()), 1U);
}

// Without a worker nothing leaves; without a scheduler what was not published at its acceptance waits for one.
TEST_P(RolesByABroker, wait_for_each_other) {
  const auto front = start_server("api", {}, "front");
  const MailApi api(*front);
  broker().stop();
  ASSERT_TRUE(gets_connected(*front, false));
  const std::string unpublished = api.accept(mail_json("a@example.org"));
  broker().start();
  ASSERT_TRUE(gets_connected(*front));
  const std::string published = api.accept(mail_json("b@example.org"));
  const auto sql = open_sql();
  ASSERT_TRUE(eventually([&] { return row_status(*sql, published) == "published"; }));
  const auto worker = start_server("worker", {}, "worker");
  ASSERT_TRUE(api.reaches(published, "SENT"));
  const auto scheduler = start_server("scheduler", {}, "scheduler");
  ASSERT_TRUE(api.reaches(unpublished, "SENT"));
  EXPECT_EQ(captured_count(worker->capture_folder()), 2U);
}

TEST_P(RolesByTheDatabase, that_do_not_exist_are_refused) {
  const CommandResult result = run_command({program_under_test(), "serve", "--role", "boss"},
                                           {{"EILBOTE_DATA_DIR", folder_ / "none"}});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("worker"), std::string::npos) << "it names the right ones: " << result.err;
}

}  // namespace
}  // namespace eilbote::test::roles_share_the_work
