// The server is killed with SIGKILL again and again while mails go through it: every acknowledged mail is captured,
// one that was cut off exists at most once, a duplicate carries the same Message-ID, and nothing is stuck at the end.
#include <gtest/gtest.h>

#include "support/mail_load.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::every_acknowledged_mail_survives_kill_9 {
namespace {

SCENARIO_ON_EACH_STORE(EveryAcknowledgedMail);

TEST_P(EveryAcknowledgedMail, survives_kill_9) {
  const int mails = scaled(20'000, 500), kills = scaled(20, 4);
  const auto server = start_server();
  MailHistory history;
  MailLoad load({.mails = mails}, history);
  load.serve_at({server->url()});
  for (int kill = 1; kill <= kills; ++kill) {
    ASSERT_TRUE(load.dealt_with(mails / (kills + 1) * kill)) << "the load stands still before kill " << kill;
    server->kill_hard();
    load.serve_at({});
    server->start();
    load.serve_at({server->url()});
  }
  load.finish();

  const Judgement judgement = judge_when_done(history, *server, {}, {server->capture_folder()});
  EXPECT_TRUE(judgement.holds) << judgement.page;
  EXPECT_GE(static_cast<int>(history.acknowledged_count()), mails / 2);
  RecordProperty("duplicates", judgement.duplicates);
  std::printf("%s", judgement.page.c_str());
  EXPECT_EQ(server->stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::every_acknowledged_mail_survives_kill_9
