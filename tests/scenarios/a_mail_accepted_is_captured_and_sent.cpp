// A mail that is accepted is committed, captured as a file and SENT; its attempt, its events and the counters say so,
// and the log tells the story without an address, a subject or a body.
#include <gtest/gtest.h>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/test_store.h"

namespace eilbote::test::a_mail_accepted_is_captured_and_sent {
namespace {

SCENARIO_ON_EACH_STORE(AMailAccepted);

const char* const kMail = R"({"from":{"email":"geheim.sender@example.org","name":"Vertraulich GmbH"},
  "to":["geheim.empfaenger@example.org"],"cc":["kopie@example.net"],"bcc":["blind.kopie@example.com"],
  "subject":"Streng geheimer Betreff","body":{"text":"Der vertrauliche Inhalt äöü"},
  "metadata":{"order":"Auftrag-4711"},"tags":["welcome"],"campaignId":"spring"})";

TEST_P(AMailAccepted, is_captured_and_sent) {
  const auto server = start_server();
  const MailApi api(*server);
  const HttpReply reply = server->post("/messages", kMail);
  ASSERT_EQ(reply.status, 202) << reply.body;
  const std::string id = text_at(json::parse(reply.body), "/messageId");
  EXPECT_EQ(id.size(), 13U);
  EXPECT_EQ(reply.headers.at("location"), "/messages/" + id);

  ASSERT_TRUE(api.reaches(id, "SENT")) << json::serialize(api.message(id));
  const json::value message = api.message(id);
  EXPECT_EQ(text_at(message, "/messageId"), id);
  EXPECT_EQ(number_at(message, "/details/retryCount"), 0);
  EXPECT_EQ(number_at(message, "/details/maxAttempts"), 5);
  EXPECT_TRUE(has(message, "/lastUpdate"));
  EXPECT_TRUE(has(message, "/details/lastAttemptAt"));
  EXPECT_FALSE(has(message, "/details/lastError"));
  EXPECT_EQ(message.at("details").at("recipients").as_array().size(), 3U);
  for (const json::value& recipient : message.at("details").at("recipients").as_array())
    EXPECT_EQ(text_at(recipient, "/status"), "taken") << json::serialize(recipient);

  const json::array attempts = api.attempts(id);
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(number_at(attempts[0], "/attemptNumber"), 1);
  EXPECT_EQ(text_at(attempts[0], "/status"), "SUCCESS");
  EXPECT_EQ(text_at(attempts[0], "/route"), "capture");
  EXPECT_EQ(text_at(attempts[0], "/deferral"), "false");

  const json::array events = api.events(id);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(text_at(events[0], "/to"), "QUEUED");
  EXPECT_EQ(text_at(events[1], "/from"), "QUEUED");
  EXPECT_EQ(text_at(events[1], "/to"), "SENT");
}

TEST_P(AMailAccepted, becomes_a_file_that_a_mail_program_can_read) {
  const auto server = start_server();
  const MailApi api(*server);
  const std::string id = api.accept(kMail);
  ASSERT_TRUE(api.reaches(id, "SENT"));
  const auto captured = captured_mails(server->capture_folder());
  ASSERT_EQ(captured.size(), 1U);
  EXPECT_EQ(captured[0].id, id);
  const std::string text = read_text_file(captured[0].path);
  EXPECT_NE(header_of(text, "From").find("geheim.sender@example.org"), std::string::npos);
  EXPECT_EQ(header_of(text, "To"), "geheim.empfaenger@example.org");
  EXPECT_EQ(header_of(text, "Cc"), "kopie@example.net");
  EXPECT_EQ(header_of(text, "Bcc"), "");
  EXPECT_EQ(header_of(text, "Subject"), "Streng geheimer Betreff");
  EXPECT_FALSE(header_of(text, "Date").empty());
  EXPECT_TRUE(captured[0].message_id.starts_with('<') && captured[0].message_id.ends_with('>'));
  EXPECT_EQ(text.find("blind.kopie"), std::string::npos);
}

TEST_P(AMailAccepted, is_counted) {
  const auto server = start_server();
  const MailApi api(*server);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(api.reaches(api.accept(mail_json("a" + std::to_string(i) + "@example.org")), "SENT"));
  EXPECT_EQ(api.counted(3, "eilbote_messages_accepted_total"), 3);
  EXPECT_TRUE(eventually([&] { return api.metric("eilbote_messages_sent_total") == 3; }));
  EXPECT_EQ(api.metric("eilbote_messages_failed_total"), 0);
  EXPECT_EQ(api.metric("eilbote_settle_stale_total"), 0);
  EXPECT_EQ(api.metric("eilbote_capture_duplicates_total"), 0);
  EXPECT_EQ(api.counted(3, "eilbote_attempt_seconds_count", R"(route="capture")"), 3);
  EXPECT_GE(api.metric("eilbote_http_requests_total", R"(status="202")"), 3);
}

TEST_P(AMailAccepted, leaves_no_address_subject_or_body_in_the_log) {
  for (const std::string format : {"json", "text"}) {
    const auto server = start_server(
        {{"EILBOTE_LOG", format}, {"EILBOTE_LOG_LEVEL", "debug"}, {"EILBOTE_CAPTURE_FAULTS", "by-address"}},
        "data-" + format);
    const MailApi api(*server);
    const std::string id = api.accept(kMail);
    ASSERT_TRUE(api.reaches(id, "SENT"));
    const std::string dead = api.accept(mail_json("geheim+permanent@example.org", "Geheimer Betreff zwei"));
    ASSERT_TRUE(api.reaches(dead, "FAILED"));
    EXPECT_EQ(
        server->post("/messages", R"({"from":"geheim@example.org","to":["kein adresse geheim"]})").status,
        400);
    EXPECT_EQ(server->stop(), 0);
    const std::string log = read_text_file(server->log_file());
    EXPECT_NE(log.find(id), std::string::npos) << "the log names the mail by its id";
    for (const std::string secret :
         {"geheim", "Geheim", "vertraulich", "Vertraulich", "kopie", "Auftrag-4711"})
      EXPECT_EQ(log.find(secret), std::string::npos) << format << " log has '" << secret << "':\n" << log;
    if (format == "json") {
      std::istringstream lines(log);
      for (std::string line; std::getline(lines, line);) {
        boost::system::error_code broken;
        const json::value parsed = json::parse(line, broken);
        EXPECT_FALSE(broken) << line;
        EXPECT_TRUE(broken || parsed.is_object()) << line;
      }
    } else {
      EXPECT_NE(log.front(), '{');
    }
  }
}

TEST_P(AMailAccepted, carries_its_trace_through) {
  const auto server = start_server();
  const MailApi api(*server);
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const HttpReply reply = server->post(
      "/messages", mail_json("a@example.org"),
      {{"traceparent", "00-" + trace + "-00f067aa0ba902b7-01"}, {"X-Request-ID", "my-request-17"}});
  ASSERT_EQ(reply.status, 202) << reply.body;
  EXPECT_EQ(reply.headers.at("x-request-id"), "my-request-17");
  EXPECT_NE(reply.headers.at("traceparent").find(trace), std::string::npos);
  const std::string id = text_at(json::parse(reply.body), "/messageId");
  ASSERT_TRUE(api.reaches(id, "SENT"));
  for (const json::value& event : api.events(id))
    EXPECT_EQ(text_at(event, "/traceId"), trace);

  const HttpReply without = server->get("/messages/0000000000000");
  EXPECT_EQ(without.status, 404);
  const std::string made = text_at(json::parse(without.body), "/traceId");
  EXPECT_EQ(made.size(), 32U);
  EXPECT_NE(without.headers.at("traceparent").find(made), std::string::npos);
}

TEST_P(AMailAccepted, waits_for_the_time_it_is_scheduled_for) {
  const auto server = start_server();
  const MailApi api(*server);
  const std::string when = due_in_a_month();
  const std::string later = api.accept(mail_json("a@example.org", "Later", when));
  const std::string now = api.accept(mail_json("b@example.org"));
  ASSERT_TRUE(api.reaches(now, "SENT"));
  EXPECT_EQ(api.status(later), "QUEUED");
  const std::string time = text_at(json::parse("{" + when + "}"), "/scheduledFor");
  EXPECT_EQ(text_at(api.message(later), "/details/nextAttemptAt"), time.substr(0, 19) + ".000Z");
}

}  // namespace
}  // namespace eilbote::test::a_mail_accepted_is_captured_and_sent
