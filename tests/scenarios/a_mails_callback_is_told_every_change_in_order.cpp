// A mail's callback is told every change of its status, signed, in order, once each, also when the endpoint fails for a
// while and the server is killed.
#include <gtest/gtest.h>

#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/test_store.h"

namespace eilbote::test::a_mails_callback_is_told_every_change_in_order {
namespace {

SCENARIO_ON_EACH_STORE(ACallback);

std::vector<std::string> told(const ScriptedHttp& endpoint) {
  std::vector<std::string> moves;
  for (const HttpSeen& seen : endpoint.seen()) {
    const json::value body = json::parse(seen.body);
    moves.push_back(text_at(body, "/previousStatus") + " -> " + text_at(body, "/status"));
  }
  return moves;
}

TEST_P(ACallback, is_told_every_change_in_order) {
  ScriptedHttp endpoint;
  const auto server = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const JobApi api(*server);
  api.post("/service-accounts", R"({"code":"local","name":"Local","clientIds":["local"]})");
  // The first attempt fails, the second goes through.
  const std::string id = MailApi(*server).accept(mail_json(
      "ada+transient1@example.org", "x",
      R"("callback":{"url":")" + endpoint.url() + R"("},"retry":{"strategy":"immediate","maxAttempts":3})"));
  ASSERT_TRUE(eventually([&] { return told(endpoint).size() >= 2; }))
      << json::serialize(MailApi(*server).message(id));
  EXPECT_EQ(told(endpoint), (std::vector<std::string>{"QUEUED -> RETRY_PENDING", "RETRY_PENDING -> SENT"}));
  const HttpSeen last = endpoint.seen().back();
  EXPECT_EQ(text_at(json::parse(last.body), "/type"), "message.status");
  EXPECT_EQ(text_at(json::parse(last.body), "/messageId"), id);
  EXPECT_TRUE(last.headers.at("webhook-signature").starts_with("v1,"));
}

TEST_P(ACallback, survives_a_kill_between_the_change_and_its_telling) {
  ScriptedHttp endpoint;
  const auto server = start_server({{"EILBOTE_LEASE_SECONDS", "2"}});
  const JobApi api(*server);
  api.post("/service-accounts", R"({"code":"local","name":"Local","clientIds":["local"]})");
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i)
    ids.push_back(MailApi(*server).accept(mail_json("ada" + std::to_string(i) + "@example.org", "x",
                                                    R"("callbackUrl":")" + endpoint.url() + "\"")));
  server->kill_hard();
  server->start();
  ASSERT_TRUE(eventually([&] { return endpoint.seen().size() >= ids.size(); }));
  std::set<std::string> mails;
  for (const HttpSeen& seen : endpoint.seen())
    mails.insert(text_at(json::parse(seen.body), "/messageId"));
  EXPECT_EQ(mails, std::set<std::string>(ids.begin(), ids.end()));
}

TEST_P(ACallback, needs_an_account_to_sign_with) {
  const auto server = start_server();
  const HttpReply refused = server->post(
      "/messages", mail_json("ada@example.org", "x", R"("callbackUrl":"https://hooks.example.org/mail")"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("default service account"), std::string::npos);
}

}  // namespace
}  // namespace eilbote::test::a_mails_callback_is_told_every_change_in_order
