// examples/prisma on a real database: its claims and settlements are those of a foreign worker, none is made twice, and one that
// comes too late changes nothing. (Prisma's engine cannot be had everywhere; tests/node/prisma_example.mjs stands in with `pg`.)
#include <gtest/gtest.h>

#include "support/child_process.h"
#include "support/mail_api.h"
#include "support/test_store.h"

namespace eilbote::test::a_prisma_client_shares_the_outbox {
namespace {

SCENARIO_ON_POSTGRES(APrismaClient);

json::value example(const std::string& url, const std::string& verb) {
  const CommandResult result =
      run_command({"node", EILBOTE_SOURCE_DIR "/tests/node/prisma_example.mjs", url, verb});
  if (result.exit_code != 0)
    throw std::runtime_error("prisma_example.mjs " + verb + ": " + result.out + result.err);
  return json::parse(result.out);
}

// Eilbote leaves the mails alone: what is sent, the example sent.
const Settings kTriggered{{"EILBOTE_DISPATCH", "triggered"}};

TEST_P(APrismaClient, knows_the_columns) {
  EXPECT_GT(number_at(example(database_url(), "schema"), "/fields"), 30);
}

TEST_P(APrismaClient, sends_each_mail_once_and_puts_off_what_fails) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  std::vector<std::string> good;
  for (int i = 0; i < 20; ++i)
    good.push_back(api.accept(mail_json("a" + std::to_string(i) + "@example.org")));
  const std::string refused = api.accept(mail_json("refuse@example.org"));

  const json::value outcome = example(database_url(), "work");
  EXPECT_EQ(number_at(outcome, "/sent"), 20);
  EXPECT_EQ(number_at(outcome, "/failed"), 1);
  for (const std::string& id : good)
    EXPECT_EQ(api.status(id), "SENT");
  EXPECT_EQ(api.status(refused), "RETRY_PENDING");
  EXPECT_EQ(number_at(api.message(refused), "/details/retryCount"), 1);
  EXPECT_EQ(text_at(api.message(refused), "/details/lastError/message"), "451 later");
}

TEST_P(APrismaClient, tries_as_often_as_each_mail_allows) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  const std::string patient = api.accept(mail_json("a@example.org"));
  api.accept(mail_json("b@example.org"));
  PostgresServer::sql(
      database_url(),
      "UPDATE outbox SET retry_count = 6, max_attempts = 6 + (id = (SELECT min(id) FROM outbox))::int");
  EXPECT_EQ(number_at(example(database_url(), "work"), "/sent"), 1);
  EXPECT_EQ(api.status(patient), "SENT");
}

TEST_P(APrismaClient, that_comes_too_late_changes_nothing) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("a@example.org"));
  EXPECT_FALSE(example(database_url(), "late").at("settled").as_bool());
  EXPECT_EQ(api.status(id), "QUEUED");
}

}  // namespace
}  // namespace eilbote::test::a_prisma_client_shares_the_outbox
