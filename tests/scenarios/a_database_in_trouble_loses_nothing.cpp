// PostgreSQL is restarted hard, its backends are shot one by one, and it is away for a while: what was acknowledged is
// captured, what was cut off exists at most once, callers get a clear answer in time, and nobody restarts Eilbote.
#include <gtest/gtest.h>

#include <chrono>

#include "support/eventually.h"
#include "support/mail_load.h"
#include "support/raw_sql.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::a_database_in_trouble_loses_nothing {
namespace {

SCENARIO_ON_POSTGRES(ADatabaseInTrouble);

TEST_P(ADatabaseInTrouble, restarted_five_times_under_load_loses_nothing) {
  const int mails = scaled(8'000, 800), restarts = 5;
  const auto server = start_server({{"EILBOTE_LEASE_SECONDS", "3"}});
  MailHistory history;
  MailLoad load({.mails = mails}, history);
  load.serve_at({server->url()});
  for (int restart = 1; restart <= restarts; ++restart) {
    ASSERT_TRUE(load.dealt_with(mails / (restarts + 1) * restart)) << "before restart " << restart;
    postgres().restart();
  }
  load.finish();
  const Judgement judgement = judge_when_done(history, *server, {}, {server->capture_folder()});
  EXPECT_TRUE(judgement.holds) << judgement.page;
  std::printf("%s", judgement.page.c_str());
  EXPECT_EQ(server->stop(), 0);
}

TEST_P(ADatabaseInTrouble, backends_shot_at_random_lose_nothing) {
  const int mails = scaled(8'000, 800), shots = 60;
  const auto server = start_server({{"EILBOTE_LEASE_SECONDS", "3"}});
  const auto sql = open_raw_postgres(database_url());
  MailHistory history;
  MailLoad load({.mails = mails}, history);
  load.serve_at({server->url()});
  int hit = 0;
  for (int shot = 1; shot <= shots; ++shot) {
    ASSERT_TRUE(load.dealt_with(mails / (shots + 1) * shot)) << "before shot " << shot;
    hit += static_cast<int>(
        sql->rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                  "AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1")
            .size());
  }
  load.finish();
  EXPECT_GT(hit, shots / 2);
  const Judgement judgement = judge_when_done(history, *server, {}, {server->capture_folder()});
  EXPECT_TRUE(judgement.holds) << judgement.page;
  std::printf("%s", judgement.page.c_str());
  EXPECT_EQ(server->stop(), 0);
}

TEST_P(ADatabaseInTrouble, that_is_away_is_told_to_callers_in_time_and_comes_back_by_itself) {
  const auto server = start_server();
  const MailApi api(*server);
  const std::string before = api.accept(mail_json("before@example.org"));
  ASSERT_TRUE(api.reaches(before, "SENT"));
  EXPECT_EQ(server->get("/health/ready").status, 200);

  postgres().stop();
  const auto began = std::chrono::steady_clock::now();
  const HttpHeaders key{{"Idempotency-Key", "sent-while-away"}};
  const HttpReply refused = server->post("/messages", mail_json("away@example.org"), key);
  EXPECT_TRUE(refused.status == 503 || refused.status == 429) << refused.status << refused.body;
  EXPECT_EQ(refused.headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(refused.headers.count("retry-after"), 1U);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{20});
  EXPECT_EQ(server->get("/messages/" + before).status, 503);
  EXPECT_EQ(server->get("/messages").status, 503);
  EXPECT_EQ(server->get("/health/ready").status, 503);
  EXPECT_EQ(server->get("/health/live").status, 200);
  EXPECT_EQ(server->get("/metrics").status, 200);
  EXPECT_GE(api.counted(1, "eilbote_store_errors_total"), 1);

  postgres().start();
  ASSERT_TRUE(eventually([&] { return server->get("/health/ready").status == 200; }));
  // The refused one may be sent again under its key.
  const std::string away = api.accept(mail_json("away@example.org"), key);
  EXPECT_TRUE(api.reaches(away, "SENT"));
  EXPECT_EQ(api.status(before), "SENT");
  EXPECT_EQ(captured_count(server->capture_folder()), 2U);
  EXPECT_EQ(server->stop(), 0);
}

TEST_P(ADatabaseInTrouble, does_not_keep_the_server_from_stopping) {
  const auto server = start_server({{"EILBOTE_SHUTDOWN_GRACE", "2s"}});
  const MailApi api(*server);
  ASSERT_TRUE(api.reaches(api.accept(mail_json("a@example.org")), "SENT"));
  postgres().stop();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(server->stop(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{20});
  postgres().start();
}

}  // namespace
}  // namespace eilbote::test::a_database_in_trouble_loses_nothing
