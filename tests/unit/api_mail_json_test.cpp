// Bodies of POST /messages, good and bad: every bad one is a problem that names the place, all faults at
// once.
#include "api/mail_json.h"

#include <gtest/gtest.h>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include "api/json_document.h"

namespace eilbote::api_mail_json_test {
namespace {

const TimePoint kNow = *parse_rfc3339("2026-11-15T12:00:00Z");

ApiSettings settings() {
  ApiSettings made;
  made.has_pool = [](const std::string& code) { return code == "mail" || code == "slow"; };
  made.mail_limits.attachment_bytes_max = 16;
  made.mail_limits.attachments_bytes_max = 24;
  return made;
}

struct Outcome {
  Mail mail;
  std::string key;
  std::optional<Problem> problem;
};

Outcome read(const std::string& text, MailPart part = MailPart::message) {
  const auto value = read_json(text, {});
  if (!value) return {{}, {}, value.error()};
  MailReading reading = read_mail(*value, part, settings(), kNow);
  return {std::move(reading.mail), std::move(reading.idempotency_key), std::move(reading.problem)};
}

// The smallest good mail with members added, or put in the place of its own.
std::string mail_with(const std::string& members) {
  const bool has_from = members.find("\"from\"") != std::string::npos,
             has_to = members.find("\"to\"") != std::string::npos;
  const bool has_subject = members.find("\"subject\"") != std::string::npos;
  const bool has_body = members.find("\"body\"") != std::string::npos;
  std::string text = "{";
  if (!has_from) text += R"("from":"a@example.org",)";
  if (!has_to) text += R"("to":["b@example.org"],)";
  if (!has_subject) text += R"("subject":"Hi",)";
  if (!has_body) text += R"("body":{"text":"x"},)";
  return text + members + "}";
}

TEST(MailJson, reads_every_field) {
  const Outcome outcome = read(R"({
    "from": {"email": "a@example.org", "name": "Ä"}, "to": ["b@example.org", {"email": "c@example.org", "name": "C"}],
    "cc": ["d@example.org"], "bcc": ["e@example.org"], "replyTo": ["r@example.org"],
    "subject": "Grüße", "body": {"text": "t", "html": "<p>h</p>"},
    "attachments": [{"name": "a.bin", "contentType": "application/pdf", "content": "-_8", "contentId": "c1", "inline": true}],
    "headers": {"X-One": "1"}, "metadata": {"k": "v"}, "tags": ["t1"], "campaignId": "camp",
    "scheduledFor": "2026-11-16T12:00:00+01:00", "expiresAt": "2026-11-20T12:00:00Z", "group": "g", "pool": "slow",
    "retry": {"strategy": "exponential", "maxAttempts": 3.0, "baseSeconds": 5, "maxSeconds": 50, "jitter": 0},
    "onUncertain": "hold"})");
  ASSERT_FALSE(outcome.problem) << outcome.problem->detail << to_json(*outcome.problem, {});
  const Mail& mail = outcome.mail;
  EXPECT_EQ(mail.from, (Mailbox{"a@example.org", "Ä"}));
  EXPECT_EQ(mail.to, (std::vector<Mailbox>{{"b@example.org", ""}, {"c@example.org", "C"}}));
  EXPECT_EQ(mail.cc.at(0).address, "d@example.org");
  EXPECT_EQ(mail.bcc.at(0).address, "e@example.org");
  EXPECT_EQ(mail.reply_to.at(0).address, "r@example.org");
  EXPECT_EQ(mail.subject, "Grüße");
  EXPECT_EQ(mail.text, "t");
  EXPECT_EQ(mail.html, "<p>h</p>");
  EXPECT_EQ(mail.attachments.at(0).content, "\xFB\xFF");
  EXPECT_EQ(mail.attachments.at(0).content_id, "c1");
  EXPECT_TRUE(mail.attachments.at(0).is_inline);
  EXPECT_EQ(mail.headers.at(0), (std::pair<std::string, std::string>{"X-One", "1"}));
  EXPECT_EQ(mail.metadata.at("k"), "v");
  EXPECT_EQ(mail.tags, std::vector<std::string>{"t1"});
  EXPECT_EQ(mail.campaign_id, "camp");
  EXPECT_EQ(mail.scheduled_for, parse_rfc3339("2026-11-16T11:00:00Z"));
  EXPECT_EQ(mail.expires_at, parse_rfc3339("2026-11-20T12:00:00Z"));
  EXPECT_EQ(mail.group, "g");
  EXPECT_EQ(mail.pool, "slow");
  EXPECT_EQ(mail.retry->attempts_max, 3);
  EXPECT_EQ(mail.retry->base, std::chrono::seconds{5});
  EXPECT_EQ(mail.retry->jitter, 0);
  EXPECT_EQ(mail.on_uncertain, OnUncertain::hold);
}

TEST(MailJson, a_schedule_brings_its_own_defaults) {
  const Outcome by_name = read(mail_with(R"("retry":{"strategy":"schedule"})"));
  ASSERT_FALSE(by_name.problem) << by_name.problem->detail;
  EXPECT_EQ(by_name.mail.retry->schedule, default_schedule());
  EXPECT_EQ(by_name.mail.retry->attempts_max, 8);
  const Outcome own =
      read(mail_with(R"("retry":{"strategy":"schedule","schedule":[60,"5m"],"maxAttempts":4})"));
  ASSERT_FALSE(own.problem) << own.problem->detail;
  EXPECT_EQ(own.mail.retry->schedule, (std::vector{std::chrono::seconds{60}, std::chrono::seconds{300}}));
  EXPECT_EQ(own.mail.retry->attempts_max, 4);
}

TEST(MailJson, a_batch_item_carries_its_key) {
  const Outcome item = read(mail_with(R"("idempotencyKey":"12345678")"), MailPart::batch_item);
  ASSERT_FALSE(item.problem);
  EXPECT_EQ(item.key, "12345678");
}

TEST(MailJson, all_faults_come_at_once) {
  const Outcome outcome =
      read(R"({"from":7,"to":["b@example.org",null],"subjekt":"Hi","body":{"text":1},"retry":{"jitter":2}})");
  ASSERT_TRUE(outcome.problem);
  std::vector<std::string> pointers;
  for (const Fault& fault : outcome.problem->errors)
    pointers.push_back(fault.pointer);
  EXPECT_EQ(pointers, (std::vector<std::string>{"/from", "/to/1", "/subjekt", "/body/text", "/retry/jitter",
                                                "/subject"}));
  EXPECT_EQ(outcome.problem->errors[2].detail, "unknown field 'subjekt'; did you mean 'subject'?");
}

struct BadBody {
  const char* name;
  std::string body;
  std::string pointer;  // of one of the faults; "-": no faults, the detail says it
  std::string detail;   // part of it
  ProblemKind kind = ProblemKind::invalid_request;
};
class BadMail : public testing::TestWithParam<BadBody> {};

TEST_P(BadMail, is_a_problem_that_names_the_place) {
  const BadBody& want = GetParam();
  const Outcome outcome = read(want.body);
  ASSERT_TRUE(outcome.problem);
  EXPECT_EQ(outcome.problem->kind, want.kind) << outcome.problem->detail;
  const std::string shown = to_json(*outcome.problem, {});
  EXPECT_NE(shown.find(want.detail), std::string::npos) << shown;
  if (want.pointer == "-") return;
  const bool named = std::any_of(outcome.problem->errors.begin(), outcome.problem->errors.end(),
                                 [&](const Fault& fault) { return fault.pointer == want.pointer; });
  EXPECT_TRUE(named) << shown;
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

constexpr auto kJson = ProblemKind::malformed_json;
INSTANTIATE_TEST_SUITE_P(
    Json, BadMail,
    testing::Values(BadBody{"empty", "", "-", "ends too early", kJson},
                    BadBody{"cut", R"({"from": "a)", "-", "offset 11", kJson},
                    BadBody{"second_line", "{\n  \"a\": x}", "-", "line 2, column 8 (offset 9)", kJson},
                    BadBody{"comma", R"({"a":1,})", "-", "offset 7", kJson},
                    BadBody{"extra", "{} {}", "-", "more after", kJson},
                    BadBody{"comment", "/* */ {}", "-", "offset 0", kJson},
                    BadBody{"bom", "\xEF\xBB\xBF{}", "-", "offset 0", kJson},
                    BadBody{"nan", R"({"a":NaN})", "-", "offset 5", kJson},
                    BadBody{"huge_number", R"({"a":1e999})", "-", "out of range", kJson},
                    BadBody{"utf8", "{\"subject\":\"\xFF\"}", "-", "offset", kJson},
                    BadBody{"surrogate", R"({"subject":"\ud800"})", "-", "offset", kJson},
                    BadBody{"raw_control", "{\"subject\":\"a\nb\"}", "-", "offset", kJson},
                    BadBody{"raw_nul", std::string("{\"subject\":\"a\0b\"}", 17), "-", "offset", kJson},
                    BadBody{"deep", nested(33), "-", "deeper than 32", kJson},
                    BadBody{"nul", mail_with(R"("tags":["a\u0000b"])"), "/tags/0", "U+0000"},
                    BadBody{"nul_name", mail_with(R"("metadata":{"a\u0000b":"c"})"), "/metadata", "U+0000"},
                    BadBody{"twice", R"({"subject":"a","subject":"b"})", "/subject", "twice"},
                    BadBody{"twice_inside", R"({"to":[{"email":"a"},{"email":"a","email":"b"}]})",
                            "/to/1/email", "twice"},
                    BadBody{"array", "[]", "", "must be an object"},
                    BadBody{"text", "\"x\"", "", "must be an object"},
                    BadBody{"null", "null", "", "must be an object"}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Types, BadMail,
    testing::Values(
        BadBody{"nothing", "{}", "/from", "is required"},
        BadBody{"no_to", R"({"from":"a@x.org"})", "/to", "is required"},
        BadBody{"from_number", mail_with(R"("from":1)"), "/from", "must be an address or an object"},
        BadBody{"from_no_email", mail_with(R"("from":{"name":"x"})"), "/from/email", "is required"},
        BadBody{"from_unknown", mail_with(R"("from":{"email":"a@x.org","nmae":"x"})"), "/from/nmae",
                "did you mean 'name'"},
        BadBody{"to_text", mail_with(R"("to":"b@x.org")"), "/to", "must be an array"},
        BadBody{"to_empty", mail_with(R"("to":[])"), "/to", "at least one"},
        BadBody{"to_null", mail_with(R"("to":null)"), "/to", "must be an array"},
        BadBody{"to_bad", mail_with(R"("to":["no address"])"), "/to/0", ""},
        BadBody{"subject_null", mail_with(R"("subject":null)"), "/subject", "must be a string"},
        BadBody{"subject_crlf", mail_with(R"("subject":"a\r\nBcc: x")"), "/subject", "line breaks"},
        BadBody{"body_text", mail_with(R"("body":"hello")"), "/body", "must be an object"},
        BadBody{"body_empty", mail_with(R"("body":{})"), "/body", "text or"},
        BadBody{"headers_array", mail_with(R"("headers":[])"), "/headers", "must be an object"},
        BadBody{"header_number", mail_with(R"("headers":{"X-A":1})"), "/headers/X-A", "must be a string"},
        BadBody{"metadata_deep", mail_with(R"("metadata":{"a":{}})"), "/metadata/a", "must be a string"},
        BadBody{"tags_object", mail_with(R"("tags":{})"), "/tags", "must be an array"},
        BadBody{"time", mail_with(R"("scheduledFor":"tomorrow")"), "/scheduledFor", "RFC 3339"},
        BadBody{"time_number", mail_with(R"("expiresAt":1763208000)"), "/expiresAt", "must be a string"},
        BadBody{"callback", mail_with(R"("callback":{"url":"ftp://x.org"})"), "/callback/url", "http"},
        BadBody{"callback_url", mail_with(R"("callbackUrl":"https://u:p@x.org")"), "/callbackUrl", "user"},
        BadBody{"key", mail_with(R"("idempotencyKey":"12345678")"), "/idempotencyKey",
                "header Idempotency-Key"},
        BadBody{"uncertain", mail_with(R"("onUncertain":"maybe")"), "/onUncertain", "retry, hold"},
        BadBody{"pool", mail_with(R"("pool":"fast")"), "/pool", "no pool", ProblemKind::unknown_pool},
        BadBody{"strategy", mail_with(R"("retry":{"strategy":"hope"})"), "/retry/strategy",
                "exponential, schedule"},
        BadBody{"attempts", mail_with(R"("retry":{"maxAttempts":0})"), "/retry/maxAttempts", "from 1 to 100"},
        BadBody{"attempts_half", mail_with(R"("retry":{"maxAttempts":1.5})"), "/retry/maxAttempts",
                "whole number"},
        BadBody{"attempts_big", mail_with(R"("retry":{"maxAttempts":1e30})"), "/retry/maxAttempts",
                "whole number"},
        BadBody{"schedule_empty", mail_with(R"("retry":{"strategy":"schedule","schedule":[]})"),
                "/retry/schedule", ""},
        BadBody{"escape", mail_with(R"("a/b~c":1)"), "/a~1b~0c", "unknown field"}),
    [](const auto& row) { return std::string(row.param.name); });

std::string attachment(const std::string& content) {
  return mail_with(R"("attachments":[{"name":"a","contentType":"text/plain","content":")" + content + "\"}]");
}

INSTANTIATE_TEST_SUITE_P(
    Attachments, BadMail,
    testing::Values(
        BadBody{"plus", attachment("ab+c"), "/attachments/0/content", "'+' at offset 2"},
        BadBody{"slash", attachment("abc/"), "/attachments/0/content", "'/' at offset 3"},
        BadBody{"blank", attachment("ab c"), "/attachments/0/content", "offset 2"},
        BadBody{"length", attachment("abcde"), "/attachments/0/content", "length or padding"},
        BadBody{"padding", attachment("abc=="), "/attachments/0/content", "length or padding"},
        BadBody{"stray_bits", attachment("ab"), "/attachments/0/content", "stray bits"},
        BadBody{"no_name", mail_with(R"("attachments":[{"contentType":"text/plain","content":""}])"),
                "/attachments/0/name", "is required"},
        BadBody{"inline_text",
                mail_with(
                    R"("attachments":[{"name":"a","contentType":"text/plain","content":"","inline":"yes"}])"),
                "/attachments/0/inline", "true or false"},
        BadBody{"large", attachment(std::string(24, 'A')), "/attachments/0/content", "at most 16 bytes",
                ProblemKind::too_large},
        BadBody{
            "large_together",
            mail_with(
                R"("attachments":[{"name":"a","contentType":"text/plain","content":"AAAAAAAAAAAAAAAAAAAA"},)"
                R"({"name":"b","contentType":"text/plain","content":"AAAAAAAAAAAAAAAAAAAA"}])"),
            "/attachments", "24 bytes together", ProblemKind::too_large}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(MailJson, thirty_two_levels_are_fine_and_faults_are_bounded) {
  EXPECT_TRUE(read_json(nested(32), {}));
  std::string many = "{";
  for (int i = 0; i < 1000; ++i)
    many += (i == 0 ? "\"" : ",\"") + std::string("unknown") + std::to_string(i) + "\":1";
  const Outcome outcome = read(many + "}");
  ASSERT_TRUE(outcome.problem);
  EXPECT_LE(outcome.problem->errors.size(), 100u);
}

}  // namespace
}  // namespace eilbote::api_mail_json_test
