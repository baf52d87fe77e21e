// SIGTERM while mails go through: the server stops accepting, finishes or hands back what it holds, exits with 0
// within its grace, and nothing is lost, doubled or counted as an attempt.
#include <gtest/gtest.h>
#include <signal.h>

#include "support/eventually.h"
#include "support/mail_load.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::a_stop_loses_nothing_and_burns_no_attempt {
namespace {

SCENARIO_ON_EACH_STORE(AStop);

TEST_P(AStop, under_load_loses_and_doubles_nothing) {
  const int mails = scaled(4'000, 400), stops = 5;
  const auto server = start_server();
  MailHistory history;
  MailLoad load({.mails = mails}, history);
  load.serve_at({server->url()});
  for (int stop = 1; stop <= stops; ++stop) {
    ASSERT_TRUE(load.dealt_with(mails / (stops + 1) * stop));
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(server->stop(), 0);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{20});
    load.serve_at({});
    server->start();
    load.serve_at({server->url()});
  }
  load.finish();
  // A clean stop settles everything it delivered: not even a duplicate is allowed.
  const Judgement judgement =
      judge_when_done(history, *server, {.duplicates_allowed = false}, {server->capture_folder()});
  EXPECT_TRUE(judgement.holds) << judgement.page;
  const MailApi api(*server);
  for (const StoredMail& mail : stored_mails(api)) {
    const json::value message = api.message(mail.id);
    if (number_at(message, "/details/retryCount") != 0) ADD_FAILURE() << json::serialize(message);
  }
}

TEST_P(AStop, hands_back_what_does_not_come_to_an_end) {
  const auto server =
      start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}, {"EILBOTE_SHUTDOWN_GRACE", "10s"}});
  const MailApi api(*server);
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i)
    ids.push_back(api.accept(mail_json("a" + std::to_string(i) + "+stall@example.org")));
  ASSERT_TRUE(eventually([&] { return has(api.message(ids.back()), "/details/lastAttemptAt"); }));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(server->stop(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{10});
  EXPECT_EQ(captured_count(server->capture_folder()), 0U);

  // The next life does not know the faults and delivers them; nothing was burnt.
  const auto next = start_server();
  const MailApi again(*next);
  for (const std::string& id : ids) {
    ASSERT_TRUE(again.reaches(id, "SENT"));
    EXPECT_EQ(number_at(again.message(id), "/details/retryCount"), 0);
    EXPECT_EQ(again.attempts(id).size(), 1U);
  }
  EXPECT_EQ(again.metric("eilbote_lease_losses_total"), 0) << "handed back, not rescued";
  EXPECT_EQ(captured_count(next->capture_folder()), ids.size());
}

TEST_P(AStop, answers_the_requests_that_are_under_way) {
  const auto server = start_server();
  MailHistory history;
  MailLoad load({.mails = 2000, .clients = 8, .half_with_keys = false}, history);
  load.serve_at({server->url()});
  ASSERT_TRUE(load.dealt_with(200));
  EXPECT_EQ(server->stop(), 0);
  load.finish();
  server->start();
  const Judgement judgement =
      judge_when_done(history, *server, {.duplicates_allowed = false}, {server->capture_folder()});
  EXPECT_TRUE(judgement.holds) << judgement.page;
  EXPECT_GE(history.acknowledged_count(), 200U);
  EXPECT_LE(history.acknowledged_count(), 2000U);
}

}  // namespace
}  // namespace eilbote::test::a_stop_loses_nothing_and_burns_no_attempt
