// Mails leave through Microsoft Graph while every step fails at random, before and after its work, and the server is killed in
// between: each is in Sent Items exactly once. Sent in one phase, none leaves twice, and what nobody can know says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "support/eventually.h"
#include "support/graph_scenario.h"
#include "support/test_scale.h"
#include "support/test_seed.h"

namespace eilbote::test::mails_by_graph_are_sent_exactly_once {
namespace {

using namespace std::chrono_literals;

class MailsByGraph : public GraphScenario {
 protected:
  // Hands the mails in and kills the server while they leave; their ids.
  std::vector<std::string> send_and_kill(EilboteProcess& server, const ScriptedGraph& tenant, int mails,
                                         int kills, const std::string& extra = "") {
    auto ids = std::async(std::launch::async, [&, where = address()] {
      return hand_in_all(where, tenant.options().mailboxes, mails, extra);
    });
    for (int kill = 1; kill <= kills; ++kill) {
      const auto wanted = static_cast<std::size_t>(mails * kill / (kills + 1));
      // Those that are held never leave, and a kill can hold all that were under way.
      const auto decided = [&] { return tenant.sent_items().size() + count_held(MailApi(server)); };
      EXPECT_TRUE(eventually([&] { return decided() >= wanted; }, 3min, 250ms))
          << "only " << decided() << " of " << wanted << " mails left or are held before kill " << kill;
      server.kill_hard();
      server.start();
    }
    return ids.get();
  }
  static std::size_t count_held(const MailApi& api) {
    const std::vector<StoredMail> mails = stored_mails(api);
    return static_cast<std::size_t>(std::ranges::count(mails, "FAILED", &StoredMail::status));
  }
  static void tell(const ScriptedGraph& tenant, std::uint64_t seed) {
    std::printf("EILBOTE_TEST_SEED=%llu, %d drafts, %d sends, %d looks, %d searches\n",
                static_cast<unsigned long long>(seed), tenant.requests(GraphStep::create),
                tenant.requests(GraphStep::send), tenant.requests(GraphStep::look),
                tenant.requests(GraphStep::search));
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, MailsByGraph, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(MailsByGraph, whatever_fails_and_whoever_is_killed) {
  const std::uint64_t seed = test_seed();
  // A draft is on its way for a while, but less than the server waits before it sends one again.
  ScriptedGraph tenant({.mailboxes = mailboxes(8), .leaves_after = 200ms, .think = 2ms},
                       random_faults(seed, 5));
  const auto server = start_with(tenant);
  const auto ids = send_and_kill(*server, tenant, scaled(2'000, 200), scaled(8, 2));
  tell(tenant, seed);
  const MailApi api(*server);
  EXPECT_EQ(not_all(api, {"SENT"}, 4min), "");
  const auto times = times_sent(tenant);
  for (const std::string& id : ids) {
    const auto found = times.find(id);
    EXPECT_EQ(found == times.end() ? 0 : found->second, 1) << id << " " << json::serialize(api.attempts(id));
  }
  EXPECT_EQ(times.size(), ids.size());
  EXPECT_EQ(tenant.all_violations(), "");
  EXPECT_EQ(server->stop(), 0);
}

TEST_P(MailsByGraph, in_one_phase_never_twice) {
  const std::uint64_t seed = test_seed();
  ScriptedGraph tenant({.mailboxes = mailboxes(4), .leaves_after = 200ms, .think = 2ms},
                       random_faults(seed, 5));
  const auto server = start_with(tenant, {{"EILBOTE_GRAPH_MODE", "sendmail"}});
  const auto ids = send_and_kill(*server, tenant, scaled(400, 100), 2, R"("onUncertain":"hold")");
  tell(tenant, seed);
  const MailApi api(*server);
  EXPECT_EQ(not_all(api, {"SENT", "FAILED"}, 3min), "");
  const auto times = times_sent(tenant);
  int held = 0;
  for (const std::string& id : ids) {
    const auto found = times.find(id);
    const int left = found == times.end() ? 0 : found->second;
    const json::value mail = api.message(id);
    EXPECT_LE(left, 1) << id << " " << json::serialize(api.attempts(id));
    if (text_at(mail, "/status") == "SENT") {
      EXPECT_EQ(left, 1) << id << " is SENT and did not leave";
      continue;
    }
    ++held;
    EXPECT_EQ(text_at(mail, "/details/deadReason"), "Uncertain") << json::serialize(mail);
  }
  std::printf("%zu mails, %zu left, %d held\n", ids.size(), times.size(), held);
  EXPECT_EQ(server->stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::mails_by_graph_are_sent_exactly_once
