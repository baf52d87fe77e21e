// Requests with one Idempotency-Key and one body, however parallel, make one message; another body under that key is
// refused. The same holds inside one batch.
#include <gtest/gtest.h>

#include <barrier>
#include <map>
#include <set>
#include <thread>

#include "support/captured_mail.h"
#include "support/test_store.h"

namespace eilbote::test::twins_by_idempotency_key_make_one_message {
namespace {

SCENARIO_ON_EACH_STORE(TwinsByIdempotencyKey);

constexpr int kTwins = 100;

std::vector<HttpReply> post_in_parallel(const EilboteProcess& server, const std::vector<std::string>& bodies,
                                        const std::string& key) {
  std::vector<HttpReply> replies(bodies.size());
  std::barrier start(static_cast<std::ptrdiff_t>(bodies.size()));
  std::vector<std::jthread> clients;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    clients.emplace_back([&, i] {
      start.arrive_and_wait();
      replies[i] = server.post("/messages", bodies[i], {{"Idempotency-Key", key}});
    });
  clients.clear();
  return replies;
}

TEST_P(TwinsByIdempotencyKey, a_hundred_at_once_make_one_message_and_99_replays) {
  const auto server = start_server();
  const MailApi api(*server);
  const auto replies = post_in_parallel(
      *server, std::vector<std::string>(kTwins, mail_json("twin@example.org")), "the-same-key");
  std::set<std::string> ids;
  int replayed = 0;
  for (const HttpReply& reply : replies) {
    ASSERT_EQ(reply.status, 202) << reply.body << reply.trouble;
    ids.insert(text_at(json::parse(reply.body), "/messageId"));
    if (reply.headers.contains("idempotency-replayed")) {
      EXPECT_EQ(reply.headers.at("idempotency-replayed"), "true");
      ++replayed;
    }
  }
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_EQ(replayed, kTwins - 1);
  ASSERT_TRUE(api.reaches(*ids.begin(), "SENT"));
  EXPECT_EQ(api.list().size(), 1U);
  EXPECT_EQ(captured_count(server->capture_folder()), 1U);
  EXPECT_EQ(api.counted(1, "eilbote_messages_accepted_total"), 1);
  EXPECT_EQ(api.counted(kTwins - 1, "eilbote_idempotent_replays_total"), kTwins - 1);
}

TEST_P(TwinsByIdempotencyKey, of_two_bodies_at_once_one_wins_and_the_other_is_a_conflict) {
  const auto server = start_server();
  const MailApi api(*server);
  std::vector<std::string> bodies;
  for (int i = 0; i < kTwins; ++i)
    bodies.push_back(mail_json(i % 2 == 0 ? "even@example.org" : "odd@example.org"));
  const auto replies = post_in_parallel(*server, bodies, "contested-key");
  std::map<int, int> count;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    ++count[replies[i].status];
    if (replies[i].status == 202) ids.insert(text_at(json::parse(replies[i].body), "/messageId"));
    if (replies[i].status == 409) {
      EXPECT_EQ(replies[i].headers.at("content-type"), "application/problem+json");
    }
  }
  EXPECT_EQ(count[202], kTwins / 2);
  EXPECT_EQ(count[409], kTwins / 2);
  EXPECT_EQ(ids.size(), 1U);
  EXPECT_EQ(api.list().size(), 1U);
}

TEST_P(TwinsByIdempotencyKey, a_later_twin_is_told_the_first_answer_also_after_a_restart) {
  const auto server = start_server();
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("a@example.org"), {{"Idempotency-Key", "remember-me"}});
  // The same JSON in another order and with other white space is the same request.
  const std::string reordered =
      R"({ "body": {"text": "Guten Tag"}, "subject": "A word from a scenario", "to": ["a@example.org"], "from": "sender@example.org" })";
  const auto check = [&] {
    const HttpReply same = server->post("/messages", reordered, {{"Idempotency-Key", "remember-me"}});
    EXPECT_EQ(same.status, 202) << same.body;
    EXPECT_EQ(text_at(json::parse(same.body), "/messageId"), id);
    EXPECT_EQ(same.headers.count("idempotency-replayed"), 1U);
    const HttpReply other =
        server->post("/messages", mail_json("other@example.org"), {{"Idempotency-Key", "remember-me"}});
    EXPECT_EQ(other.status, 409) << other.body;
  };
  check();
  server->kill_hard();
  server->start();
  check();
  EXPECT_EQ(api.list().size(), 1U);
}

std::string batch_of(const std::vector<std::string>& items) {
  std::string all = R"({"messages":[)";
  for (std::size_t i = 0; i < items.size(); ++i)
    all += (i == 0 ? "" : ",") + items[i];
  return all + "]}";
}

TEST_P(TwinsByIdempotencyKey, inside_one_batch_make_one_message_too) {
  const auto server = start_server();
  const MailApi api(*server);
  std::vector<std::string> items;
  for (int i = 0; i < kTwins; ++i)
    items.push_back(
        mail_json("twin@example.org", "A word from a scenario", R"("idempotencyKey":"batch-key-1")"));
  items.push_back(
      mail_json("other@example.org", "A word from a scenario", R"("idempotencyKey":"batch-key-1")"));
  items.push_back(mail_json("alone@example.org"));
  items.push_back(R"({"from":"sender@example.org","to":[],"subject":"x","body":{"text":"y"}})");
  const HttpReply reply = server->post("/messages/batch", batch_of(items));
  ASSERT_EQ(reply.status, 202) << reply.body;
  const json::array results = json::parse(reply.body).at("results").as_array();
  ASSERT_EQ(results.size(), items.size());
  std::set<std::string> ids;
  int replayed = 0;
  for (int i = 0; i < kTwins; ++i) {
    const json::value& result = results[static_cast<std::size_t>(i)];
    EXPECT_EQ(number_at(result, "/status"), 202) << json::serialize(result);
    ids.insert(text_at(result, "/messageId"));
    if (text_at(result, "/replayed") == "true") ++replayed;
  }
  EXPECT_EQ(ids.size(), 1U);
  EXPECT_EQ(replayed, kTwins - 1);
  EXPECT_EQ(number_at(results[kTwins], "/status"), 409) << json::serialize(results[kTwins]);
  EXPECT_EQ(number_at(results[kTwins + 1], "/status"), 202);
  // One bad request in a batch fails alone.
  EXPECT_EQ(number_at(results[kTwins + 2], "/status"), 400) << json::serialize(results[kTwins + 2]);
  EXPECT_EQ(api.list().size(), 2U);
}

}  // namespace
}  // namespace eilbote::test::twins_by_idempotency_key_make_one_message
