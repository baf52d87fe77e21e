// Service accounts and payload schemas in the registry, on both stores.
#include <atomic>
#include <thread>

#include "support/outbox_fixture.h"

namespace eilbote::test::registry_accounts_test {
namespace {

EILBOTE_ON_BOTH_STORES(RegistryAccounts);
EILBOTE_ON_BOTH_STORES(RegistrySchemas);

// Times in JSON have milliseconds.
TimePoint millis(TimePoint at) {
  return std::chrono::floor<std::chrono::milliseconds>(at);
}

AuditEntry audit(const std::string& act) {
  return {"operator", act, R"({"code":"x"})", "0af7651916cd43dd8448eb211c80319c"};
}

ServiceAccount some_account(JobId id, const std::string& code, TimePoint at) {
  ServiceAccount account;
  account.id = id;
  account.code = code;
  account.name = "Näme \"quoted\"";
  account.description = "line\nline";
  account.client_ids = {"shop", "billing"};
  account.application_id = "app-1";
  account.credentials.auth_type = WebhookAuthType::BASIC;
  account.credentials.auth_token_ref = "env://TOKEN";
  account.credentials.signing_secret_ref = "encrypted://QUJD";
  account.credentials.signature_style = SignatureStyle::flowcatalyst;
  account.credentials.created_at = millis(at);
  account.roles = {{"webhook-sender", "MANUAL", millis(at)}};
  account.created_at = account.updated_at = at;
  return account;
}

TEST_P(RegistryAccounts, AnAccountComesBackAsItWasGiven) {
  const TimePoint at = now();
  ServiceAccount given = some_account(new_id(), "acme", at);
  given.credentials.previous_secret_ref = "encrypted://REVG";
  given.credentials.previous_until = millis(at + hours{24});
  given.credentials.regenerated_at = millis(at);
  given.active = false;
  ASSERT_TRUE(must(registry().add_account(given, audit("account.create"))));

  const std::vector<ServiceAccount> all = must(registry().accounts());
  ASSERT_EQ(all.size(), 1U);
  const ServiceAccount& read = all[0];
  EXPECT_EQ(read.id, given.id);
  EXPECT_EQ(read.code, "acme");
  EXPECT_EQ(read.name, given.name);
  EXPECT_EQ(read.description, given.description);
  EXPECT_EQ(read.client_ids, given.client_ids);
  EXPECT_EQ(read.application_id, "app-1");
  EXPECT_FALSE(read.active);
  EXPECT_EQ(read.credentials.auth_type, WebhookAuthType::BASIC);
  EXPECT_EQ(read.credentials.auth_token_ref, "env://TOKEN");
  EXPECT_EQ(read.credentials.signing_secret_ref, "encrypted://QUJD");
  EXPECT_EQ(read.credentials.signature_style, SignatureStyle::flowcatalyst);
  EXPECT_EQ(read.credentials.previous_secret_ref, "encrypted://REVG");
  EXPECT_EQ(read.credentials.previous_until, given.credentials.previous_until);
  EXPECT_EQ(read.credentials.regenerated_at, given.credentials.regenerated_at);
  EXPECT_EQ(read.credentials.created_at, given.credentials.created_at);
  ASSERT_EQ(read.roles.size(), 1U);
  EXPECT_EQ(read.roles[0].role_name, "webhook-sender");
  EXPECT_EQ(read.roles[0].assigned_at, given.roles[0].assigned_at);
  EXPECT_EQ(read.last_used_at, std::nullopt);
  EXPECT_EQ(read.created_at, at) << "to the microsecond: it guards changes";
  EXPECT_EQ(read.updated_at, at);
}

TEST_P(RegistryAccounts, AreListedByCodeAndSurviveARestart) {
  for (const char* code : {"zeta", "acme", "m-2", "m-10"})
    ASSERT_TRUE(must(registry().add_account(some_account(new_id(), code, now()), audit("account.create"))));
  reopen();
  std::vector<std::string> codes;
  for (const ServiceAccount& account : must(registry().accounts()))
    codes.push_back(account.code);
  EXPECT_EQ(codes, (std::vector<std::string>{"acme", "m-10", "m-2", "zeta"}));
}

TEST_P(RegistryAccounts, ATakenCodeIsRefusedWithoutATrace) {
  ASSERT_TRUE(must(registry().add_account(some_account(new_id(), "acme", now()), audit("account.create"))));
  EXPECT_FALSE(must(registry().add_account(some_account(new_id(), "acme", now()), audit("account.create"))));
  EXPECT_EQ(count("service_accounts"), 1);
  EXPECT_EQ(count("audit_log"), 1) << "what was not done is not on the audit record";
}

TEST_P(RegistryAccounts, EveryChangeIsOnTheAuditRecord) {
  ServiceAccount account = some_account(new_id(), "acme", now());
  ASSERT_TRUE(must(registry().add_account(account, audit("account.create"))));
  account.active = false;
  ASSERT_TRUE(must(registry().change_account(account, now() + seconds{1}, audit("account.deactivate"))));
  const std::vector<SqlRow> written =
      rows("SELECT act, actor, detail, trace_id, job_id IS NULL FROM audit_log ORDER BY id");
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[0].at(0), "account.create");
  EXPECT_EQ(written[1].at(0), "account.deactivate");
  EXPECT_EQ(written[1].at(1), "operator");
  EXPECT_EQ(written[1].at(3), "0af7651916cd43dd8448eb211c80319c");
}

TEST_P(RegistryAccounts, AChangeOfWhatSomebodyElseChangedIsRefused) {
  const ServiceAccount first = some_account(new_id(), "acme", now());
  ASSERT_TRUE(must(registry().add_account(first, audit("account.create"))));
  ServiceAccount mine = first, theirs = first;
  theirs.name = "theirs";
  mine.name = "mine";
  const TimePoint later = first.updated_at + seconds{1};
  ASSERT_TRUE(must(registry().change_account(theirs, later, audit("account.update"))));
  EXPECT_FALSE(must(registry().change_account(mine, later + seconds{1}, audit("account.update"))));
  ServiceAccount now_there = must(registry().accounts()).at(0);
  EXPECT_EQ(now_there.name, "theirs");
  EXPECT_EQ(now_there.updated_at, later);
  EXPECT_EQ(now_there.created_at, first.created_at);
  EXPECT_EQ(count("audit_log"), 2);
  now_there.name = "mine after all";
  EXPECT_TRUE(must(registry().change_account(now_there, later + seconds{2}, audit("account.update"))));
}

// Runs `work` in several threads at once; how many of them were told true.
template <class Work>
int winners(Work work) {
  std::atomic<int> won{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&, i] { won += must(work(i)) ? 1 : 0; });
  }
  return won;
}

TEST_P(RegistryAccounts, OfManyAtOnceOneWins) {
  const TimePoint at = now();
  std::vector<JobId> ids;
  for (int i = 0; i < 6; ++i)
    ids.push_back(new_id());
  EXPECT_EQ(winners([&](int i) {
              return registry().add_account(some_account(ids[static_cast<std::size_t>(i)], "acme", at),
                                            audit("account.create"));
            }),
            1);
  const ServiceAccount read = must(registry().accounts()).at(0);
  EXPECT_EQ(winners([&](int i) {
              ServiceAccount mine = read;
              mine.name = std::to_string(i);
              return registry().change_account(mine, at + seconds{1 + i}, audit("account.update"));
            }),
            1);
  EXPECT_EQ(count("audit_log"), 2);
}

TEST_P(RegistryAccounts, AChangeOfWhatIsNotThereIsRefused) {
  EXPECT_FALSE(must(
      registry().change_account(some_account(new_id(), "ghost", now()), now(), audit("account.update"))));
  EXPECT_EQ(count("audit_log"), 0);
}

TEST_P(RegistryAccounts, LastUseMovesForwardOnlyAndDoesNotCountAsAChange) {
  const ServiceAccount account = some_account(new_id(), "acme", now());
  ASSERT_TRUE(must(registry().add_account(account, audit("account.create"))));
  const TimePoint late = now() + seconds{60};
  ASSERT_TRUE(registry().account_used(account.id, late));
  ASSERT_TRUE(registry().account_used(account.id, late - seconds{30}));
  const ServiceAccount read = must(registry().accounts()).at(0);
  EXPECT_EQ(read.last_used_at, late);
  EXPECT_EQ(read.updated_at, account.updated_at);
  EXPECT_TRUE(must(registry().change_account(account, late, audit("account.update"))));
  EXPECT_EQ(must(registry().accounts()).at(0).last_used_at, late) << "a change leaves it alone";
}

TEST_P(RegistryAccounts, ABrokenAccountIsAnErrorNotAnAccountWithoutCredentials) {
  ASSERT_TRUE(must(registry().add_account(some_account(new_id(), "acme", now()), audit("account.create"))));
  sql("UPDATE service_accounts SET body = '{}'");
  const auto read = registry().accounts();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::internal);
  EXPECT_NE(read.error().message.find("acme"), std::string::npos);
}

TEST_P(RegistrySchemas, ComeBackNewestFirstAndWordForWord) {
  const std::string content = R"({ "type" : "object", "b":1,
    "a": 2})";
  const PayloadSchema first{new_id(), "orders", "what an order looks like", content, now()};
  const PayloadSchema second{new_id(), "orders", "", R"({"type":"array"})", now()};
  ASSERT_TRUE(registry().add_schema(first, audit("schema.create")));
  ASSERT_TRUE(registry().add_schema(second, audit("schema.create")));
  const std::vector<PayloadSchema> all = must(registry().schemas());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, second.id);
  EXPECT_EQ(all[1].id, first.id);
  EXPECT_EQ(all[1].name, "orders");
  EXPECT_EQ(all[1].description, "what an order looks like");
  EXPECT_EQ(all[1].content, content);
  EXPECT_EQ(all[1].created_at, first.created_at);
  EXPECT_EQ(count("audit_log WHERE act = 'schema.create'"), 2);
}

TEST_P(RegistrySchemas, OneThatIsNoJsonIsRefusedWhole) {
  const auto refused = registry().add_schema({new_id(), "bad", "", "{", now()}, audit("schema.create"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data);
  EXPECT_EQ(count("payload_schemas"), 0);
  EXPECT_EQ(count("audit_log"), 0);
}

}  // namespace
}  // namespace eilbote::test::registry_accounts_test
