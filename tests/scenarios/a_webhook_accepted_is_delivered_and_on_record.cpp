// A webhook job accepted over HTTP is delivered once, signed with its account's key, and everything that happened is on
// record under the names it came with.
#include <gtest/gtest.h>

#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/test_store.h"

namespace eilbote::test::a_webhook_accepted_is_delivered_and_on_record {
namespace {

SCENARIO_ON_EACH_STORE(AWebhook);

std::string account(const JobApi& api, const std::string& code, const std::string& extra = "") {
  const json::value made = api.post(
      "/service-accounts", R"({"code":")" + code + R"(","name":"Test","clientIds":["local"])" + extra + "}");
  return text_at(made, "/serviceAccount/id");
}

TEST_P(AWebhook, is_delivered_once_with_its_credentials_and_its_signature) {
  ScriptedHttp endpoint;
  const auto server = start_server();
  const JobApi api(*server);
  const std::string sender = account(api, "shop");
  const std::string id = api.accept(job_json(
      endpoint.url(), R"(,"serviceAccountId":")" + sender +
                          R"(","headers":{"X-Custom":"value"},"metadata":{"customer_id":"cust_789"})"));
  ASSERT_TRUE(api.reaches(id, "COMPLETED")) << json::serialize(api.job(id));
  const auto seen = endpoint.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].body, R"({"order":1})");
  EXPECT_EQ(seen[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(seen[0].headers.at("x-custom"), "value");
  EXPECT_EQ(seen[0].headers.at("webhook-id"), id);
  EXPECT_TRUE(seen[0].headers.at("webhook-signature").starts_with("v1,"));
  EXPECT_TRUE(seen[0].headers.at("authorization").starts_with("Bearer fc_"));
  const json::value job = api.job(id);
  EXPECT_EQ(number_at(job, "/attemptCount"), 1);
  EXPECT_EQ(text_at(job, "/attempts/0/status"), "SUCCESS");
  EXPECT_EQ(number_at(job, "/attempts/0/responseCode"), 200);
  EXPECT_EQ(text_at(job, "/attempts/0/responseBody"), "ok");
  EXPECT_EQ(text_at(job, "/metadata/0/value"), "cust_789");
  EXPECT_EQ(text_at(job, "/payload"), R"({"order":1})");
  EXPECT_FALSE(text_at(job, "/completedAt").empty());
}

TEST_P(AWebhook, is_tried_again_after_a_failure_and_dies_of_a_refusal) {
  ScriptedHttp flaky({.scenes = {{.answer = http_answer(503, "later")}, {}}});
  ScriptedHttp wall({.scenes = {{.answer = http_answer(400, "no")}}});
  const auto server = start_server();
  const JobApi api(*server);
  const std::string again = api.accept(job_json(flaky.url(), R"(,"retryStrategy":"immediate")"));
  const std::string refused = api.accept(job_json(wall.url()));
  ASSERT_TRUE(api.reaches(again, "COMPLETED")) << json::serialize(api.job(again));
  EXPECT_EQ(number_at(api.job(again), "/attemptCount"), 2);
  EXPECT_EQ(text_at(api.job(again), "/attempts/0/errorType"), "TRANSIENT");
  ASSERT_TRUE(api.reaches(refused, "ERROR"));
  const json::value dead = api.job(refused);
  EXPECT_EQ(text_at(dead, "/deadReason"), "PermanentFailure");
  EXPECT_EQ(text_at(dead, "/attempts/0/status"), "CLIENT_ERROR");
  EXPECT_EQ(text_at(dead, "/attempts/0/errorType"), "PERMANENT");
  EXPECT_EQ(wall.seen().size(), 1U);
  // A person sends it again.
  EXPECT_EQ(number_at(api.post("/dispatch-jobs/requeue", R"({"filter":{},"dryRun":true})"), "/matched"), 1);
  api.post("/dispatch-jobs/" + refused + "/retry");
  EXPECT_TRUE(eventually([&] { return wall.seen().size() == 2; }));
}

TEST_P(AWebhook, with_a_key_is_accepted_once) {
  ScriptedHttp endpoint;
  const auto server = start_server();
  const JobApi api(*server);
  const std::string job = job_json(endpoint.url(), R"(,"idempotencyKey":"order-1")");
  const std::string id = api.accept(job);
  const HttpReply twin = server->post("/dispatch-jobs", job);
  EXPECT_EQ(twin.status, 200);
  EXPECT_EQ(text_at(json::parse(twin.body), "/id"), id);
  EXPECT_EQ(
      server->post("/dispatch-jobs", job_json(endpoint.url(), R"(,"idempotencyKey":"order-1","subject":"x")"))
          .status,
      409);
  ASSERT_TRUE(api.reaches(id, "COMPLETED"));
  EXPECT_EQ(endpoint.seen().size(), 1U);
}

TEST_P(AWebhook, in_a_suspended_pool_waits_and_says_why) {
  ScriptedHttp endpoint;
  const auto server = start_server();
  const JobApi api(*server);
  api.post("/dispatch-pools", R"({"code":"slow","name":"Slow","concurrency":2})");
  api.post("/dispatch-pools/slow/suspend");
  const std::string id = api.accept(job_json(endpoint.url(), R"(,"dispatchPoolId":"slow")"));
  EXPECT_TRUE(eventually([&] {
    return text_at(MailApi(*server).read("/jobs/" + id + "/why"), "/why").find("suspended") !=
           std::string::npos;
  }));
  EXPECT_TRUE(endpoint.seen().empty());
  api.post("/dispatch-pools/slow/activate");
  EXPECT_TRUE(api.reaches(id, "COMPLETED"));
}

TEST_P(AWebhook, that_names_what_is_not_there_is_refused) {
  const auto server = start_server();
  const auto refused = [&](const std::string& extra) {
    return server->post("/dispatch-jobs", job_json("http://127.0.0.1:9/hook", extra));
  };
  EXPECT_EQ(refused(R"(,"dispatchPoolId":"nowhere")").status, 422);
  EXPECT_EQ(refused(R"(,"serviceAccountId":"0HZXEQ5Y8JY22")").status, 422);
  EXPECT_EQ(refused(R"(,"schemaId":"0HZXEQ5Y8JY22")").status, 422);
  EXPECT_EQ(refused(R"(,"targetUrls":"x")").status, 400);
}

TEST_P(AWebhook, that_is_cancelled_while_it_runs_is_not_tried_again) {
  ScriptedHttp endpoint({.scenes = {{.answer = http_answer(500), .before_answer = std::chrono::seconds{2}}}});
  const auto server = start_server();
  const JobApi api(*server);
  const std::string id = api.accept(job_json(endpoint.url(), R"(,"retryStrategy":"immediate")"));
  ASSERT_TRUE(api.reaches(id, "IN_PROGRESS"));
  api.post("/dispatch-jobs/" + id + "/cancel");
  ASSERT_TRUE(api.reaches(id, "CANCELLED")) << json::serialize(api.job(id));
  EXPECT_EQ(endpoint.seen().size(), 1U);
  EXPECT_EQ(server->post("/dispatch-jobs/" + id + "/cancel", "").status, 409);
}

}  // namespace
}  // namespace eilbote::test::a_webhook_accepted_is_delivered_and_on_record
