// A retry scheduler as seed 004 describes it can be watched in its own words: the view email_log through the life of a mail that
// travels by RabbitMQ, a log line for every decision of the scheduler, and the three counts.
#include <gtest/gtest.h>

#include <sstream>

#include "base/time.h"
#include "support/amqp_proxy.h"
#include "support/broker_scenario.h"
#include "support/eventually.h"
#include "support/rabbit_server.h"

namespace eilbote::test::a_mails_life_with_a_broker_in_the_words_of_seed_004 {
namespace {

using namespace std::chrono_literals;

class AMailsLife : public BrokerScenario {
 protected:
  struct LogRow {
    std::string status, attempt_count, next_attempt_at, locked_until, last_queued_at, last_error, dead_reason,
        sent_at;
  };
  LogRow log_row(RawSql& sql, const std::string& id) {
    const SqlRow row = sql.rows(
        R"(SELECT "Status", "AttemptCount", "NextAttemptAt", "LockedUntil", "LastQueuedAt", "LastError", )"
        R"("DeadReason", "SentAt" FROM email_log WHERE "EmailId" = ')" +
        id + "'")[0];
    return {row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]};
  }
  bool shows(RawSql& sql, const std::string& id, const std::string& status) {
    return eventually([&] { return log_row(sql, id).status == status; });
  }

  // The scheduler's lines about a mail, whole.
  static std::vector<json::object> decisions(const EilboteProcess& server, const std::string& id) {
    std::vector<json::object> found;
    std::istringstream lines(read_text_file(server.log_file()));
    for (std::string line; std::getline(lines, line);) {
      boost::system::error_code bad;
      const json::value read = json::parse(line, bad);
      if (!bad && has(read, "/decision") && text_at(read, "/EmailId") == id)
        found.push_back(read.as_object());
    }
    return found;
  }

  static constexpr const char* kNull = "NULL";
};
INSTANTIATE_TEST_SUITE_P(Brokers, AMailsLife,
                         testing::Values(BrokerCase{BrokerKind::rabbitmq, StoreKind::postgres}),
                         broker_case_name);

// Step A to D: due, claimed under a lease, published, marked.
TEST_P(AMailsLife, until_it_is_in_the_queue) {
  AmqpProxy proxy(rabbit().port());
  const auto server =
      start_server("scheduler", {{"EILBOTE_TRANSPORT_URL", broker().url(proxy.port())}}, "scheduler");
  const auto front = start_server("api", {{"EILBOTE_DISPATCH", "triggered"}}, "front");
  ASSERT_TRUE(gets_connected(*server));
  proxy.stall(true);
  const std::string id = MailApi(*front).accept(mail_json("a@example.org"));
  const auto sql = open_sql();
  ASSERT_TRUE(shows(*sql, id, "RetryQueued")) << log_row(*sql, id).status;
  const LogRow claimed = log_row(*sql, id);
  EXPECT_NE(claimed.locked_until, kNull) << "the lease that keeps a second scheduler away";
  EXPECT_EQ(claimed.last_queued_at, kNull);
  proxy.stall(false);
  ASSERT_TRUE(shows(*sql, id, "Pending"));
  ASSERT_TRUE(eventually([&] { return row_status(*sql, id) == "published"; }));
  const LogRow queued = log_row(*sql, id);
  EXPECT_NE(queued.last_queued_at, kNull);
  EXPECT_EQ(queued.locked_until, kNull);
  EXPECT_EQ(queued.attempt_count, "0");

  ASSERT_TRUE(eventually([&] { return !decisions(*server, id).empty(); }));
  const json::object said = decisions(*server, id).back();
  EXPECT_EQ(text_at(said, "/decision"), "Published");
  EXPECT_EQ(number_at(said, "/AttemptCount"), 0);
  EXPECT_TRUE(parse_rfc3339(text_at(said, "/NextAttemptAt"))) << json::serialize(said);
}

TEST_P(AMailsLife, through_a_failure_to_its_end) {
  const auto server = start_server("all", {{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const MailApi api(*server);
  const auto sql = open_sql();
  const std::string id = api.accept(
      mail_json("a+transient1@example.org", "x", R"("retry":{"strategy":"fixed","delaySeconds":3})"));
  ASSERT_TRUE(shows(*sql, id, "Failed"));
  const LogRow failed = log_row(*sql, id);
  EXPECT_EQ(failed.attempt_count, "1");
  EXPECT_NE(failed.next_attempt_at, kNull);
  EXPECT_EQ(failed.locked_until, kNull);
  EXPECT_NE(failed.last_error.find("451"), std::string::npos);
  ASSERT_TRUE(shows(*sql, id, "Sent"));
  EXPECT_NE(log_row(*sql, id).sent_at, kNull);
  // Once for each attempt.
  ASSERT_TRUE(eventually([&] { return decisions(*server, id).size() >= 2; }));
  const auto said = decisions(*server, id);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(number_at(said[0], "/AttemptCount"), 0);
  EXPECT_EQ(number_at(said[1], "/AttemptCount"), 1);
  EXPECT_EQ(api.counted(1, "eilbote_requeued_total", R"(cause="published")"), 1);
}

TEST_P(AMailsLife, while_it_is_being_sent_and_when_it_is_dead) {
  const auto server =
      start_server("all", {{"EILBOTE_CAPTURE_FAULTS", "by-address"}, {"DISPATCH_MAX_ATTEMPTS", "2"}});
  const MailApi api(*server);
  const auto sql = open_sql();
  const std::string sending = api.accept(mail_json("a+stall@example.org"));
  ASSERT_TRUE(shows(*sql, sending, "Sending"));
  EXPECT_NE(log_row(*sql, sending).locked_until, kNull);

  const std::string dead = api.accept(
      mail_json("b+transient@example.org", "x", R"("retry":{"strategy":"immediate","maxAttempts":2})"));
  ASSERT_TRUE(shows(*sql, dead, "Dead")) << log_row(*sql, dead).status;
  const LogRow row = log_row(*sql, dead);
  EXPECT_EQ(row.attempt_count, "2");
  EXPECT_EQ(row.dead_reason, "MaxAttemptsExceeded");
  EXPECT_NE(row.last_error.find("451"), std::string::npos) << "kept";
  EXPECT_EQ(row.next_attempt_at, kNull);
  EXPECT_EQ(api.counted(1, "eilbote_dead_total", R"(reason="MaxAttemptsExceeded")"), 1);
  EXPECT_EQ(json::parse(broker().read(CarrierQueue::mail_dead, 1).at(0)).at("EmailId").as_string(), dead);
}

// "if publish fails, keep email in Failed with NextAttemptAt moved forward (or keep same)"
TEST_P(AMailsLife, when_it_cannot_be_published) {
  AmqpProxy proxy(rabbit().port());
  const auto server = start_server("all", {{"EILBOTE_TRANSPORT_URL", broker().url(proxy.port())}});
  ASSERT_TRUE(gets_connected(*server));
  const MailApi api(*server);
  proxy.cut_next(AmqpCut::before_publish);
  const std::string id = api.accept(mail_json("a@example.org"));
  ASSERT_TRUE(api.reaches(id, "SENT", 60s)) << "nothing is lost";
  ASSERT_EQ(proxy.cuts(), 1);
  const auto said = decisions(*server, id);
  ASSERT_GE(said.size(), 2U);
  EXPECT_EQ(text_at(said[0], "/decision"), "Skipped");
  EXPECT_FALSE(text_at(said[0], "/reason").empty()) << json::serialize(said[0]);
  EXPECT_EQ(text_at(said.back(), "/decision"), "Published");
  EXPECT_EQ(captured_count(server->capture_folder()), 1U);
}

}  // namespace
}  // namespace eilbote::test::a_mails_life_with_a_broker_in_the_words_of_seed_004
