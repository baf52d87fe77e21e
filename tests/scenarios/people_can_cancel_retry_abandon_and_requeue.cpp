// What people do with mails: cancel one before it is sent, send a dead one again, give one up, requeue many by their
// ids or by a filter. Each act answers for what it did and refuses what is not possible.
#include <gtest/gtest.h>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/test_store.h"

namespace eilbote::test::people_can_cancel_retry_abandon_and_requeue {
namespace {

SCENARIO_ON_EACH_STORE(PeopleCan);

const Settings kFaults{{"EILBOTE_CAPTURE_FAULTS", "by-address"}};
const char* const kUnknown = "0000000000001";
const std::string kLater = due_in_a_month();

TEST_P(PeopleCan, cancel_what_is_not_sent) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const std::string waiting = api.accept(mail_json("a@example.org", "x", kLater));
  EXPECT_EQ(server->del("/messages/" + waiting).status, 204);
  EXPECT_EQ(api.status(waiting), "CANCELLED");
  EXPECT_EQ(server->del("/messages/" + waiting).status, 409) << "a second time";
  const json::array events = api.events(waiting);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(text_at(events[1], "/to"), "CANCELLED");

  const std::string sent = api.accept(mail_json("b@example.org"));
  ASSERT_TRUE(api.reaches(sent, "SENT"));
  const HttpReply late = server->del("/messages/" + sent);
  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(late.headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(api.status(sent), "SENT");

  const std::string stalled = api.accept(mail_json("c+stall@example.org"));
  ASSERT_TRUE(eventually([&] { return has(api.message(stalled), "/details/lastAttemptAt"); }));
  EXPECT_EQ(server->del("/messages/" + stalled).status, 409) << "leased";

  const std::string retrying = api.accept(mail_json(
      "d+transient@example.org", "x", R"("retry":{"strategy":"fixed","delaySeconds":600,"maxAttempts":3})"));
  ASSERT_TRUE(api.reaches(retrying, "RETRY_PENDING"));
  EXPECT_EQ(server->del("/messages/" + retrying).status, 204);
  EXPECT_EQ(api.status(retrying), "CANCELLED");

  EXPECT_EQ(server->del(std::string("/messages/") + kUnknown).status, 404);
  EXPECT_EQ(server->del("/messages/not-an-id").status, 404);
}

TEST_P(PeopleCan, send_a_dead_one_again) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const std::string id = api.accept(
      mail_json("a+transient2@example.org", "x", R"("retry":{"strategy":"immediate","maxAttempts":2})"));
  ASSERT_TRUE(api.reaches(id, "FAILED"));
  const HttpReply reply = server->post("/messages/" + id + "/retry", "");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(text_at(json::parse(reply.body), "/messageId"), id);
  // The third attempt succeeds; its budget began anew.
  ASSERT_TRUE(api.reaches(id, "SENT")) << json::serialize(api.message(id));
  EXPECT_EQ(number_at(api.message(id), "/details/retryCount"), 0);
  EXPECT_FALSE(has(api.message(id), "/details/deadReason"));
  EXPECT_EQ(api.attempts(id).size(), 3U) << "the old attempts stay on record";
  std::string path;
  for (const json::value& event : api.events(id))
    path += text_at(event, "/to") + " ";
  EXPECT_EQ(path, "QUEUED RETRY_PENDING FAILED QUEUED SENT ");
  EXPECT_EQ(api.counted(1, "eilbote_requeued_total", R"(cause="operator")"), 1);

  EXPECT_EQ(server->post("/messages/" + id + "/retry", "").status, 409) << "sent";
  EXPECT_EQ(server->post(std::string("/messages/") + kUnknown + "/retry", "").status, 404);
}

TEST_P(PeopleCan, give_one_up) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const std::string id = api.accept(mail_json(
      "a+transient@example.org", "x", R"("retry":{"strategy":"fixed","delaySeconds":600,"maxAttempts":5})"));
  ASSERT_TRUE(api.reaches(id, "RETRY_PENDING"));
  const HttpReply reply = server->post("/messages/" + id + "/abandon", "");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(text_at(json::parse(reply.body), "/status"), "FAILED");
  EXPECT_EQ(text_at(api.message(id), "/details/deadReason"), "Abandoned");
  EXPECT_EQ(server->post("/messages/" + id + "/abandon", "").status, 409);
  const auto dead = api.list("deadReason=Abandoned");
  ASSERT_EQ(dead.size(), 1U);
  EXPECT_EQ(api.counted(1, "eilbote_dead_total", R"(reason="Abandoned")"), 1);
}

TEST_P(PeopleCan, requeue_by_ids) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const std::string dead = api.accept(mail_json("a+permanent1@example.org"));
  const std::string sent = api.accept(mail_json("b@example.org"));
  ASSERT_TRUE(api.reaches(dead, "FAILED"));
  ASSERT_TRUE(api.reaches(sent, "SENT"));
  const HttpReply reply = server->post(
      "/messages/requeue", R"({"ids":[")" + dead + R"(",")" + sent + R"(",")" + kUnknown + R"("]})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const json::value body = json::parse(reply.body);
  EXPECT_EQ(number_at(body, "/requeued"), 1);
  EXPECT_EQ(number_at(body, "/refused"), 1);
  EXPECT_EQ(number_at(body, "/notFound"), 1);
  EXPECT_TRUE(api.reaches(dead, "SENT"));
}

TEST_P(PeopleCan, requeue_by_a_filter_after_a_dry_run) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  std::vector<std::string> marked;
  for (int i = 0; i < 30; ++i)
    marked.push_back(
        api.accept(mail_json("a" + std::to_string(i) + "+permanent1@example.org", "x", R"("tags":["red"])")));
  const std::string other = api.accept(mail_json("o+permanent1@example.org", "x", R"("tags":["blue"])"));
  for (const std::string& id : marked)
    ASSERT_TRUE(api.reaches(id, "FAILED"));
  ASSERT_TRUE(api.reaches(other, "FAILED"));

  const std::string filter = R"("filter":{"status":"FAILED","deadReason":"PermanentFailure","tag":"red"})";
  const HttpReply dry = server->post("/messages/requeue", "{" + filter + R"(,"dryRun":true})");
  ASSERT_EQ(dry.status, 200) << dry.body;
  EXPECT_EQ(number_at(json::parse(dry.body), "/matched"), 30);
  EXPECT_EQ(number_at(json::parse(dry.body), "/requeued"), 0);
  EXPECT_EQ(api.list("status=FAILED").size(), 31U);

  const HttpReply real = server->post("/messages/requeue", "{" + filter + "}");
  ASSERT_EQ(real.status, 200) << real.body;
  EXPECT_EQ(number_at(json::parse(real.body), "/requeued"), 30);
  for (const std::string& id : marked)
    EXPECT_TRUE(api.reaches(id, "SENT"));
  EXPECT_EQ(api.status(other), "FAILED");
  EXPECT_EQ(server->post("/messages/requeue", R"({"dryRun":true})").status, 400);
}

}  // namespace
}  // namespace eilbote::test::people_can_cancel_retry_abandon_and_requeue
