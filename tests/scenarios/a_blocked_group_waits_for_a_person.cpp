// A group whose job in turn is dead holds up everybody behind it until a person skips the job or sends it again; people
// see such groups, with the job that blocks and how many wait.
#include <gtest/gtest.h>

#include "support/eventually.h"
#include "support/program.h"
#include "support/raw_sql.h"
#include "support/test_store.h"

namespace eilbote::test::a_blocked_group_waits_for_a_person {
namespace {

class ABlockedGroup : public StoreScenario {
 protected:
  void SetUp() override {
    StoreScenario::SetUp();
    server_ = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
    api_ = std::make_unique<MailApi>(*server_);
    sql_ = open_raw_postgres(database_url());
  }
  // Mails of a group go on after an error; these are made to block, as only webhooks may ask for.
  std::string in_group(const std::string& group, const std::string& to) {
    return api_->accept(mail_json(to, "x", R"("group":")" + group + R"(",)" + due_in_a_month()));
  }
  void make_blocking_and_due() {
    sql_->run(
        "UPDATE outbox SET group_mode = 'BLOCK_ON_ERROR', next_attempt_at = now() WHERE status = 'blocked'");
  }
  json::array blocked(const std::string& query = "") {
    return api_->read("/message-groups?blocked=true" + query).at("data").as_array();
  }
  json::value free(const std::string& act, const std::string& group) {
    const HttpReply reply = server_->post("/message-groups/" + act, R"({"group":")" + group + R"("})");
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }

  std::unique_ptr<EilboteProcess> server_;
  std::unique_ptr<MailApi> api_;
  std::unique_ptr<RawSql> sql_;
};
INSTANTIATE_TEST_SUITE_P(Stores, ABlockedGroup, ::testing::Values(StoreKind::postgres), store_name);

TEST_P(ABlockedGroup, is_listed_and_goes_on_when_the_job_is_skipped_or_sent_again) {
  const std::string dead = in_group("orders", "a+permanent@example.org");
  const std::string behind = in_group("orders", "b@example.org"), last = in_group("orders", "c@example.org");
  // Fails once for good, then goes through.
  const std::string again = in_group("bills", "d+permanent1@example.org");
  const std::string after = in_group("bills", "e@example.org");
  make_blocking_and_due();
  ASSERT_TRUE(api_->reaches(dead, "FAILED"));
  ASSERT_TRUE(api_->reaches(again, "FAILED"));
  ASSERT_EQ(blocked().size(), 2U);
  EXPECT_EQ(blocked("&limit=1").size(), 1U);
  EXPECT_EQ(blocked("&clientId=somebody").size(), 0U);
  for (const json::value& group : blocked()) {
    const bool orders = text_at(group, "/group") == "orders";
    EXPECT_EQ(text_at(group, "/blockingJobId"), orders ? dead : again);
    EXPECT_EQ(number_at(group, "/waiting"), orders ? 2 : 1);
    EXPECT_EQ(text_at(group, "/channel"), "mail");
    EXPECT_EQ(text_at(group, "/clientId"), "local");
    EXPECT_FALSE(text_at(group, "/lastError").empty());
  }
  EXPECT_EQ(api_->status(behind), "QUEUED");

  const json::value skipped = free("skip", "orders");
  EXPECT_EQ(text_at(skipped, "/jobId"), dead);
  EXPECT_EQ(text_at(skipped, "/status"), "CANCELLED");
  EXPECT_TRUE(api_->reaches(behind, "SENT"));
  EXPECT_TRUE(api_->reaches(last, "SENT"));
  EXPECT_EQ(api_->status(dead), "CANCELLED");
  EXPECT_EQ(server_->post("/message-groups/skip", R"({"group":"orders"})").status, 404) << "only once";

  EXPECT_EQ(text_at(free("retry", "bills"), "/jobId"), again);
  EXPECT_TRUE(api_->reaches(again, "SENT"));
  EXPECT_TRUE(api_->reaches(after, "SENT"));
  EXPECT_TRUE(blocked().empty());
}

TEST_P(ABlockedGroup, is_freed_from_the_command_line) {
  const auto cli = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program_under_test());
    return run_command(arguments, {{"EILBOTE_SERVER", server_->url()}});
  };
  EXPECT_EQ(cli({"groups"}).out, "no blocked groups\n");
  const std::string dead = in_group("orders", "a+permanent@example.org");
  const std::string behind = in_group("orders", "b@example.org");
  make_blocking_and_due();
  ASSERT_TRUE(api_->reaches(dead, "FAILED"));
  for (const std::string& word : {std::string("orders"), dead, std::string("local")})
    EXPECT_NE(cli({"groups", "list"}).out.find(word), std::string::npos) << word;
  EXPECT_EQ(text_at(json::parse(cli({"groups", "--json"}).out), "/data/0/blockingJobId"), dead);
  EXPECT_EQ(cli({"groups", "skip", "bills"}).exit_code, 4);
  EXPECT_EQ(cli({"groups", "skip", "orders", "--client", "somebody"}).exit_code, 4);
  const CommandResult skipped = cli({"groups", "skip", "orders", "--client", "local", "--channel", "mail"});
  EXPECT_EQ(skipped.exit_code, 0) << skipped.err;
  EXPECT_NE(skipped.out.find(dead), std::string::npos) << skipped.out;
  EXPECT_TRUE(api_->reaches(behind, "SENT"));
}

}  // namespace
}  // namespace eilbote::test::a_blocked_group_waits_for_a_person
