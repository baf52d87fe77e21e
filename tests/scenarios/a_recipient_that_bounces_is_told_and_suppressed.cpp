// A mail to three recipients of which one bounces: the API says so for each, the callback hears every change in order, the
// address is suppressed, the next mail to it fails that recipient at once with a reason a person understands, and taken off the
// list it gets mail again.
#include <gtest/gtest.h>

#include "support/bounce.h"
#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/job_api.h"
#include "support/program.h"
#include "support/scripted_http.h"
#include "support/server_packages.h"
#include "support/test_store.h"

namespace eilbote::test::a_recipient_that_bounces_is_told_and_suppressed {
namespace {

class ARecipientThatBounces : public StoreScenario {
 protected:
  void SetUp() override {
    StoreScenario::SetUp();
    server_ = start_server();
    api_ = std::make_unique<MailApi>(*server_);
    JobApi(*server_).post("/service-accounts", R"({"code":"local","name":"Local","clientIds":["local"]})");
  }

  std::string send(const std::string& to, const std::string& extra = "") {
    return api_->accept(mail_json(to, "A word", extra));
  }
  // The Message-ID under which the mail left.
  std::string message_id(const std::string& id) const {
    for (const CapturedMail& mail : captured_mails(server_->capture_folder()))
      if (mail.id == id) return mail.message_id;
    ADD_FAILURE() << id << " was not captured";
    return "";
  }
  json::value bounced(const std::string& raw) const {
    const HttpReply reply = server_->post("/webhooks/dsn", raw, {{"Content-Type", "message/rfc822"}});
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  // "ada@example.org bounced", and so on.
  std::vector<std::string> recipients(const std::string& id) const {
    std::vector<std::string> all;
    const json::value mail = api_->message(id);
    for (const json::value& one : mail.at("details").at("recipients").as_array())
      all.push_back(text_at(one, "/address") + " " + text_at(one, "/status"));
    return all;
  }
  std::string reply_to(const std::string& id, std::size_t recipient) const {
    return text_at(api_->message(id), "/details/recipients/" + std::to_string(recipient) + "/reply");
  }
  bool was_captured(const std::string& id) const {
    for (const CapturedMail& mail : captured_mails(server_->capture_folder()))
      if (mail.id == id) return true;
    return false;
  }
  json::array suppressions(const std::string& query = "") const {
    return api_->read("/suppressions" + query).at("data").as_array();
  }

  std::unique_ptr<EilboteProcess> server_;
  std::unique_ptr<MailApi> api_;
};
INSTANTIATE_TEST_SUITE_P(Stores, ARecipientThatBounces,
                         ::testing::Values(StoreKind::sqlite, StoreKind::postgres), store_name);

std::vector<std::string> told(const ScriptedHttp& endpoint) {
  std::vector<std::string> moves;
  for (const HttpSeen& seen : endpoint.seen()) {
    const json::value body = json::parse(seen.body);
    moves.push_back(text_at(body, "/previousStatus") + " -> " + text_at(body, "/status"));
    EXPECT_TRUE(seen.headers.at("webhook-signature").starts_with("v1,"));
  }
  return moves;
}

TEST_P(ARecipientThatBounces, is_told_per_recipient_and_to_the_callback) {
  ScriptedHttp endpoint;
  const std::string id =
      send("ada@example.org",
           R"("cc":["bob@example.org","eve@example.org"],"callbackUrl":")" + endpoint.url() + "\"");
  ASSERT_TRUE(api_->reaches(id, "SENT"));
  const std::string raw = bounce({message_id(id), "bob@example.org"});
  const json::value answer = bounced(raw);
  EXPECT_EQ(text_at(answer, "/outcome"), "applied");
  EXPECT_EQ(text_at(answer, "/kind"), "report");
  EXPECT_EQ(text_at(answer, "/messageId"), id);
  EXPECT_EQ(text_at(answer, "/from"), "SENT");
  EXPECT_EQ(text_at(answer, "/to"), "BOUNCED");
  EXPECT_EQ(text_at(answer, "/recipients/0/status"), "5.1.1");

  EXPECT_EQ(api_->status(id), "BOUNCED");
  EXPECT_EQ(recipients(id), (std::vector<std::string>{"ada@example.org taken", "bob@example.org bounced",
                                                      "eve@example.org taken"}));
  EXPECT_NE(reply_to(id, 1).find("no such user"), std::string::npos) << reply_to(id, 1);
  EXPECT_EQ(text_at(api_->message(id), "/details/lastError/code"), "BOUNCED");
  EXPECT_EQ(text_at(api_->message(id), "/details/lastError/class"), "permanent");

  ASSERT_TRUE(eventually([&] { return endpoint.seen().size() >= 2; }));
  EXPECT_EQ(told(endpoint), (std::vector<std::string>{"QUEUED -> SENT", "SENT -> BOUNCED"}));

  // The same bounce again, and what contradicts it: on record, and nothing moves.
  EXPECT_EQ(text_at(bounced(raw), "/outcome"), "seen_before");
  const auto before = api_->events(id).size();
  const json::value late =
      bounced(bounce({message_id(id), "bob@example.org", "delivered", "2.0.0", "smtp; 250 ok"}));
  EXPECT_EQ(text_at(late, "/outcome"), "applied");
  EXPECT_EQ(text_at(late, "/to"), "BOUNCED");
  const json::array events = api_->events(id);
  ASSERT_EQ(events.size(), before + 1) << "a note";
  EXPECT_EQ(text_at(events.back(), "/from"), "BOUNCED");
  EXPECT_EQ(text_at(events.back(), "/to"), "BOUNCED");
  EXPECT_EQ(recipients(id)[1], "bob@example.org bounced");
  EXPECT_EQ(api_->counted(1, "eilbote_messages_bounced_total"), 1);
  EXPECT_EQ(api_->counted(1, "eilbote_delivery_reports_total", "outcome=\"seen_before\""), 1);
}

TEST_P(ARecipientThatBounces, is_suppressed_until_it_is_taken_off_the_list) {
  const std::string first = send("Ada@Example.org");
  ASSERT_TRUE(api_->reaches(first, "SENT"));
  bounced(bounce({message_id(first), "ada@example.org"}));
  ASSERT_EQ(suppressions().size(), 1U);
  EXPECT_EQ(text_at(suppressions()[0], "/address"), "ada@example.org");
  EXPECT_EQ(text_at(suppressions()[0], "/clientId"), "local");
  EXPECT_EQ(text_at(suppressions()[0], "/messageId"), first);
  EXPECT_EQ(suppressions("?address=ADA%40example.org").size(), 1U);
  EXPECT_EQ(suppressions("?clientId=somebody").size(), 0U);

  const std::string both = send("ada@example.org", R"("cc":["bob@example.org"])");
  ASSERT_TRUE(api_->reaches(both, "SENT")) << json::serialize(api_->message(both));
  EXPECT_EQ(recipients(both),
            (std::vector<std::string>{"ada@example.org suppressed", "bob@example.org taken"}));
  EXPECT_TRUE(was_captured(both));
  const std::string why = reply_to(both, 0);
  EXPECT_TRUE(why.starts_with("suppressed: it bounced")) << why;
  EXPECT_NE(why.find("5.1.1"), std::string::npos) << why;
  EXPECT_TRUE(why.ends_with("remove it from the suppression list to send to it again")) << why;

  const std::string alone = send("ada@example.org");
  ASSERT_TRUE(api_->reaches(alone, "FAILED")) << json::serialize(api_->message(alone));
  EXPECT_EQ(recipients(alone), std::vector<std::string>{"ada@example.org suppressed"});
  EXPECT_FALSE(was_captured(alone)) << "nothing was sent";
  EXPECT_EQ(api_->attempts(alone).size(), 1U) << "and nothing is tried again";
  EXPECT_EQ(text_at(api_->message(alone), "/details/lastError/code"), "SUPPRESSED");
  EXPECT_EQ(text_at(api_->message(alone), "/details/deadReason"), "PermanentFailure");

  EXPECT_EQ(server_->del("/suppressions/ada%40example.org?clientId=somebody").status, 404);
  EXPECT_EQ(server_->del("/suppressions/Ada%40Example.org").status, 204);
  EXPECT_EQ(server_->del("/suppressions/ada%40example.org").status, 404);
  EXPECT_TRUE(suppressions().empty());
  EXPECT_TRUE(api_->reaches(send("ada@example.org"), "SENT"));
  EXPECT_EQ(server_->post("/messages/" + alone + "/retry", "").status, 200);
  EXPECT_TRUE(api_->reaches(alone, "SENT")) << "sent again, it goes out as well";
  const json::array audit = api_->read("/audit?target=suppression%3Aada%40example.org").at("data").as_array();
  ASSERT_EQ(audit.size(), 1U);
  EXPECT_EQ(text_at(audit[0], "/action"), "suppression.remove");
}

TEST_P(ARecipientThatBounces, does_not_wait_for_a_dead_callback) {
  const std::string id = send(
      "ada@example.org", R"("callbackUrl":"http://127.0.0.1:)" + std::to_string(free_port()) + R"(/dead")");
  ASSERT_TRUE(api_->reaches(id, "SENT"));
  bounced(bounce({message_id(id), "ada@example.org"}));
  EXPECT_EQ(api_->status(id), "BOUNCED");
}

TEST_P(ARecipientThatBounces, is_listed_and_freed_from_the_command_line) {
  const auto cli = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program_under_test());
    return run_command(arguments, {{"EILBOTE_SERVER", server_->url()}});
  };
  EXPECT_EQ(cli({"suppressions"}).out, "no suppressed addresses\n");
  EXPECT_EQ(cli({"suppressions", "add", "Ada@example.org", "--reason", "asked us"}).exit_code, 0);
  EXPECT_EQ(cli({"suppressions", "add", "ada@example.org"}).exit_code, 0) << "it is there already, and stays";
  for (const char* word : {"ada@example.org", "local", "asked us"})
    EXPECT_NE(cli({"suppressions", "list"}).out.find(word), std::string::npos) << word;
  EXPECT_EQ(cli({"suppressions", "add", "ada"}).exit_code, 1);
  const std::string id = send("ada@example.org");
  ASSERT_TRUE(api_->reaches(id, "FAILED"));
  EXPECT_NE(reply_to(id, 0).find("asked us"), std::string::npos) << reply_to(id, 0);
  EXPECT_EQ(cli({"suppressions", "remove", "ada@example.org"}).exit_code, 0);
  EXPECT_EQ(cli({"suppressions", "remove", "ada@example.org"}).exit_code, 4);
  EXPECT_EQ(cli({"reports", "--unmatched"}).out, "no reports\n");
  bounced(bounce({"<nobody@elsewhere.example>", "ada@example.org"}));
  EXPECT_NE(cli({"reports", "--unmatched"}).out.find("ada@example.org failed 5.1.1"), std::string::npos);
}

TEST_P(ARecipientThatBounces, pages_through_the_list) {
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(
        server_->post("/suppressions", R"({"address":"r)" + std::to_string(i) + R"(@example.org"})").status,
        201);
  std::vector<std::string> seen;
  std::string cursor;
  do {
    const json::value page =
        api_->read("/suppressions?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
    for (const json::value& one : page.at("data").as_array())
      seen.push_back(text_at(one, "/address"));
    ASSERT_LE(page.at("data").as_array().size(), 2U);
    // It is percent-encoded inside, so it has to be once more for the query.
    cursor.clear();
    for (const char c : has(page, "/nextCursor") ? text_at(page, "/nextCursor") : "")
      cursor += c == '%' ? std::string("%25") : std::string(1, c);
  } while (!cursor.empty());
  EXPECT_EQ(seen, (std::vector<std::string>{"r0@example.org", "r1@example.org", "r2@example.org",
                                            "r3@example.org", "r4@example.org"}));
}

}  // namespace
}  // namespace eilbote::test::a_recipient_that_bounces_is_told_and_suppressed
