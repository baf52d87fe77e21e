// With a broker, jobs get to their workers by messages that name them: everything is delivered once, in order where there is one,
// at its time and within its limits; what is cancelled on the way is not started; dead jobs are told in letters; and while the
// broker is away work is accepted all the same.
#include <gtest/gtest.h>

#include <set>

#include "base/time.h"
#include "support/broker_scenario.h"
#include "support/eventually.h"
#include "support/hook_receiver.h"
#include "support/job_api.h"
#include "support/test_scale.h"

namespace eilbote::test::jobs_travel_by_a_broker {
namespace {

using namespace std::chrono_literals;

SCENARIO_WITH_EACH_BROKER(JobsByABroker);

constexpr int kGroups = 5, kNarrow = 3;

std::string in_batch(const std::vector<std::string>& jobs) {
  std::string batch = "[";
  for (const std::string& job : jobs)
    batch += (batch.size() > 1 ? "," : "") + job;
  return batch + "]";
}

// Hands jobs in, in pieces a batch takes; their ids, in order.
std::vector<std::string> hand_in(const JobApi& api, const std::vector<std::string>& jobs) {
  constexpr std::size_t kPiece = 100;
  std::vector<std::string> ids;
  for (std::size_t from = 0; from < jobs.size(); from += kPiece) {
    const std::size_t to = std::min(jobs.size(), from + kPiece);
    const json::value answer =
        api.post("/dispatch-jobs/batch", in_batch({jobs.begin() + static_cast<std::ptrdiff_t>(from),
                                                   jobs.begin() + static_cast<std::ptrdiff_t>(to)}));
    for (const json::value& result : answer.at("results").as_array()) {
      EXPECT_EQ(number_at(result, "/status"), 201) << json::serialize(result);
      ids.push_back(text_at(result, "/job/id"));
    }
  }
  return ids;
}

bool all_reach(const JobApi& api, const std::vector<std::string>& ids, const std::string& state) {
  return eventually(
      [&] {
        for (const std::string& id : ids)
          if (api.status(id) != state) return false;
        return true;
      },
      60s, 100ms);
}

std::string in_seconds(int seconds) {
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return to_rfc3339(now + std::chrono::seconds{seconds});
}

// Plain jobs, some that fail once, groups, and a pool that lets three through at a time.
std::vector<std::string> mixed_jobs(const std::string& url, int each) {
  std::vector<std::string> jobs;
  for (int i = 0; i < each; ++i)
    jobs.push_back(job_json(url, R"(,"retryStrategy":"immediate","maxRetries":3)" +
                                     receiver_headers({{"X-Name", "p" + std::to_string(i)},
                                                       {"X-Fail", i % 5 == 0 ? "1" : "0"}})));
  for (int i = 0; i < each; ++i) {
    const std::string group = "g" + std::to_string(i % kGroups), place = std::to_string(1 + i / kGroups);
    jobs.push_back(job_json(
        url,
        R"(,"mode":"BLOCK_ON_ERROR","messageGroup":")" + group + R"(","sequence":)" + place +
            receiver_headers({{"X-Name", "g" + std::to_string(i)}, {"X-Group", group}, {"X-Place", place}})));
  }
  return jobs;
}

TEST_P(JobsByABroker, are_delivered_once_and_in_order) {
  const int each = scaled(200, 40);
  History history;
  HookReceiver receiver(history, 2ms), narrow_receiver(history, 20ms);
  const auto server = start_server("all", {{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const JobApi api(*server);
  const MailApi mails(*server);
  ASSERT_TRUE(gets_connected(*server));
  api.post("/dispatch-pools", R"({"code":"narrow","name":"Narrow","concurrency":3})");
  const std::vector<std::string> ids = hand_in(api, mixed_jobs(receiver.url(), each));
  std::vector<std::string> narrow_jobs(20, job_json(narrow_receiver.url(), R"(,"dispatchPoolId":"narrow")"));
  const std::vector<std::string> narrow = hand_in(api, narrow_jobs);
  std::vector<std::string> mail_ids;
  for (int i = 0; i < each; ++i)
    mail_ids.push_back(mails.accept(
        mail_json("mail" + std::to_string(i) + (i % 10 == 0 ? "+transient1" : "") + "@example.org", "x",
                  R"("retry":{"strategy":"immediate"})")));
  ASSERT_TRUE(all_reach(api, ids, "COMPLETED"));
  ASSERT_TRUE(all_reach(api, narrow, "COMPLETED"));
  for (const std::string& id : mail_ids)
    ASSERT_TRUE(mails.reaches(id, "SENT")) << json::serialize(mails.message(id));

  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(receiver.deliveries(ids[i]), i < static_cast<std::size_t>(each) && i % 5 == 0 ? 2 : 1)
        << ids[i];
  EXPECT_EQ(narrow_receiver.deliveries(), static_cast<int>(narrow.size()));
  EXPECT_LE(narrow_receiver.most_at_once(), kNarrow);
  EXPECT_EQ(captured_count(server->capture_folder()), mail_ids.size());
  if (on_postgres()) {
    add_captured({server->capture_folder()}, history);
    add_stored(*open_sql(), history);
    EXPECT_EQ(expect_history_holds(history).duplicates, 0);
  }

  // They went by the broker, each attempt by one message; those of the limited pool did not.
  const double hooks = each * 2 + (each + 4) / 5, mailed = each + (each + 9) / 10;
  const std::string by_hooks = R"(queue="dispatch.jobs.send")", by_mail = R"(queue="email.dispatcher.send")";
  // One that found no room goes back to the database, and comes again.
  const double put_back = mails.metric("eilbote_broker_messages_total", R"(outcome="put-back")");
  EXPECT_TRUE(eventually([&] {
    return mails.metric("eilbote_broker_published_total", by_hooks) +
               mails.metric("eilbote_broker_published_total", by_mail) ==
           hooks + mailed + put_back;
  }));
  EXPECT_EQ(mails.counted(hooks + mailed, "eilbote_broker_messages_total", R"(outcome="started")"),
            hooks + mailed);
  EXPECT_EQ(mails.metric("eilbote_broker_messages_total", R"(outcome="malformed")"), 0);
  EXPECT_EQ(mails.metric("eilbote_broker_republished_total"), 0);
  EXPECT_EQ(mails.metric("eilbote_settle_stale_total"), 0);
  EXPECT_EQ(server->stop(), 0);
  for (const CarrierQueue queue : {CarrierQueue::mail_send, CarrierQueue::webhook_send})
    EXPECT_EQ(broker().depth(queue), 0) << "every message was acknowledged";
}

// Nobody consumes while an instance has the role of the API only.
TEST_P(JobsByABroker, are_said_to_be_queued_once_the_broker_has_them_and_can_be_cancelled_there) {
  History history;
  HookReceiver receiver(history);
  std::string kept, next, cancelled, later;
  {
    const auto front = start_server("api");
    ASSERT_TRUE(gets_connected(*front));
    const JobApi api(*front);
    const auto sql = open_sql();
    kept = api.accept(job_json(receiver.url()));
    ASSERT_TRUE(eventually([&] { return row_status(*sql, kept) == "published"; }));
    // The first one may have waited for the queues to be made; this one is answered when the broker has it.
    const HttpReply reply = front->post("/dispatch-jobs", job_json(receiver.url()));
    ASSERT_EQ(reply.status, 201) << reply.body;
    EXPECT_EQ(text_at(json::parse(reply.body), "/status"), "QUEUED") << reply.body;
    next = text_at(json::parse(reply.body), "/id");
    cancelled = api.accept(job_json(receiver.url()));
    const HttpReply in_time = front->post(
        "/dispatch-jobs", job_json(receiver.url(), R"(,"scheduledFor":")" + in_seconds(4) + "\""));
    EXPECT_EQ(text_at(json::parse(in_time.body), "/status"), "PENDING") << in_time.body;
    later = text_at(json::parse(in_time.body), "/id");
    ASSERT_TRUE(eventually([&] { return broker().depth(CarrierQueue::webhook_send) == 3; }));
    api.post("/dispatch-jobs/" + cancelled + "/cancel");
    EXPECT_EQ(api.status(cancelled), "CANCELLED");
    EXPECT_EQ(front->stop(), 0);
  }
  const auto server = start_server();
  const JobApi api(*server);
  ASSERT_TRUE(api.reaches(kept, "COMPLETED"));
  ASSERT_TRUE(api.reaches(next, "COMPLETED"));
  ASSERT_TRUE(api.reaches(later, "COMPLETED"));
  EXPECT_GE(text_at(api.job(later), "/completedAt"), text_at(api.job(later), "/scheduledFor"));
  EXPECT_TRUE(eventually([&] {
    return MailApi(*server).metric("eilbote_broker_messages_total", R"(outcome="stale")") == 1;
  })) << "the message about the one that was cancelled";
  EXPECT_EQ(receiver.deliveries(), 3);
  EXPECT_EQ(receiver.deliveries(cancelled), 0);
  EXPECT_EQ(api.status(cancelled), "CANCELLED");
}

TEST_P(JobsByABroker, are_accepted_while_it_is_away_and_delivered_when_it_is_back) {
  History history;
  HookReceiver receiver(history);
  broker().stop();
  const auto server = start_server();
  const JobApi api(*server);
  const MailApi mails(*server);
  const HttpReply ready = server->get("/health/ready");
  EXPECT_EQ(ready.status, 200) << "new work is taken all the same";
  EXPECT_EQ(text_at(json::parse(ready.body), "/status"), "degraded") << ready.body;
  EXPECT_EQ(mails.metric("eilbote_broker_connected"), 0);
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    const HttpReply reply = server->post("/dispatch-jobs", job_json(receiver.url()));
    ASSERT_EQ(reply.status, 201) << reply.body;
    EXPECT_EQ(text_at(json::parse(reply.body), "/status"), "PENDING");
    ids.push_back(text_at(json::parse(reply.body), "/id"));
  }
  const std::string mail = mails.accept(mail_json("a@example.org"));
  EXPECT_TRUE(throughout([&] { return api.status(ids[0]) == "PENDING" && receiver.deliveries() == 0; }, 2s));
  EXPECT_EQ(mails.status(mail), "QUEUED");

  broker().start();
  ASSERT_TRUE(all_reach(api, ids, "COMPLETED"));
  ASSERT_TRUE(mails.reaches(mail, "SENT"));
  EXPECT_EQ(receiver.deliveries(), 5);
  EXPECT_EQ(captured_count(server->capture_folder()), 1U);
  EXPECT_TRUE(eventually(
      [&] { return text_at(json::parse(server->get("/health/ready").body), "/status") == "ready"; }));
  EXPECT_EQ(mails.counted(1, "eilbote_broker_connected"), 1);
}

// What a person or a program needs to act on a dead job.
void expect_letter(const std::string& text, const std::string& id, const std::string& key,
                   const std::string& reason, const std::string& error) {
  const json::value letter = json::parse(text);
  EXPECT_EQ(text_at(letter, "/EmailId"), id) << text;
  EXPECT_EQ(text_at(letter, "/MessageKey"), key) << text;
  EXPECT_EQ(number_at(letter, "/attempt"), 1) << text;
  EXPECT_EQ(text_at(letter, "/deadReason"), reason) << text;
  EXPECT_FALSE(text_at(letter, "/lastError").empty()) << text;
  EXPECT_NE(text_at(letter, "/lastError").find(error), std::string::npos) << text;
  EXPECT_TRUE(parse_rfc3339(text_at(letter, "/failedAt"))) << text;
  EXPECT_EQ(letter.as_object().size(), 6U) << text;
}

TEST_P(JobsByABroker, that_died_are_told_in_letters) {
  History history;
  HookReceiver receiver(history);
  const auto server = start_server("all", {{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const JobApi api(*server);
  const MailApi mails(*server);
  const std::string mail =
      mails.accept(mail_json("a+permanent@example.org"), {{"Idempotency-Key", "order-77"}});
  const std::string job = api.accept(job_json(receiver.url(), receiver_headers({{"X-Refuse", "1"}})));
  mails.accept(mail_json("fine@example.org"));
  ASSERT_TRUE(mails.reaches(mail, "FAILED"));
  ASSERT_TRUE(api.reaches(job, "ERROR"));
  expect_letter(broker().read(CarrierQueue::mail_dead, 1).at(0), mail, "order-77", "PermanentFailure", "554");
  expect_letter(broker().read(CarrierQueue::webhook_dead, 1).at(0), job, job, "PermanentFailure", "");

  // Sent again by a person it dies anew, and is told anew.
  api.post("/dispatch-jobs/" + job + "/retry");
  const std::string again = broker().read(CarrierQueue::webhook_dead, 1).at(0);
  EXPECT_EQ(text_at(json::parse(again), "/EmailId"), job);
  EXPECT_EQ(receiver.deliveries(job), 2);
  EXPECT_TRUE(eventually([&] { return mails.metric("eilbote_dead_letters_total") == 3; }));
  EXPECT_TRUE(throughout([&] { return mails.metric("eilbote_dead_letters_total") == 3; }, 2s)) << "each once";
  EXPECT_EQ(server->stop(), 0);
  EXPECT_EQ(broker().depth(CarrierQueue::mail_dead), 0);
  EXPECT_EQ(broker().depth(CarrierQueue::webhook_dead), 0);
}

}  // namespace
}  // namespace eilbote::test::jobs_travel_by_a_broker
