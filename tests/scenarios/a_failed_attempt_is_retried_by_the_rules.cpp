// What an attempt came to decides what happens next: a transient failure is tried again and counted, a permanent one
// ends the mail, a deferral costs nothing, an uncertain one is held where the sender wants that, and time ends it all.
#include <gtest/gtest.h>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/test_store.h"

namespace eilbote::test::a_failed_attempt_is_retried_by_the_rules {
namespace {

SCENARIO_ON_EACH_STORE(AFailedAttempt);

const Settings kFaults{{"EILBOTE_CAPTURE_FAULTS", "by-address"}};

std::string retry_at_once(int attempts) {
  return R"("retry":{"strategy":"immediate","maxAttempts":)" + std::to_string(attempts) + "}";
}

// "QUEUED>RETRY_PENDING>SENT"
std::string path_of(const json::array& events) {
  std::string path;
  for (const json::value& event : events)
    path += (path.empty() ? "" : ">") + text_at(event, "/to");
  return path;
}

TEST_P(AFailedAttempt, is_tried_again_and_counted) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("a+transient2@example.org", "x", retry_at_once(5)));
  ASSERT_TRUE(api.reaches(id, "SENT")) << json::serialize(api.message(id));
  const json::value message = api.message(id);
  EXPECT_EQ(number_at(message, "/details/retryCount"), 2);
  EXPECT_EQ(number_at(message, "/details/maxAttempts"), 5);
  EXPECT_FALSE(has(message, "/details/lastError")) << json::serialize(message);
  const json::array attempts = api.attempts(id);
  ASSERT_EQ(attempts.size(), 3U);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    EXPECT_EQ(number_at(attempts[i], "/attemptNumber"), static_cast<int>(i) + 1);
    EXPECT_EQ(text_at(attempts[i], "/status"), i < 2 ? "SERVER_ERROR" : "SUCCESS");
    EXPECT_EQ(number_at(attempts[i], "/smtpCode"), i < 2 ? 451 : -1);
    EXPECT_EQ(text_at(attempts[i], "/errorType"), i < 2 ? "TRANSIENT" : "");
  }
  EXPECT_EQ(path_of(api.events(id)), "QUEUED>RETRY_PENDING>SENT");
  EXPECT_EQ(captured_count(server->capture_folder()), 1U);
  EXPECT_GE(api.counted(1, "eilbote_messages_retry_pending_total"), 1);
}

TEST_P(AFailedAttempt, waits_as_long_as_its_policy_says) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const std::string id = api.accept(mail_json(
      "a+transient@example.org", "x", R"("retry":{"strategy":"fixed","delaySeconds":600,"maxAttempts":3})"));
  ASSERT_TRUE(api.reaches(id, "RETRY_PENDING"));
  const json::value message = api.message(id);
  EXPECT_EQ(number_at(message, "/details/retryCount"), 1);
  EXPECT_EQ(text_at(message, "/details/lastError/code"), "SMTP_451");
  EXPECT_EQ(text_at(message, "/details/lastError/class"), "transient");
  EXPECT_EQ(number_at(message, "/details/lastError/smtpCode"), 451);
  EXPECT_EQ(text_at(message, "/details/lastError/enhancedCode"), "4.3.0");
  EXPECT_GT(text_at(message, "/details/nextAttemptAt"), text_at(message, "/details/lastAttemptAt"));
}

TEST_P(AFailedAttempt, uses_the_default_policy_of_seed_000) {
  Settings settings = kFaults;
  settings.insert({{"DISPATCH_MAX_ATTEMPTS", "3"},
                   {"DISPATCH_BACKOFF_BASE_SECONDS", "0"},
                   {"DISPATCH_BACKOFF_JITTER", "0"}});
  const auto server = start_server(settings);
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("a+transient@example.org"));
  ASSERT_TRUE(api.reaches(id, "FAILED"));
  EXPECT_EQ(number_at(api.message(id), "/details/retryCount"), 3);
}

TEST_P(AFailedAttempt, ends_the_mail_when_the_attempts_are_used_up) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("a+transient@example.org", "x", retry_at_once(4)));
  ASSERT_TRUE(api.reaches(id, "FAILED"));
  const json::value message = api.message(id);
  EXPECT_EQ(text_at(message, "/details/deadReason"), "MaxAttemptsExceeded");
  EXPECT_EQ(number_at(message, "/details/retryCount"), 4);
  EXPECT_EQ(api.attempts(id).size(), 4U);
  EXPECT_EQ(path_of(api.events(id)), "QUEUED>RETRY_PENDING>FAILED");
  EXPECT_FALSE(has(message, "/details/nextAttemptAt"));
  EXPECT_EQ(captured_count(server->capture_folder()), 0U);
  EXPECT_EQ(api.counted(1, "eilbote_dead_total", R"(reason="MaxAttemptsExceeded")"), 1);
}

TEST_P(AFailedAttempt, that_is_permanent_ends_the_mail_at_once) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("a+permanent@example.org", "x", retry_at_once(5)));
  ASSERT_TRUE(api.reaches(id, "FAILED"));
  const json::value message = api.message(id);
  EXPECT_EQ(text_at(message, "/details/deadReason"), "PermanentFailure");
  EXPECT_EQ(text_at(message, "/details/lastError/class"), "permanent");
  EXPECT_EQ(number_at(message, "/details/lastError/smtpCode"), 554);
  EXPECT_EQ(api.attempts(id).size(), 1U);
  EXPECT_EQ(path_of(api.events(id)), "QUEUED>FAILED");
  EXPECT_EQ(text_at(message, "/details/recipients/0/status"), "refused");
  const auto dead = api.list("deadReason=PermanentFailure");
  ASSERT_EQ(dead.size(), 1U);
  EXPECT_EQ(text_at(dead[0], "/messageId"), id);
}

TEST_P(AFailedAttempt, that_is_a_deferral_costs_nothing) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  // One attempt in its budget: two deferrals must leave it whole.
  const std::string id = api.accept(mail_json("a+defer2@example.org", "x", retry_at_once(1)));
  ASSERT_TRUE(api.reaches(id, "SENT"));
  EXPECT_EQ(number_at(api.message(id), "/details/retryCount"), 0);
  const json::array attempts = api.attempts(id);
  ASSERT_EQ(attempts.size(), 3U);
  EXPECT_EQ(text_at(attempts[0], "/deferral"), "true");
  EXPECT_EQ(text_at(attempts[1], "/deferral"), "true");
  EXPECT_EQ(text_at(attempts[2], "/deferral"), "false");
  EXPECT_EQ(path_of(api.events(id)), "QUEUED>RETRY_PENDING>SENT");
}

TEST_P(AFailedAttempt, is_not_repeated_past_the_expiry) {
  const auto server =
      start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}, {"EILBOTE_EXPIRES_AFTER", "2s"}});
  const MailApi api(*server);
  const std::string id = api.accept(mail_json(
      "a+transient@example.org", "x", R"("retry":{"strategy":"fixed","delaySeconds":600,"maxAttempts":9})"));
  ASSERT_TRUE(api.reaches(id, "FAILED"));
  const json::value message = api.message(id);
  EXPECT_EQ(text_at(message, "/details/deadReason"), "Expired");
  EXPECT_EQ(number_at(message, "/details/retryCount"), 1);
  EXPECT_EQ(text_at(message, "/details/lastError/code"), "SMTP_451")
      << "the last word of the other side stays";
  EXPECT_EQ(path_of(api.events(id)), "QUEUED>RETRY_PENDING>FAILED");
}

TEST_P(AFailedAttempt, of_one_recipient_does_not_hold_the_others) {
  const auto server = start_server(kFaults);
  const MailApi api(*server);
  const auto to_two = [](const std::string& other, const std::string& extra) {
    return R"({"from":"s@example.org","to":["good@example.org",")" + other +
           R"("],"subject":"x","body":{"text":"y"},)" + extra + "}";
  };
  const std::string refused = api.accept(to_two("bad+refuse@example.org", retry_at_once(3)));
  ASSERT_TRUE(api.reaches(refused, "SENT"));
  json::value message = api.message(refused);
  EXPECT_EQ(text_at(message, "/details/recipients/0/status"), "taken");
  EXPECT_EQ(text_at(message, "/details/recipients/1/status"), "refused");
  EXPECT_NE(text_at(message, "/details/recipients/1/reply").find("550"), std::string::npos);
  EXPECT_EQ(api.attempts(refused).size(), 1U);

  const std::string later = api.accept(
      to_two("slow+later@example.org", R"("retry":{"strategy":"fixed","delaySeconds":600,"maxAttempts":3})"));
  ASSERT_TRUE(api.reaches(later, "RETRY_PENDING"));
  message = api.message(later);
  EXPECT_EQ(text_at(message, "/details/recipients/0/status"), "taken");
  EXPECT_EQ(text_at(message, "/details/recipients/1/status"), "waiting");
  EXPECT_EQ(number_at(message, "/details/retryCount"), 1);
  EXPECT_EQ(server->del("/messages/" + later).status, 409) << "partly handed over";

  // When the attempts are used up it is SENT after all: one recipient has it.
  const std::string partly = api.accept(to_two("slow+later@example.org", retry_at_once(2)));
  ASSERT_TRUE(api.reaches(partly, "SENT"));
  message = api.message(partly);
  EXPECT_EQ(text_at(message, "/details/recipients/0/status"), "taken");
  EXPECT_EQ(text_at(message, "/details/recipients/1/status"), "refused");

  // Everybody refused: FAILED.
  const std::string none = api.accept(mail_json("a+refuse@example.org", "x", retry_at_once(3)));
  ASSERT_TRUE(api.reaches(none, "FAILED"));
  EXPECT_EQ(text_at(api.message(none), "/details/deadReason"), "PermanentFailure");
}

TEST_P(AFailedAttempt, whose_answer_was_lost_is_held_or_repeated_as_the_sender_wants) {
  const auto server =
      start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}, {"EILBOTE_UNCERTAIN_DELAY", "1s"}});
  const MailApi api(*server);
  const std::string held = api.accept(mail_json("a+lost@example.org", "x", R"("onUncertain":"hold")"));
  ASSERT_TRUE(api.reaches(held, "FAILED"));
  EXPECT_EQ(text_at(api.message(held), "/details/deadReason"), "Uncertain");
  EXPECT_EQ(text_at(api.message(held), "/details/lastError/class"), "uncertain");
  EXPECT_EQ(text_at(api.message(held), "/details/recipients/0/status"), "waiting");
  EXPECT_EQ(captured_count(server->capture_folder()), 1U);

  const std::string repeated = api.accept(mail_json("b+lost1@example.org", "x", retry_at_once(3)));
  ASSERT_TRUE(api.reaches(repeated, "SENT"));
  EXPECT_EQ(number_at(api.message(repeated), "/details/retryCount"), 1);
  std::vector<CapturedMail> copies;
  for (const CapturedMail& mail : captured_mails(server->capture_folder()))
    if (mail.id == repeated) copies.push_back(mail);
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0].message_id, copies[1].message_id);
  EXPECT_EQ(read_text_file(copies[0].path), read_text_file(copies[1].path));
  EXPECT_EQ(api.counted(1, "eilbote_capture_duplicates_total"), 1);
}

}  // namespace
}  // namespace eilbote::test::a_failed_attempt_is_retried_by_the_rules
