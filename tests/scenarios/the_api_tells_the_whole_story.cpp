// The mail API of the running program on SQLite, end to end. Mails go out on command (triggered mode), so
// that every step can be seen before the next one.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>
#include <vector>

#include "support/eilbote_process.h"
#include "support/temp_folder.h"

namespace eilbote::test::the_api_tells_the_whole_story {
namespace {

namespace json = boost::json;

const HttpHeaders kJson{{"Content-Type", "application/json"}};

class TheApiTellsTheWholeStory : public testing::Test {
 protected:
  TheApiTellsTheWholeStory()
      : server_(folder_ / "data",
                {{"EILBOTE_DISPATCH", "triggered"}, {"EILBOTE_CAPTURE_FAULTS", "by-address"}}) {
    server_.start();
  }

  std::string send(const std::string& to, const std::string& extra = "") const {
    const HttpReply reply = server_.post("/messages", mail_json(to, "A word from a scenario", extra), kJson);
    EXPECT_EQ(reply.status, 202) << reply.body;
    return reply.status == 202 ? std::string(json::parse(reply.body).at("messageId").as_string()) : "";
  }
  json::value get(const std::string& path, int status = 200) const {
    const HttpReply reply = server_.get(path);
    EXPECT_EQ(reply.status, status) << path << "\n" << reply.body;
    return reply.body.empty() ? json::value() : json::parse(reply.body);
  }
  json::value post(const std::string& path, const std::string& body, int status = 200) const {
    const HttpReply reply = server_.post(path, body, body.empty() ? HttpHeaders{} : kJson);
    EXPECT_EQ(reply.status, status) << path << "\n" << reply.body;
    return json::parse(reply.body);
  }
  json::value dispatch() const { return post("/internal/dispatch/batch", R"({"batchSize":1000})"); }
  std::string state(const std::string& id) const {
    return std::string(get("/messages/" + id).at("status").as_string());
  }
  std::vector<std::string> list(const std::string& query) const {
    std::vector<std::string> ids;
    const json::value page = get("/messages?" + query);
    for (const auto& row : page.at("data").as_array())
      ids.emplace_back(row.at("messageId").as_string());
    return ids;
  }

  TempFolder folder_;
  EilboteProcess server_;
};

TEST_F(TheApiTellsTheWholeStory, of_a_mail_that_is_sent) {
  const HttpReply accepted =
      server_.post("/messages", mail_json("a@example.org"),
                   {{"Content-Type", "application/json; charset=utf-8"},
                    {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
                    {"X-Request-ID", "order 4711"}});
  ASSERT_EQ(accepted.status, 202) << accepted.body;
  const std::string id(json::parse(accepted.body).at("messageId").as_string());
  EXPECT_EQ(accepted.headers.at("location"), "/messages/" + id);
  EXPECT_TRUE(accepted.headers.at("traceparent").starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"));
  EXPECT_EQ(accepted.headers.at("traceparent").find("00f067aa0ba902b7"), std::string::npos);
  EXPECT_EQ(accepted.headers.at("x-request-id"), "order 4711");

  const json::value waiting = get("/messages/" + id);
  EXPECT_EQ(waiting.at("status"), "QUEUED");
  EXPECT_TRUE(waiting.at("details").as_object().contains("nextAttemptAt"));
  EXPECT_TRUE(get("/messages/" + id + "/attempts").at("data").as_array().empty());

  const json::value report = dispatch();
  EXPECT_EQ(report.at("dispatched"), 1);
  EXPECT_EQ(report.at("maxAttempts"), 5);
  EXPECT_EQ(report.at("items").at(0).at("id"), id.c_str());
  EXPECT_EQ(report.at("items").at(0).at("status"), "SENT");

  const json::value sent = get("/messages/" + id);
  EXPECT_EQ(sent.at("status"), "SENT");
  EXPECT_EQ(sent.at("details").at("retryCount"), 0);
  EXPECT_EQ(sent.at("details").at("recipients"),
            json::parse(R"([{"address":"a@example.org","kind":"to","status":"taken","reply":"captured"}])"));
  EXPECT_FALSE(sent.at("details").as_object().contains("nextAttemptAt"));
  const json::value attempts = get("/messages/" + id + "/attempts").at("data");
  ASSERT_EQ(attempts.as_array().size(), 1u);
  EXPECT_EQ(attempts.at(0).at("attemptNumber"), 1);
  EXPECT_EQ(attempts.at(0).at("status"), "SUCCESS");
  EXPECT_EQ(attempts.at(0).at("route"), "capture");
  EXPECT_EQ(attempts.at(0).at("deferral"), false);
  const json::value events = get("/messages/" + id + "/events").at("data");
  ASSERT_EQ(events.as_array().size(), 2u);
  EXPECT_TRUE(events.at(0).at("from").is_null());
  EXPECT_EQ(events.at(0).at("to"), "QUEUED");
  EXPECT_EQ(events.at(0).at("traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(events.at(1).at("to"), "SENT");
}

TEST_F(TheApiTellsTheWholeStory, of_an_idempotency_key) {
  HttpHeaders headers = kJson;
  headers.emplace_back("Idempotency-Key", "order-4711");
  const HttpReply first = server_.post("/messages", mail_json("a@example.org"), headers);
  const HttpReply again = server_.post("/messages", " " + mail_json("a@example.org") + "\n", headers);
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(first.body, again.body);
  EXPECT_FALSE(first.headers.contains("idempotency-replayed"));
  EXPECT_EQ(again.headers.at("idempotency-replayed"), "true");
  EXPECT_EQ(server_.post("/messages", mail_json("b@example.org"), headers).status, 409);
  EXPECT_EQ(list("").size(), 1u);
}

TEST_F(TheApiTellsTheWholeStory, of_twins_in_a_batch) {
  const std::string twin =
      mail_json("a@example.org", "A word from a scenario", R"("idempotencyKey":"order-4711")");
  const std::string other =
      mail_json("b@example.org", "A word from a scenario", R"("idempotencyKey":"order-4711")");
  const json::value reply = post("/messages/batch", "[" + twin + "," + twin + "," + other + "]", 202);
  const auto& results = reply.at("results").as_array();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].at("messageId"), results[1].at("messageId"));
  EXPECT_EQ(results[1].at("replayed"), true);
  EXPECT_EQ(results[2].at("status"), 409);
  // The key stands for the mail however it is sent.
  HttpHeaders headers = kJson;
  headers.emplace_back("Idempotency-Key", "order-4711");
  EXPECT_EQ(server_.post("/messages", mail_json("a@example.org"), headers).headers.at("idempotency-replayed"),
            "true");
  EXPECT_EQ(list("").size(), 1u);
}

TEST_F(TheApiTellsTheWholeStory, of_a_mail_that_is_cancelled) {
  const std::string id = send("a@example.org");
  EXPECT_EQ(server_.del("/messages/" + id).status, 204);
  EXPECT_EQ(state(id), "CANCELLED");
  EXPECT_EQ(server_.del("/messages/" + id).status, 409);
  EXPECT_EQ(dispatch().at("dispatched"), 0);
  post("/internal/dispatch/" + id, "", 409);
  const std::string sent = send("b@example.org");
  dispatch();
  EXPECT_EQ(server_.del("/messages/" + sent).status, 409);
}

TEST_F(TheApiTellsTheWholeStory, of_dead_mail) {
  const std::string id = send("a+permanent@example.org");
  EXPECT_EQ(dispatch().at("items").at(0).at("status"), "FAILED");
  const json::value dead = get("/messages/" + id);
  EXPECT_EQ(dead.at("details").at("deadReason"), "PermanentFailure");
  EXPECT_EQ(dead.at("details").at("lastError").at("class"), "permanent");
  EXPECT_FALSE(dead.at("details").at("lastError").at("code").as_string().empty());
  EXPECT_EQ(list("deadReason=PermanentFailure"), std::vector{id});
  EXPECT_EQ(list("status=FAILED&recipient=a%2Bpermanent@example.org"), std::vector{id});

  const json::value would =
      post("/messages/requeue", R"({"filter":{"deadReason":"PermanentFailure"},"dryRun":true})");
  EXPECT_EQ(would.at("matched"), 1);
  EXPECT_EQ(would.at("requeued"), 0);
  EXPECT_EQ(state(id), "FAILED");
  const json::value done = post("/messages/requeue", R"({"filter":{"deadReason":"PermanentFailure"}})");
  EXPECT_EQ(done.at("requeued"), 1);
  EXPECT_EQ(state(id), "QUEUED");
  const json::value refused = post("/messages/requeue", R"({"ids":[")" + id + R"(","0000000000000"]})");
  EXPECT_EQ(refused.at("refused"), 1);
  EXPECT_EQ(refused.at("notFound"), 1);
  post("/messages/" + id + "/retry", "", 409);

  EXPECT_EQ(post("/messages/" + id + "/abandon", "").at("status"), "FAILED");
  EXPECT_EQ(get("/messages/" + id).at("details").at("deadReason"), "Abandoned");
  EXPECT_EQ(post("/messages/" + id + "/retry", "").at("status"), "QUEUED");
  post("/messages/0000000000000/retry", "", 404);
}

TEST_F(TheApiTellsTheWholeStory, of_a_failed_message_dispatched_by_name) {
  const std::string id = send("a+transient1@example.org");
  const json::value first = post("/internal/dispatch/" + id, "");
  EXPECT_EQ(first.at("items").at(0).at("status"), "RETRY_PENDING");
  EXPECT_EQ(first.at("items").at(0).at("retryCount"), 1);
  EXPECT_TRUE(first.at("items").at(0).as_object().contains("nextAttemptAt"));
  EXPECT_EQ(list("status=RETRY_PENDING"), std::vector{id});
  EXPECT_EQ(dispatch().at("dispatched"), 0) << "it is not due yet";
  EXPECT_EQ(post("/internal/dispatch/" + id, "").at("items").at(0).at("status"), "SENT");
  post("/internal/dispatch/" + id, "", 409);
  post("/internal/dispatch/0000000000000", "", 404);
  EXPECT_EQ(get("/messages/" + id + "/attempts").at("data").as_array().size(), 2u);

  const std::string dead = send("b+permanent@example.org");
  EXPECT_EQ(post("/internal/dispatch/" + dead, "").at("items").at(0).at("status"), "FAILED");
  EXPECT_EQ(post("/internal/dispatch/" + dead, "").at("items").at(0).at("status"), "FAILED")
      << "opened again, failed again";
}

TEST_F(TheApiTellsTheWholeStory, of_candidates_without_dispatching_them) {
  const std::string id = send("a@example.org");
  const json::value named = post("/internal/dispatch", R"({"dryRun":true})");
  EXPECT_EQ(named.at("dispatched"), 0);
  ASSERT_EQ(named.at("items").as_array().size(), 1u);
  EXPECT_EQ(named.at("items").at(0).at("id"), id.c_str());
  EXPECT_EQ(state(id), "QUEUED");
}

TEST_F(TheApiTellsTheWholeStory, in_pages_and_by_filters) {
  std::vector<std::string> newest_first;
  for (int i = 0; i < 25; ++i) {
    const std::string parity = i % 2 == 0 ? "even" : "odd";
    newest_first.insert(newest_first.begin(), send("r" + std::to_string(i) + "@example.org",
                                                   R"("tags":[")" + parity + R"("],"campaignId":"c)" +
                                                       std::to_string(i / 10) + "\""));
  }
  std::vector<std::string> seen;
  std::string cursor;
  do {
    const json::value page = get("/messages?limit=7" + (cursor.empty() ? "" : "&cursor=" + cursor));
    EXPECT_LE(page.at("data").as_array().size(), 7u);
    for (const auto& row : page.at("data").as_array())
      seen.emplace_back(row.at("messageId").as_string());
    cursor = page.at("nextCursor").is_null() ? "" : std::string(page.at("nextCursor").as_string());
  } while (!cursor.empty());
  EXPECT_EQ(seen, newest_first);
  EXPECT_EQ(list("tag=odd").size(), 12u);
  EXPECT_EQ(list("campaignId=c2").size(), 5u);
  EXPECT_EQ(list("campaignId=c2&tag=even").size(), 3u);
  EXPECT_EQ(list("recipient=r7@example.org"), std::vector{newest_first[17]});
  EXPECT_EQ(list("recipient=R7@Example.ORG"), std::vector{newest_first[17]});
  EXPECT_EQ(list("createdTo=2020-06-01T00:00:00Z").size(), 0u);
  EXPECT_EQ(list("createdFrom=2020-06-01T00:00:00Z").size(), 25u);
  EXPECT_EQ(list("status=SENT").size(), 0u);
}

TEST_F(TheApiTellsTheWholeStory, of_itself) {
  EXPECT_EQ(get("/health/live").at("status"), "live");
  EXPECT_EQ(get("/health/ready").at("status"), "ready");
  EXPECT_EQ(get("/breakers").at("data").at(0).at("route"), "capture");
  EXPECT_EQ(get("/breakers").at("data").at(0).at("state"), "closed");
  send("a@example.org");
  EXPECT_NE(server_.get("/metrics").body.find("eilbote_messages_accepted_total 1"), std::string::npos);
  std::ostringstream contract;
  contract << std::ifstream(std::string(EILBOTE_SOURCE_DIR) + "/docs/openapi.yaml").rdbuf();
  const HttpReply served = server_.get("/openapi.yaml");
  EXPECT_EQ(served.headers.at("content-type"), "application/yaml");
  EXPECT_EQ(served.body, contract.str());
  const HttpReply wrong = server_.get("/nothing");
  EXPECT_EQ(wrong.status, 404);
  EXPECT_EQ(wrong.headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(server_.stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::the_api_tells_the_whole_story
