// The client secret of the Graph application is replaced in Vault while mails leave: no failed attempt, no failed mail. A secret
// that is wrong and stays so fails none either: mails wait for a person.
#include <gtest/gtest.h>

#include <fstream>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/graph_scenario.h"
#include "support/scripted_vault.h"

namespace eilbote::test::a_rotated_graph_secret_fails_no_mail {
namespace {

class ARotatedGraphSecret : public GraphScenario {
 protected:
  Settings with_vault() {
    vault_.allow_role("mailer", "role-secret");
    vault_.put("graph/client", {{"secret", "graph-first-secret"}});
    std::ofstream(folder_ / "secret-id") << "role-secret";
    // Long enough that nobody looks by himself.
    return {{"EILBOTE_VAULT_ADDR", vault_.addr()},
            {"EILBOTE_VAULT_ROLE_ID", "mailer"},
            {"EILBOTE_VAULT_SECRET_ID_REF", "file://" + (folder_ / "secret-id")},
            {"EILBOTE_SECRET_TTL", "1h"},
            {"EILBOTE_GRAPH_CLIENT_SECRET_REF", "vault://graph/client#secret"}};
  }

  ScriptedVault vault_;
  ScriptedGraph tenant_{{.mailboxes = mailboxes(3)}};
};
INSTANTIATE_TEST_SUITE_P(Stores, ARotatedGraphSecret, testing::Values(StoreKind::sqlite), store_name);

TEST_P(ARotatedGraphSecret, under_load) {
  const auto server = start_with(tenant_, with_vault());
  const MailApi api(*server);
  std::vector<std::string> ids;
  for (int i = 0; i < 150; ++i) {
    if (i == 75) {
      vault_.put("graph/client", {{"secret", "graph-second-secret"}});
      tenant_.set_secrets({"graph-second-secret"});
      tenant_.revoke_tokens();
    }
    ids.push_back(api.accept(mail_of(mailboxes(3)[static_cast<std::size_t>(i) % 3], "ann@example.net")));
  }
  for (const std::string& id : ids) {
    ASSERT_TRUE(api.reaches(id, "SENT"))
        << json::serialize(api.message(id)) << json::serialize(api.attempts(id));
    EXPECT_EQ(api.attempts(id).size(), 1U) << json::serialize(api.attempts(id));
  }
  EXPECT_EQ(tenant_.sent_items().size(), ids.size());
  EXPECT_GE(tenant_.secrets_refused(), 1) << "the old secret was never refused, so nothing was shown";
  EXPECT_EQ(api.metric("eilbote_messages_failed_total"), 0);
  EXPECT_EQ(api.metric("eilbote_messages_retry_pending_total"), 0);
  EXPECT_EQ(tenant_.all_violations(), "");
  EXPECT_EQ(server->stop(), 0);
}

TEST_P(ARotatedGraphSecret, that_stays_wrong_lets_mails_wait_until_it_is_right) {
  const auto server = start_with(tenant_, with_vault());
  const MailApi api(*server);
  ASSERT_TRUE(api.reaches(api.accept(mail_of("box1@example.org", "ann@example.net")), "SENT"));
  tenant_.set_secrets({"graph-second-secret"});
  tenant_.revoke_tokens();
  const std::string id = api.accept(mail_of("box1@example.org", "bob@example.net"));
  EXPECT_TRUE(eventually([&] { return tenant_.secrets_refused() >= 1; }));
  EXPECT_TRUE(throughout([&] { return api.status(id) != "FAILED"; }, std::chrono::seconds{1}));
  vault_.put("graph/client", {{"secret", "graph-second-secret"}});
  EXPECT_TRUE(api.reaches(id, "SENT", std::chrono::minutes{1}))
      << json::serialize(api.message(id)) << json::serialize(api.attempts(id));
  EXPECT_EQ(tenant_.sent_items().size(), 2U);
}

}  // namespace
}  // namespace eilbote::test::a_rotated_graph_secret_fails_no_mail
