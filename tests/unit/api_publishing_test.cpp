// With a broker: new webhook jobs are answered when it has them or the patience is over, states say PENDING while it has not, and
// a broker that is away is told by /health/ready and by /jobs/{id}/why.
#include "api/publishing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/tsid.h"
#include "support/api_world.h"
#include "support/eventually.h"

namespace eilbote::test::api_publishing_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace json = boost::json;

json::object new_job(const json::object& changes = {}) {
  json::object job{{"source", "shop"},
                   {"code", "shop:orders:order:created"},
                   {"targetUrl", "https://hooks.example.org/orders"},
                   {"payload", R"({"status":"a text with a } in it"})"}};
  for (const auto& member : changes)
    job[member.key()] = member.value();
  return job;
}

json::object body_of(const HttpResponse& response) {
  return json::parse(response.body).as_object();
}

std::string status_of(const json::object& job) {
  return std::string(job.at("status").as_string());
}

bool is_answered(std::future<HttpResponse>& answer) {
  return answer.wait_for(0s) == std::future_status::ready;
}

class ApiPublishing : public testing::Test {
 protected:
  std::future<HttpResponse> post(const json::object& job) {
    return world_.ask("POST", "/dispatch-jobs", json::serialize(job));
  }
  // Answered at once, without a question to the publisher.
  std::string status_at_once(const json::object& job) {
    auto answer = post(job);
    EXPECT_THAT(world_.publisher.take_asked(), IsEmpty());
    if (answer.wait_for(10s) != std::future_status::ready) return "no answer";
    return status_of(body_of(answer.get()));
  }
  std::string why(JobStatus status, const std::string& pool = std::string(kWebhookPool)) {
    JobRecord record;
    record.job.id = JobId{4711};
    record.job.channel = ChannelKind::webhook;
    record.job.pool = pool;
    record.job.status = status;
    record.job.next_attempt_at = record.job.updated_at = world_.clock.now();
    record.webhook.emplace();
    world_.outbox.record = record;
    return std::string(
        body_of(world_.ask("GET", "/jobs/" + to_text(JobId{4711}) + "/why").get()).at("why").as_string());
  }

  ApiWorld world_;
};

TEST_F(ApiPublishing, a_job_is_answered_once_the_broker_has_it) {
  for (const bool published : {true, false}) {
    auto answer = post(new_job());
    auto asked = world_.publisher.take_asked();
    ASSERT_THAT(asked, SizeIs(1));
    EXPECT_FALSE(is_answered(answer)) << "before the broker was heard of";
    EXPECT_EQ(asked[0].wait, 250ms);
    asked[0].done(published);
    ASSERT_TRUE(is_answered(answer));
    const HttpResponse response = answer.get();
    EXPECT_EQ(response.status, 201);
    const json::object job = body_of(response);
    EXPECT_EQ(status_of(job), published ? "QUEUED" : "PENDING");
    EXPECT_EQ(job.at("id").as_string(), to_text(asked[0].id));
    EXPECT_EQ(job.at("payload").as_string(), R"({"status":"a text with a } in it"})");
  }
}

TEST_F(ApiPublishing, the_answer_has_the_same_members_whether_it_waited_or_not) {
  auto answer = post(new_job());
  world_.publisher.take_asked().at(0).done(true);
  const json::object waited = body_of(answer.get());
  const json::object at_once = body_of(post(new_job({{"scheduledFor", "2026-01-01T12:00:00Z"}})).get());
  std::set<std::string> one, other;
  for (const auto& member : waited)
    one.insert(std::string(member.key()));
  for (const auto& member : at_once)
    other.insert(std::string(member.key()));
  EXPECT_EQ(one, other);
}

TEST_F(ApiPublishing, each_item_of_a_batch_has_its_own_state) {
  auto answer =
      world_.ask("POST", "/dispatch-jobs/batch",
                 json::serialize(json::array{new_job(), new_job({{"dispatchPoolId", "slow"}}), new_job()}));
  std::vector<PublisherByHand::Asked> asked;
  ASSERT_TRUE(eventually([&] {
    for (auto& one : world_.publisher.take_asked())
      asked.push_back(std::move(one));
    return asked.size() == 2;
  }));
  asked[1].done(true);
  EXPECT_FALSE(is_answered(answer));
  asked[0].done(false);
  const json::object body = body_of(answer.get());
  std::vector<std::string> states;
  for (const json::value& result : body.at("results").as_array())
    states.push_back(status_of(result.at("job").as_object()));
  EXPECT_THAT(states, testing::ElementsAre("PENDING", "PENDING", "QUEUED"));
}

TEST_F(ApiPublishing, what_does_not_go_into_the_broker_now_is_pending_at_once) {
  EXPECT_EQ(status_at_once(new_job({{"scheduledFor", "2026-01-01T12:00:00Z"}})), "PENDING");
  EXPECT_EQ(status_at_once(new_job({{"messageGroup", "orders"}, {"mode", "BLOCK_ON_ERROR"}})), "PENDING");
  EXPECT_EQ(status_at_once(new_job({{"dispatchPoolId", "slow"}})), "PENDING");
  EXPECT_EQ(status_at_once(new_job({{"dispatchPoolId", "closed"}})), "PENDING");
  world_.transport.now = {false, "refused"};
  EXPECT_EQ(status_at_once(new_job()), "PENDING");
}

TEST_F(ApiPublishing, without_a_broker_a_new_job_is_queued_at_once) {
  world_.settings.broker = nullptr;
  world_.with_publisher = nullptr;
  EXPECT_EQ(status_at_once(new_job()), "QUEUED");
}

TEST_F(ApiPublishing, a_broker_that_is_away_is_degraded_and_not_unready) {
  const auto ready = [&] { return world_.ask("GET", "/health/ready").get(); };
  EXPECT_EQ(ready().body, R"({"status":"ready"})");
  world_.transport.now = {false, "rabbit.example.org:5672: connection refused"};
  const HttpResponse away = ready();
  EXPECT_EQ(away.status, 200);
  EXPECT_EQ(status_of(body_of(away)), "degraded");
  EXPECT_THAT(std::string(body_of(away).at("detail").as_string()), HasSubstr("connection refused"));
  world_.transport.now = {true, "", false, "email.dispatcher.send: ACCESS_REFUSED"};
  const HttpResponse deaf = ready();
  EXPECT_EQ(status_of(body_of(deaf)), "degraded") << "a worker that gets no work";
  EXPECT_THAT(std::string(body_of(deaf).at("detail").as_string()),
              "no messages come from the broker: email.dispatcher.send: ACCESS_REFUSED");
  world_.outbox.away = Error{ErrorKind::unavailable, "the database is away"};
  EXPECT_EQ(ready().status, 503);
}

TEST_F(ApiPublishing, why_a_job_is_not_running_names_the_broker) {
  EXPECT_EQ(why(JobStatus::published),
            "it lies in the broker's queue, since 2026-01-01T00:00:00.000Z, and waits for a worker");
  EXPECT_EQ(why(JobStatus::publishing), "it is being handed to the broker");
  EXPECT_THAT(why(JobStatus::queued), HasSubstr("this instance has the role api"));
  world_.transport.now = {false, "connection refused"};
  EXPECT_EQ(why(JobStatus::queued), "it waits to be published: the broker is away (connection refused)");
  EXPECT_EQ(why(JobStatus::published),
            "it lies in the broker's queue, since 2026-01-01T00:00:00.000Z; the broker is away (connection "
            "refused)");
  EXPECT_THAT(why(JobStatus::queued, "slow"), HasSubstr("this instance has the role api"))
      << "jobs of a limited pool do not travel";
}

TEST_F(ApiPublishing, a_dispatch_is_refused_before_anything_is_changed_where_nobody_delivers) {
  world_.settings.delivers_nothing = delivers_nothing("api");
  JobRecord dead;
  dead.job.id = JobId{4711};
  dead.job.status = JobStatus::failed;
  world_.outbox.record = dead;
  for (const std::string& target :
       {std::string("/internal/dispatch"), "/internal/dispatch/" + to_text(JobId{4711})}) {
    const HttpResponse refused = world_.ask("POST", target, "{}").get();
    EXPECT_EQ(refused.status, 503) << target;
    EXPECT_THAT(refused.body, HasSubstr("this instance has the role api and delivers nothing")) << target;
  }
  EXPECT_EQ(world_.outbox.acts, 0) << "a dead mail was opened again for nobody";
}

TEST(ApiPublishingText, the_status_comes_last_and_once) {
  EXPECT_EQ(without_status({{"id", "1"}, {"status", "PENDING"}, {"payload", "status"}}),
            R"({"id":"1","payload":"status")");
}

}  // namespace
}  // namespace eilbote::test::api_publishing_test
