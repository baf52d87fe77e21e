// A worker may get a message before the scheduler has marked its job as published, or after that scheduler has died: it starts
// the job at once, and what the scheduler says later changes nothing.
#include <gtest/gtest.h>

#include "domain/tsid.h"
#include "support/broker_scenario.h"
#include "support/eventually.h"

namespace eilbote::test::a_message_faster_than_its_mark_is_started {
namespace {

using namespace std::chrono_literals;

SCENARIO_WITH_RABBITMQ(AMessageFasterThanItsMark);

std::string number_of(const std::string& id) {
  return std::to_string(parse_job_id(id)->value());
}

std::string message(const std::string& id, int attempt) {
  return R"({"EmailId":")" + id + R"(","MessageKey":")" + id + R"(","attempt":)" + std::to_string(attempt) +
         "}";
}

// Mails are accepted by an instance in triggered mode, so that nobody but this test publishes them. The row is made what it is
// between a publish and its mark: `publishing`, leased to an instance that lives and says nothing.
class BetweenPublishAndMark : public BrokerScenario {
 protected:
  std::string put_between(EilboteProcess& server, RawSql& sql) {
    const std::string id = MailApi(server).accept(mail_json("a@example.org"));
    const std::string epoch = sql.rows(
        "INSERT INTO instances (name, lease_until) VALUES ('a scheduler', now() + interval '1 hour') "
        "RETURNING epoch")[0][0];
    EXPECT_EQ(sql.run("UPDATE outbox SET status = 'publishing', lease_token = " + epoch +
                      "::bigint << 32 WHERE status = 'queued' AND id = " + number_of(id)),
              1);
    return id;
  }
};
INSTANTIATE_TEST_SUITE_P(Brokers, BetweenPublishAndMark,
                         testing::Values(BrokerCase{BrokerKind::rabbitmq, StoreKind::postgres}),
                         broker_case_name);

const Settings kTriggered{{"EILBOTE_DISPATCH", "triggered"}};

TEST_P(BetweenPublishAndMark, a_job_is_started_at_once) {
  const auto front = start_server("api", kTriggered, "front"), worker = start_server("worker", {}, "worker");
  const auto sql = open_sql();
  const std::string id = put_between(*front, *sql);
  broker().publish(CarrierQueue::mail_send, {message(id, 1)});
  ASSERT_TRUE(MailApi(*front).reaches(id, "SENT", 10s)) << row_status(*sql, id);
  EXPECT_EQ(MailApi(*worker).counted(1, "eilbote_broker_messages_total", R"(outcome="started")"), 1);
  EXPECT_EQ(captured_count(worker->capture_folder()), 1U);
}

TEST_P(BetweenPublishAndMark, only_the_message_of_this_attempt_starts_it) {
  const auto front = start_server("api", kTriggered, "front"), worker = start_server("worker", {}, "worker");
  const MailApi watched(*worker);
  const auto sql = open_sql();
  const std::string id = put_between(*front, *sql);
  broker().publish(CarrierQueue::mail_send, {message(id, 2)});
  EXPECT_TRUE(
      eventually([&] { return watched.metric("eilbote_broker_messages_total", R"(outcome="stale")") == 1; }));
  EXPECT_EQ(row_status(*sql, id), "publishing");
  EXPECT_EQ(captured_count(worker->capture_folder()), 0U);
}

// The scheduler's mark waits at the row's lock while the message travels: the worker waits for the row too, instead of passing
// it over, and starts it when it is free.
TEST_P(AMessageFasterThanItsMark, waits_for_the_row_that_somebody_holds) {
  const auto front = start_server("api", kTriggered, "front"), worker = start_server("worker", {}, "worker");
  const MailApi api(*front), watched(*worker);
  const auto sql = open_sql(), holder = open_sql();
  const std::string id = api.accept(mail_json("a@example.org"));
  sql->run("UPDATE outbox SET status = 'published', last_queued_at = now() WHERE id = " + number_of(id));
  holder->run("BEGIN");
  holder->rows("SELECT id FROM outbox WHERE id = " + number_of(id) + " FOR UPDATE");
  broker().publish(CarrierQueue::mail_send, {message(id, 1)});
  EXPECT_TRUE(eventually([&] {
    return !sql->rows(
                   "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                   "datname = current_database()")
                .empty();
  })) << "the worker waits for it";
  EXPECT_EQ(row_status(*sql, id), "published");
  holder->run("COMMIT");
  EXPECT_TRUE(api.reaches(id, "SENT", 10s));
  EXPECT_EQ(watched.metric("eilbote_broker_messages_total", R"(outcome="stale")"), 0);
  EXPECT_EQ(captured_count(worker->capture_folder()), 1U);
}

// With real schedulers and no hand in it: of many jobs through fast workers none waits for the net that catches stale messages.
TEST_P(AMessageFasterThanItsMark, never_stalls_a_job_under_load) {
  const Settings never{{"EILBOTE_STALE_PUBLISHED_SECONDS", "604800"}};
  const auto server = start_server("all", never, "front"), worker = start_server("worker", never, "worker");
  const MailApi api(*server);
  std::vector<std::string> ids;
  for (int i = 0; i < 300; ++i)
    ids.push_back(api.accept(mail_json("m" + std::to_string(i) + "@example.org")));
  for (const std::string& id : ids)
    ASSERT_TRUE(api.reaches(id, "SENT")) << row_status(*open_sql(), id);
  EXPECT_EQ(captured_count(server->capture_folder()) + captured_count(worker->capture_folder()), ids.size());
}

}  // namespace
}  // namespace eilbote::test::a_message_faster_than_its_mark_is_started
