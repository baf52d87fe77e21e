// EILBOTE_DISPATCH=triggered (Airflow, cron): nothing leaves by itself; POST /internal/dispatch/batch delivers what is
// due and says what became of it, POST /internal/dispatch/{id} delivers one mail whatever its time.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/test_store.h"

namespace eilbote::test::in_triggered_mode_mails_leave_only_when_asked {
namespace {

SCENARIO_ON_EACH_STORE(InTriggeredMode);

const Settings kTriggered{{"EILBOTE_DISPATCH", "triggered"}, {"EILBOTE_CAPTURE_FAULTS", "by-address"}};

json::value dispatch(const EilboteProcess& server, const std::string& path, const std::string& body,
                     int status = 200) {
  const HttpReply reply = server.post(path, body);
  EXPECT_EQ(reply.status, status) << path << ": " << reply.body;
  return json::parse(reply.body);
}

TEST_P(InTriggeredMode, nothing_leaves_by_itself) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  for (int i = 0; i < 5; ++i)
    api.accept(mail_json("a" + std::to_string(i) + "@example.org"));
  EXPECT_TRUE(throughout([&] { return captured_count(server->capture_folder()) == 0; },
                         std::chrono::milliseconds{2500}));
  EXPECT_EQ(api.list("status=QUEUED").size(), 5U);
}

TEST_P(InTriggeredMode, a_call_delivers_a_batch_and_reports_it) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  std::vector<std::string> ids;
  for (int i = 0; i < 7; ++i)
    ids.push_back(api.accept(mail_json("a" + std::to_string(i) + "@example.org")));

  const json::value dry = dispatch(*server, "/internal/dispatch/batch", R"({"batchSize":5,"dryRun":true})");
  EXPECT_EQ(number_at(dry, "/dispatched"), 0);
  EXPECT_EQ(dry.at("items").as_array().size(), 5U);
  EXPECT_EQ(captured_count(server->capture_folder()), 0U);

  const json::value first =
      dispatch(*server, "/internal/dispatch/batch", R"({"batchSize":5,"dryRun":false})");
  EXPECT_EQ(number_at(first, "/dispatched"), 5);
  EXPECT_EQ(number_at(first, "/maxAttempts"), 5);
  ASSERT_EQ(first.at("items").as_array().size(), 5U);
  std::set<std::string> done;
  for (const json::value& item : first.at("items").as_array()) {
    EXPECT_EQ(text_at(item, "/status"), "SENT") << json::serialize(item);
    EXPECT_EQ(number_at(item, "/retryCount"), 0);
    EXPECT_TRUE(has(item, "/lastAttemptAt"));
    done.insert(text_at(item, "/id"));
  }
  // The oldest go first.
  EXPECT_EQ(done, std::set<std::string>(ids.begin(), ids.begin() + 5));
  EXPECT_EQ(captured_count(server->capture_folder()), 5U);

  const json::value rest = dispatch(*server, "/internal/dispatch", "{}");
  EXPECT_EQ(number_at(rest, "/dispatched"), 2);
  const json::value none = dispatch(*server, "/internal/dispatch", "");
  EXPECT_EQ(number_at(none, "/dispatched"), 0);
  EXPECT_EQ(captured_count(server->capture_folder()), 7U);
}

TEST_P(InTriggeredMode, a_large_batch_is_delivered_whole) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  for (int i = 0; i < 300; ++i)
    api.accept(mail_json("a" + std::to_string(i) + "@example.org"));
  const json::value all = dispatch(*server, "/internal/dispatch/batch", R"({"batchSize":1000})");
  EXPECT_EQ(number_at(all, "/dispatched"), 300);
  EXPECT_EQ(captured_count(server->capture_folder()), 300U);
}

TEST_P(InTriggeredMode, failures_are_reported_and_wait_for_their_time) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  const std::string retry = api.accept(mail_json(
      "a+transient@example.org", "x", R"("retry":{"strategy":"fixed","delaySeconds":600,"maxAttempts":3})"));
  const std::string dead = api.accept(mail_json("b+permanent@example.org"));
  const json::value report = dispatch(*server, "/internal/dispatch/batch", R"({"batchSize":50})");
  EXPECT_EQ(number_at(report, "/dispatched"), 2);
  for (const json::value& item : report.at("items").as_array()) {
    const bool is_retry = text_at(item, "/id") == retry;
    EXPECT_EQ(text_at(item, "/status"), is_retry ? "RETRY_PENDING" : "FAILED");
    EXPECT_EQ(number_at(item, "/retryCount"), 1);
    EXPECT_EQ(has(item, "/nextAttemptAt"), is_retry);
  }
  EXPECT_EQ(number_at(dispatch(*server, "/internal/dispatch/batch", "{}"), "/dispatched"), 0) << "not due";
}

TEST_P(InTriggeredMode, one_mail_goes_whatever_its_time) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  const std::string later = api.accept(mail_json("a@example.org", "x", due_in_a_month()));
  EXPECT_EQ(number_at(dispatch(*server, "/internal/dispatch", "{}"), "/dispatched"), 0);
  const json::value one = dispatch(*server, "/internal/dispatch/" + later, "");
  EXPECT_EQ(number_at(one, "/dispatched"), 1);
  EXPECT_EQ(text_at(one, "/items/0/status"), "SENT");
  dispatch(*server, "/internal/dispatch/" + later, "", 409);

  const std::string dead = api.accept(mail_json("b+permanent1@example.org"));
  dispatch(*server, "/internal/dispatch/" + dead, "");
  ASSERT_EQ(api.status(dead), "FAILED");
  const json::value again = dispatch(*server, "/internal/dispatch/" + dead, "");
  EXPECT_EQ(text_at(again, "/items/0/status"), "SENT") << "a FAILED one is opened again";

  const std::string cancelled = api.accept(mail_json("c@example.org"));
  ASSERT_EQ(server->del("/messages/" + cancelled).status, 204);
  dispatch(*server, "/internal/dispatch/" + cancelled, "", 409);
  dispatch(*server, "/internal/dispatch/0000000000001", "", 404);
}

TEST_P(InTriggeredMode, a_call_answers_at_its_deadline_and_the_rest_goes_on) {
  const auto server = start_server(kTriggered);
  const MailApi api(*server);
  const std::string stalled = api.accept(mail_json("a+stall@example.org"));
  const std::string good = api.accept(mail_json("b@example.org"));
  const auto began = std::chrono::steady_clock::now();
  const json::value report =
      dispatch(*server, "/internal/dispatch/batch", R"({"batchSize":10,"waitSeconds":1})");
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_GE(took, std::chrono::milliseconds{900});
  EXPECT_LT(took, std::chrono::seconds{15});
  EXPECT_EQ(number_at(report, "/dispatched"), 2);
  for (const json::value& item : report.at("items").as_array())
    EXPECT_EQ(text_at(item, "/status"), text_at(item, "/id") == good ? "SENT" : "QUEUED");
  dispatch(*server, "/internal/dispatch/" + stalled, "", 409);
  EXPECT_EQ(server->post("/internal/dispatch/batch", R"({"batchSize":1001})").status, 400);
  EXPECT_EQ(server->post("/internal/dispatch/batch", R"({"batchSize":0})").status, 400);
}

}  // namespace
}  // namespace eilbote::test::in_triggered_mode_mails_leave_only_when_asked
