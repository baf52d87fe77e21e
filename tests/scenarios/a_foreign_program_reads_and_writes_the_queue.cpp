// A program that knows nothing but seed 004 (tests/node/email_dispatcher.js) shares the queue: it reads what Eilbote published,
// and what it publishes is sent. Whatever else it puts there is acknowledged and counted, and starts nothing.
#include <gtest/gtest.h>

#include "domain/tsid.h"
#include "support/broker_scenario.h"
#include "support/eventually.h"

namespace eilbote::test::a_foreign_program_reads_and_writes_the_queue {
namespace {

using namespace std::chrono_literals;

SCENARIO_WITH_RABBITMQ(AForeignProgram);

std::string named(const std::string& id, const std::string& rest = "") {
  return R"({"EmailId":")" + id + R"(","MessageKey":")" + id + "\"" + rest + "}";
}

TEST_P(AForeignProgram, reads_what_eilbote_published) {
  const auto front = start_server("api"), scheduler = start_server("scheduler", {}, "scheduler");
  const MailApi api(*front);
  const std::string plain = api.accept(mail_json("a@example.org"));
  const std::string keyed = api.accept(mail_json("b@example.org"), {{"Idempotency-Key", "order-77"}});
  std::map<std::string, json::value> seen;
  for (const std::string& line : broker().read(CarrierQueue::mail_send, 2)) {
    const json::value message = json::parse(line);
    seen[text_at(message, "/EmailId")] = message;
  }
  ASSERT_TRUE(seen.contains(plain) && seen.contains(keyed));
  EXPECT_EQ(text_at(seen[plain], "/MessageKey"), plain) << "without an Idempotency-Key the id";
  EXPECT_EQ(text_at(seen[keyed], "/MessageKey"), "order-77");
  EXPECT_EQ(number_at(seen[plain], "/attempt"), 1);

  // It sends one of them and says so by the view, as a worker of seed 000 does; Eilbote has nothing left to do with it.
  const auto sql = open_sql();
  EXPECT_EQ(sql->run("UPDATE mail_outbox SET status = 'sent', last_attempt_at = now() WHERE id = " +
                     std::to_string(parse_job_id(plain)->value())),
            1);
  EXPECT_EQ(api.status(plain), "SENT");
}

TEST_P(AForeignProgram, that_took_a_message_and_died_loses_nothing) {
  const Settings stale{{"EILBOTE_STALE_PUBLISHED_SECONDS", "2"}};
  const auto front = start_server("api", stale), scheduler = start_server("scheduler", stale, "scheduler");
  const MailApi api(*front);
  const std::string id = api.accept(mail_json("a@example.org"));
  ASSERT_EQ(broker().read(CarrierQueue::mail_send, 1).size(), 1U);
  // Nobody starts it: after its time it is put in line anew, and published again, for the same attempt.
  const json::value again = json::parse(broker().read(CarrierQueue::mail_send, 1).at(0));
  EXPECT_EQ(text_at(again, "/EmailId"), id);
  EXPECT_EQ(number_at(again, "/attempt"), 1);
  EXPECT_TRUE(eventually([&] {
    return MailApi(*scheduler).metric("eilbote_broker_republished_total", "email.dispatcher.send") +
               api.metric("eilbote_broker_republished_total", "email.dispatcher.send") >=
           1;
  }));
}

// The instance that takes the mails is in triggered mode and publishes none, so that only the message of the other program can
// be the cause.
TEST_P(AForeignProgram, publishes_an_id_and_has_it_sent) {
  const auto front = start_server("api", {{"EILBOTE_DISPATCH", "triggered"}}, "front");
  const auto worker = start_server("worker", {}, "worker");
  const MailApi api(*front), watched(*worker);
  const std::string id = api.accept(mail_json("a@example.org"));
  const std::string by_number = api.accept(mail_json("b@example.org"));
  const std::string not_due = api.accept(mail_json("c@example.org", "x", due_in_a_month()));
  const auto sql = open_sql();
  ASSERT_EQ(row_status(*sql, id), "queued");
  broker().publish(CarrierQueue::mail_send, {named(id)});
  ASSERT_TRUE(api.reaches(id, "SENT"));
  // The number as the tables have it, other members and names in other letters: all that a .NET program may write.
  broker().publish(CarrierQueue::mail_send,
                   {R"({"emailId":)" + std::to_string(parse_job_id(by_number)->value()) +
                        R"(,"messageKey":"x","Priority":3,"Tags":{"a":[1]}})",
                    named(not_due)});
  ASSERT_TRUE(api.reaches(by_number, "SENT"));
  EXPECT_TRUE(
      eventually([&] { return watched.metric("eilbote_broker_messages_total", R"(outcome="stale")") == 1; }));
  EXPECT_EQ(row_status(*sql, not_due), "queued") << "its time has not come";
  EXPECT_EQ(captured_count(worker->capture_folder()), 2U);
  EXPECT_EQ(watched.counted(2, "eilbote_broker_messages_total", R"(outcome="started")"), 2);
}

TEST_P(AForeignProgram, publishes_rubbish_and_nothing_comes_of_it) {
  const auto server = start_server();
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("a@example.org"));
  ASSERT_TRUE(api.reaches(id, "SENT"));
  const std::vector<std::string> malformed{
      "",
      "not JSON",
      "[]",
      "{}",
      R"({"EmailId":null})",
      R"({"EmailId":""})",
      R"({"EmailId":"not an id"})",
      R"({"EmailId":-1})",
      R"({"EmailId":1.5})",
      R"({"EmailId":")" + id + R"(","attempt":0})",
      R"({"EmailId":")" + id + R"(","attempt":"one"})",
      R"({"EmailId":"\u0000"})",
      std::string("\xff\xfe{}", 4),
      std::string(5'000, '['),
      R"({"EmailId":")" + id + R"(","Pad":")" + std::string(5'000, 'x') + "\"}",
  };
  const std::vector<std::string> stale{
      named(id),                     // it is sent
      named(id, R"(,"attempt":1)"),  // twice
      named(id, R"(,"attempt":1)"),
      named(id, R"(,"attempt":7)"),  // of a time that never was
      named("0000000000001"),        // nobody's
      named("0000000000001", R"(,"attempt":1)"),
  };
  broker().publish(CarrierQueue::mail_send, malformed);
  broker().publish(CarrierQueue::mail_send, stale);
  broker().publish(CarrierQueue::webhook_send, {named(id)});  // a mail, by the queue of webhooks
  const auto counted = [&](const char* outcome) {
    return api.metric("eilbote_broker_messages_total", std::string("outcome=\"") + outcome + "\"");
  };
  EXPECT_TRUE(eventually([&] { return counted("malformed") == static_cast<double>(malformed.size()); }))
      << counted("malformed");
  EXPECT_TRUE(eventually([&] { return counted("stale") == static_cast<double>(stale.size()) + 1; }))
      << counted("stale");
  EXPECT_EQ(counted("started"), 1);
  EXPECT_EQ(captured_count(server->capture_folder()), 1U) << "nothing is sent twice";
  EXPECT_EQ(api.attempts(id).size(), 1U);

  // The queue still works, and poison does not come round again.
  ASSERT_TRUE(api.reaches(api.accept(mail_json("b@example.org")), "SENT"));
  EXPECT_EQ(server->stop(), 0);
  EXPECT_EQ(broker().depth(CarrierQueue::mail_send), 0);
  EXPECT_EQ(broker().depth(CarrierQueue::webhook_send), 0);
}

// A duplicate of the message that is on its way: whichever comes first starts it, the other one finds it started.
TEST_P(AForeignProgram, publishes_what_is_published_already_and_it_is_sent_once) {
  std::string id;
  {
    const auto front = start_server("api");
    const MailApi api(*front);
    id = api.accept(mail_json("a@example.org"));
    ASSERT_TRUE(eventually([&] { return broker().depth(CarrierQueue::mail_send) == 1; }));
    broker().publish(CarrierQueue::mail_send,
                     {named(id), named(id, R"(,"attempt":1)"), named(id, R"(,"attempt":2)")});
    EXPECT_EQ(front->stop(), 0);
  }
  const auto server = start_server();
  const MailApi api(*server);
  ASSERT_TRUE(api.reaches(id, "SENT"));
  EXPECT_TRUE(
      eventually([&] { return api.metric("eilbote_broker_messages_total", R"(outcome="stale")") == 3; }));
  EXPECT_EQ(captured_count(server->capture_folder()), 1U);
  EXPECT_EQ(api.attempts(id).size(), 1U);
}

}  // namespace
}  // namespace eilbote::test::a_foreign_program_reads_and_writes_the_queue
