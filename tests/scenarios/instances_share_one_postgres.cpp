// Several instances on one PostgreSQL share the work. When one dies its jobs are rescued within its lease, at once when
// it comes back; one that was frozen past its lease changes nothing any more, and that is counted.
#include <gtest/gtest.h>
#include <signal.h>

#include "support/eventually.h"
#include "support/mail_load.h"
#include "support/raw_sql.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::instances_share_one_postgres {
namespace {

SCENARIO_ON_POSTGRES(Instances);
SCENARIO_ON_EACH_STORE(AnInstanceThatDied);

constexpr int kStalled = 20;

Settings faults_and_lease(const std::string& seconds) {
  return {{"EILBOTE_CAPTURE_FAULTS", "by-address"}, {"EILBOTE_LEASE_SECONDS", seconds}};
}

// Mails that the server holds in flight when this returns.
std::vector<std::string> stall_some(const EilboteProcess& server) {
  const MailApi api(server);
  std::vector<std::string> ids;
  for (int i = 0; i < kStalled; ++i)
    ids.push_back(api.accept(mail_json("mail" + std::to_string(i) + "+stall@example.org")));
  EXPECT_TRUE(eventually([&] {
    for (const std::string& id : ids)
      if (!has(api.message(id), "/details/lastAttemptAt")) return false;
    return true;
  }));
  return ids;
}

void expect_sent_once(const EilboteProcess& server, const std::vector<std::string>& ids) {
  const MailApi api(server);
  for (const std::string& id : ids) {
    ASSERT_TRUE(api.reaches(id, "SENT")) << json::serialize(api.message(id));
    EXPECT_EQ(number_at(api.message(id), "/details/retryCount"), 0) << "a lost lease burns no attempt";
    EXPECT_EQ(api.attempts(id).size(), 1U);
  }
}

TEST_P(Instances, share_the_work_and_double_nothing) {
  const auto a = start_server({}, "a"), b = start_server({}, "b");
  MailHistory history;
  MailLoad load({.mails = scaled(4'000, 400)}, history);
  load.serve_at({a->url(), b->url()});
  load.finish();
  const Judgement judgement =
      judge_when_done(history, *a, {.duplicates_allowed = false, .all_acknowledged = true},
                      {a->capture_folder(), b->capture_folder()});
  EXPECT_TRUE(judgement.holds) << judgement.page;
  EXPECT_GT(captured_count(a->capture_folder()), 0U);
  EXPECT_GT(captured_count(b->capture_folder()), 0U);
  for (const auto* server : {a.get(), b.get()}) {
    EXPECT_EQ(MailApi(*server).metric("eilbote_settle_stale_total"), 0);
    EXPECT_EQ(MailApi(*server).metric("eilbote_lease_losses_total"), 0);
  }
}

TEST_P(Instances, rescue_the_jobs_of_one_that_died_within_its_lease) {
  const auto a = start_server(faults_and_lease("2"), "a");
  const auto ids = stall_some(*a);
  const auto b = start_server({{"EILBOTE_LEASE_SECONDS", "2"}}, "b");
  a->kill_hard();
  const auto died = std::chrono::steady_clock::now();
  expect_sent_once(*b, ids);
  EXPECT_LT(std::chrono::steady_clock::now() - died, std::chrono::seconds{15});
  EXPECT_EQ(captured_count(b->capture_folder()), ids.size());
  EXPECT_EQ(MailApi(*b).counted(kStalled, "eilbote_lease_losses_total"), kStalled);
  EXPECT_EQ(MailApi(*b).counted(kStalled, "eilbote_requeued_total", R"(cause="rescue")"), kStalled);
}

TEST_P(AnInstanceThatDied, has_its_jobs_back_at_once_when_it_restarts) {
  const auto first = start_server(faults_and_lease("3600"));
  const auto ids = stall_some(*first);
  first->kill_hard();
  // The same data folder is the same instance; without the faults this time. The lease would last an hour.
  const auto second = start_server({{"EILBOTE_LEASE_SECONDS", "3600"}});
  expect_sent_once(*second, ids);
  EXPECT_EQ(captured_count(second->capture_folder()), ids.size());
  EXPECT_EQ(MailApi(*second).counted(kStalled, "eilbote_lease_losses_total"), kStalled);
}

// A job that kills its worker again and again must not do so for ever.
TEST_P(AnInstanceThatDied, ten_times_with_the_same_job_gives_it_up) {
  const auto server = make_server(faults_and_lease("3600"));
  server->start();
  const auto ids = stall_some(*server);
  const MailApi api(*server);
  for (int life = 1; life <= 10; ++life) {
    EXPECT_EQ(api.status(ids[0]), "QUEUED") << "life " << life;
    server->kill_hard();
    server->start();
    if (life < 10) {
      ASSERT_TRUE(eventually([&] { return api.metric("eilbote_in_flight") == kStalled; })) << "life " << life;
    }
  }
  for (const std::string& id : ids) {
    ASSERT_TRUE(api.reaches(id, "FAILED")) << json::serialize(api.message(id));
    EXPECT_EQ(text_at(api.message(id), "/details/deadReason"), "Abandoned");
    EXPECT_EQ(number_at(api.message(id), "/details/retryCount"), 0);
  }
}

TEST_P(Instances, that_were_frozen_past_their_lease_settle_nothing) {
  const auto zombie = start_server(faults_and_lease("2"), "zombie");
  const auto ids = stall_some(*zombie);
  zombie->process().signal(SIGSTOP);
  {
    const auto heir = start_server({{"EILBOTE_LEASE_SECONDS", "2"}}, "heir");
    expect_sent_once(*heir, ids);
    EXPECT_EQ(heir->stop(), 0);
  }
  zombie->process().signal(SIGCONT);
  const MailApi api(*zombie);
  // A fault of the route makes it hand back what it still holds: with tokens that are not the rows' any more.
  ASSERT_TRUE(eventually([&] { return zombie->get("/health/ready").status == 200; }));
  api.accept(mail_json("x+route@example.org"));
  EXPECT_TRUE(eventually([&] { return api.metric("eilbote_settle_stale_total") == kStalled; }))
      << api.metric("eilbote_settle_stale_total");
  for (const std::string& id : ids) {
    EXPECT_EQ(api.status(id), "SENT");
    EXPECT_EQ(api.attempts(id).size(), 1U);
  }
  EXPECT_EQ(captured_count(zombie->capture_folder()), 0U) << "nothing doubled";
  EXPECT_EQ(zombie->stop(), 0);
}

// The same, alone: it must take its own jobs back under its new epoch and hold them twice in memory, not in the store.
TEST_P(AnInstanceThatDied, but_was_only_frozen_takes_its_jobs_back) {
  const auto zombie = start_server(faults_and_lease("1"));
  auto ids = stall_some(*zombie);
  const MailApi api(*zombie);
  zombie->process().signal(SIGSTOP);
  const auto frozen = std::chrono::steady_clock::now();
  eventually([&] { return std::chrono::steady_clock::now() - frozen > std::chrono::seconds{3}; });
  zombie->process().signal(SIGCONT);
  ASSERT_TRUE(eventually([&] { return api.metric("eilbote_lease_losses_total") >= kStalled; }));
  ids.push_back(api.accept(mail_json("fine@example.org")));
  ids.push_back(api.accept(mail_json("x+route1@example.org", "x", R"("retry":{"strategy":"immediate"})")));
  EXPECT_TRUE(eventually([&] { return api.metric("eilbote_settle_stale_total") >= kStalled; }))
      << zombie->get("/metrics").body << read_text_file(zombie->log_file());
  EXPECT_EQ(zombie->get("/health/live").status, 200);
  EXPECT_EQ(zombie->stop(), 0);
  const auto next = start_server();
  const MailApi again(*next);
  for (const std::string& id : ids)
    EXPECT_TRUE(again.reaches(id, "SENT"));
  EXPECT_EQ(captured_count(next->capture_folder()), ids.size());
}

TEST_P(Instances, frozen_and_resumed_under_load_lose_nothing) {
  const Settings lease{{"EILBOTE_LEASE_SECONDS", "1"}};
  const auto a = start_server(lease, "a"), b = start_server(lease, "b");
  const auto sql = open_raw_postgres(database_url());
  MailHistory history;
  const int mails = scaled(4'000, 400), freezes = 4;
  MailLoad load({.mails = mails}, history);
  load.serve_at({b->url()});
  for (int freeze = 1; freeze <= freezes; ++freeze) {
    ASSERT_TRUE(load.dealt_with(mails / (freezes + 1) * freeze));
    a->process().signal(SIGSTOP);
    // The other one takes over what the frozen one held, and forgets it.
    EXPECT_TRUE(eventually([&] { return sql->rows("SELECT 1 FROM instances").size() == 1; }));
    a->process().signal(SIGCONT);
    EXPECT_TRUE(eventually([&] { return sql->rows("SELECT 1 FROM instances").size() == 2; }));
  }
  load.finish();
  const Judgement judgement = judge_when_done(history, *b, {}, {a->capture_folder(), b->capture_folder()});
  EXPECT_TRUE(judgement.holds) << judgement.page;
  EXPECT_GT(captured_count(a->capture_folder()), 0U);
}

}  // namespace
}  // namespace eilbote::test::instances_share_one_postgres
