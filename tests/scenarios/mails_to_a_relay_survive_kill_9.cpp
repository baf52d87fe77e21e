// The server is killed again and again while it hands mails to a relay. Every acknowledged mail arrives; one arrives twice
// only when its dot had left and nobody kept the answer, with the same Message-ID, and its record says so. Who asked to
// hold such mails gets none twice.
#include <gtest/gtest.h>

#include <set>

#include "channel/hand_over_slots.h"
#include "domain/tsid.h"
#include "support/eventually.h"
#include "support/mail_load.h"
#include "support/scripted_smtp.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::mails_to_a_relay_survive_kill_9 {
namespace {

class MailsToARelay : public StoreScenario {
 protected:
  std::unique_ptr<EilboteProcess> start_with_relay(Settings more = {}) {
    more["EILBOTE_MAIL_PROVIDER"] = "smtp";
    more["EILBOTE_SMTP_URL"] = "smtp://127.0.0.1:" + std::to_string(relay_.port()) + "?tls=off";
    more["EILBOTE_UNCERTAIN_DELAY"] = "1s";
    more["DISPATCH_BACKOFF_BASE_SECONDS"] = "0";
    return start_server(more);
  }

  // Kills the server while the load runs through it.
  void kill_under_load(EilboteProcess& server, MailHistory& history, const std::string& extra) {
    const int mails = scaled(10'000, 500), kills = scaled(20, 4);
    MailLoad load({.mails = mails, .extra = extra}, history);
    load.serve_at({server.url()});
    for (int kill = 1; kill <= kills; ++kill) {
      ASSERT_TRUE(load.dealt_with(mails / (kills + 1) * kill))
          << "the load stands still before kill " << kill;
      server.kill_hard();
      load.serve_at({});
      note_what_is_undecided(server);
      server.start();
      load.serve_at({server.url()});
    }
    load.finish();
    EXPECT_GE(static_cast<int>(history.acknowledged_count()), mails / 2);
  }

  // The mails whose dot had left without an answer when the server was killed.
  void note_what_is_undecided(const EilboteProcess& server) {
    const auto slots =
        HandOverSlots::open(server.data_folder() + "/hand-overs", 1, running_boot_id().value());
    ASSERT_TRUE(slots) << slots.error().message;
    const auto& left = (*slots)->left_behind();
    ASSERT_TRUE(left.is_known);
    for (const HandOver& one : left.hand_overs)
      if (one.stage == HandOverStage::dot) undecided_.insert(to_text(one.job));
  }

  // How often each mail came, by its id; copies of one carry one Message-ID by what the id is taken from.
  std::map<std::string, int> arrived() const {
    std::map<std::string, int> times;
    for (const std::string& message : relay_.messages()) {
      const std::string id = header_of(message, "Message-ID");
      ++times[id.substr(1, id.find('@') - 1)];
    }
    return times;
  }

  static bool was_uncertain(const MailApi& api, const std::string& id) {
    for (const json::value& attempt : api.attempts(id))
      if (text_at(attempt, "/errorType") == "UNKNOWN") return true;
    return false;
  }

  std::set<std::string> undecided_;
  // A moment between the dot and its answer, so that kills meet it.
  ScriptedSmtp relay_{[] {
    SmtpScript script;
    script.before_dot_reply = std::chrono::milliseconds{3};
    return script;
  }()};
};
INSTANTIATE_TEST_SUITE_P(Stores, MailsToARelay, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(MailsToARelay, arrive_whatever_is_killed) {
  const auto server = start_with_relay();
  MailHistory history;
  kill_under_load(*server, history, "");
  const MailApi api(*server);
  std::vector<StoredMail> stored;
  ASSERT_TRUE(eventually(
      [&] {
        stored = stored_mails(api);
        return std::all_of(stored.begin(), stored.end(),
                           [](const StoredMail& m) { return m.status == "SENT"; });
      },
      std::chrono::seconds{90}, std::chrono::milliseconds{200}));
  const auto times = arrived();
  std::set<std::string> ids;
  for (const StoredMail& mail : stored)
    ids.insert(mail.id);
  for (const std::string& id : history.acknowledged_ids()) {
    EXPECT_TRUE(times.contains(id)) << id << " was acknowledged and did not arrive";
    EXPECT_TRUE(ids.contains(id)) << id << " was acknowledged and is not stored";
  }
  int duplicates = 0;
  for (const auto& [id, n] : times) {
    EXPECT_TRUE(ids.contains(id)) << id << " arrived and is not stored";
    if (n == 1) continue;
    duplicates += n - 1;
    EXPECT_TRUE(was_uncertain(api, id)) << id << " arrived " << n << " times without a doubt on record";
  }
  std::printf("%zu acknowledged, %zu arrived, %d duplicates\n", history.acknowledged_count(), times.size(),
              duplicates);
  EXPECT_EQ(server->stop(), 0);
}

TEST_P(MailsToARelay, arrive_at_most_once_when_doubtful_ones_are_held) {
  const auto server = start_with_relay();
  MailHistory history;
  kill_under_load(*server, history, R"("onUncertain":"hold")");
  const MailApi api(*server);
  std::vector<StoredMail> stored;
  ASSERT_TRUE(eventually(
      [&] {
        stored = stored_mails(api);
        return std::all_of(stored.begin(), stored.end(),
                           [](const StoredMail& m) { return m.status == "SENT" || m.status == "FAILED"; });
      },
      std::chrono::seconds{90}, std::chrono::milliseconds{200}));
  const auto times = arrived();
  for (const auto& [id, n] : times)
    EXPECT_EQ(n, 1) << id;
  std::set<std::string> ids;
  std::set<std::string> held;
  for (const StoredMail& mail : stored) {
    ids.insert(mail.id);
    if (mail.status == "SENT") {
      EXPECT_TRUE(times.contains(mail.id)) << mail.id << " is SENT and did not arrive";
      continue;
    }
    held.insert(mail.id);
    const json::value message = api.message(mail.id);
    EXPECT_EQ(text_at(message, "/details/deadReason"), "Uncertain") << json::serialize(message);
    EXPECT_TRUE(was_uncertain(api, mail.id)) << mail.id << " is held without a doubt on record";
  }
  for (const std::string& id : history.acknowledged_ids())
    EXPECT_TRUE(ids.contains(id)) << id << " was acknowledged and is not stored";
  EXPECT_EQ(held, undecided_) << "held is exactly what the slots could not decide";
  std::printf("%zu acknowledged, %zu arrived, %zu held\n", history.acknowledged_count(), times.size(),
              held.size());
  EXPECT_EQ(server->stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::mails_to_a_relay_survive_kill_9
