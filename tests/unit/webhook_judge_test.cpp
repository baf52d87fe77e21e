// The table of answers and faults: what each means for the job.
#include "domain/webhook_judge.h"

#include <gtest/gtest.h>

#include "domain/after_attempt.h"
#include "domain/retry_after.h"

namespace eilbote::webhook_judge_test {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow = parse_rfc3339("2026-01-01T00:00:00.000Z").value();

// How a result reads: "deferred CLIENT_ERROR HTTP_429 30s".
std::string said(const DeliveryResult& result) {
  std::string text(kVerdictNames.text(result.verdict));
  text += " ";
  text += kAttemptStatusNames.text(result.attempt_status);
  if (!result.code.empty()) text += " " + result.code;
  if (result.error_type) text += " " + std::string(kErrorTypeNames.text(*result.error_type));
  if (result.retry_after)
    text += " " +
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*result.retry_after).count()) +
            "s";
  return text;
}

std::string judged(int status, const std::string& retry_after = "", const std::string& body = "") {
  WebhookExchange exchange;
  exchange.status = status;
  exchange.retry_after = retry_after;
  exchange.body = body;
  const DeliveryResult result = judge_webhook(exchange, kNow);
  EXPECT_EQ(result.response_code, status);
  return said(result);
}

TEST(WebhookJudge, knows_every_status) {
  for (int status = 100; status < 700; ++status) {
    const std::string code = "HTTP_" + std::to_string(status);
    std::string expected;
    if (status == 408 || status == 425)
      expected = "transient CLIENT_ERROR " + code;
    else if (status == 429)
      expected = "deferred CLIENT_ERROR HTTP_429 30s";
    else if (status == 410)
      expected = "permanent CLIENT_ERROR ENDPOINT_GONE";
    else if (status == 501)
      expected = "permanent SERVER_ERROR HTTP_501";
    else if (status / 100 == 2)
      expected = "delivered SUCCESS";
    else if (status / 100 == 4)
      expected = "permanent CLIENT_ERROR " + code;
    else if (status / 100 == 5)
      expected = "transient SERVER_ERROR " + code;
    else
      expected = "transient SERVER_ERROR " + code + " UNKNOWN";
    EXPECT_EQ(judged(status), expected);
  }
}

TEST(WebhookJudge, honours_retry_after) {
  EXPECT_EQ(judged(429, "7"), "deferred CLIENT_ERROR HTTP_429 7s");
  EXPECT_EQ(judged(429, "soon"), "deferred CLIENT_ERROR HTTP_429 30s");
  EXPECT_EQ(judged(429, "Thu, 01 Jan 2026 00:01:40 GMT"), "deferred CLIENT_ERROR HTTP_429 100s");
  EXPECT_EQ(judged(503, "7"), "deferred SERVER_ERROR HTTP_503 7s");
  EXPECT_EQ(judged(503, "nonsense"), "transient SERVER_ERROR HTTP_503");
  EXPECT_EQ(judged(503), "transient SERVER_ERROR HTTP_503");
  EXPECT_EQ(judged(500, "7"), "transient SERVER_ERROR HTTP_500 7s");
  EXPECT_EQ(judged(408, "7"), "transient CLIENT_ERROR HTTP_408 7s");
  EXPECT_EQ(judged(404, "7"), "permanent CLIENT_ERROR HTTP_404");
  EXPECT_EQ(judged(501, "7"), "permanent SERVER_ERROR HTTP_501");
  EXPECT_EQ(judged(302, "7"), "transient SERVER_ERROR HTTP_302 UNKNOWN");
  EXPECT_EQ(judged(200, "7"), "delivered SUCCESS");
}

TEST(WebhookJudge, reads_what_a_success_says) {
  const std::string waits = "deferred SUCCESS NOT_ACKNOWLEDGED ";
  const std::pair<const char*, std::string> cases[] = {
      {R"({"ack":false,"delaySeconds":120})", waits + "120s"},
      {R"( {"delaySeconds":2.9,"x":[],"ack":false} )", waits + "2s"},
      {R"({"ack":false})", waits + "30s"},
      {R"({"ack":false,"delaySeconds":null})", waits + "30s"},
      {R"({"ack":false,"delaySeconds":"5"})", waits + "30s"},
      {R"({"ack":false,"delaySeconds":0})", waits + "1s"},
      {R"({"ack":false,"delaySeconds":-9})", waits + "1s"},
      {R"({"ack":false,"delaySeconds":43200})", waits + "43200s"},
      {R"({"ack":false,"delaySeconds":43201})", waits + "43200s"},
      {R"({"ack":false,"delaySeconds":99999999999999999999999})", waits + "43200s"},
      {R"({"ack":false,"delaySeconds":1e300})", waits + "43200s"},
      {R"({"ack":true,"delaySeconds":5})", "delivered SUCCESS"},
      {R"({"ack":"false"})", "delivered SUCCESS"},
      {R"({"ack":0})", "delivered SUCCESS"},
      {R"({"ack":null})", "delivered SUCCESS"},
      {R"({"nested":{"ack":false}})", "delivered SUCCESS"},
      {R"([{"ack":false}])", "delivered SUCCESS"},
      {R"({"ack":false)", "delivered SUCCESS"},
      {"ack:false", "delivered SUCCESS"},
      {"", "delivered SUCCESS"},
  };
  for (const auto& [body, expected] : cases)
    EXPECT_EQ(judged(200, "", body), expected) << body;
  EXPECT_EQ(judged(500, "", R"({"ack":false})"), "transient SERVER_ERROR HTTP_500");
}

TEST(WebhookJudge, believes_no_half_of_an_answer) {
  WebhookExchange exchange;
  exchange.status = 200;
  exchange.body = R"({"ack":false})";
  exchange.body_is_cut = true;
  EXPECT_EQ(said(judge_webhook(exchange, kNow)), "delivered SUCCESS");
}

TEST(WebhookJudge, knows_every_fault) {
  const std::pair<ExchangeFault, const char*> cases[] = {
      {ExchangeFault::not_sent, "released SUCCESS"},
      {ExchangeFault::busy, "deferred CONNECTION_ERROR BUSY 5s"},
      {ExchangeFault::dns, "transient CONNECTION_ERROR DNS_FAILED"},
      {ExchangeFault::connect, "transient CONNECTION_ERROR CONNECT_FAILED"},
      {ExchangeFault::tls, "transient CONNECTION_ERROR TLS_FAILED"},
      {ExchangeFault::timeout, "transient TIMEOUT TIMEOUT"},
      {ExchangeFault::lost, "transient CONNECTION_ERROR CONNECTION_LOST"},
      {ExchangeFault::bad_response, "transient CONNECTION_ERROR BAD_RESPONSE"},
  };
  for (const auto& [fault, expected] : cases) {
    WebhookExchange exchange;
    exchange.fault = fault;
    exchange.detail = "because";
    exchange.status = 200;  // an answer that did not end is none
    exchange.body = "half";
    const DeliveryResult result = judge_webhook(exchange, kNow);
    EXPECT_EQ(said(result), expected);
    EXPECT_EQ(result.response_code, 0);
    EXPECT_EQ(result.response_body, "");
    EXPECT_EQ(result.text.ends_with(": because"), fault != ExchangeFault::not_sent) << result.text;
  }
}

TEST(WebhookJudge, unknown_answers_are_retried_and_on_record_as_unknown) {
  WebhookExchange exchange;
  exchange.status = 302;
  Job job;
  job.status = JobStatus::dispatching;
  job.attempts_max = 3;
  FixedRandom random(0);
  Decision decision = after_attempt(job, {}, judge_webhook(exchange, kNow), {}, random);
  EXPECT_EQ(decision.error_type, ErrorType::UNKNOWN);
  EXPECT_EQ(decision.status, JobStatus::queued);
  EXPECT_EQ(decision.retry_count, 1);
  exchange.status = 500;
  decision = after_attempt(job, {}, judge_webhook(exchange, kNow), {}, random);
  EXPECT_EQ(decision.error_type, ErrorType::TRANSIENT);
}

TEST(WebhookJudge, keeps_a_body_of_5000_characters) {
  EXPECT_EQ(recorded_body("short", false), "short");
  EXPECT_EQ(recorded_body("short", true), "short... (truncated)");
  EXPECT_EQ(recorded_body(std::string(5000, 'x'), false), std::string(5000, 'x'));
  EXPECT_EQ(recorded_body(std::string(5001, 'x'), false), std::string(5000, 'x') + "... (truncated)");
  std::string clefs;
  for (int i = 0; i < 5001; ++i)
    clefs += "\xF0\x9D\x84\x9E";
  EXPECT_EQ(recorded_body(clefs, false), clefs.substr(0, 20000) + "... (truncated)");
  EXPECT_EQ(recorded_body(clefs.substr(0, 20000), false), clefs.substr(0, 20000));
  EXPECT_EQ(recorded_body("a\xff\xc3", false), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(recorded_body(std::string("a\0b", 3), false), "a b");
  EXPECT_EQ(recorded_body(std::string(1 << 20, '\xff'), false).size(), 15000U + 15U);
}

TEST(RetryAfter, is_seconds_or_a_date) {
  const TimePoint now = parse_rfc3339("1994-11-06T08:49:00.000Z").value();
  const std::pair<const char*, std::optional<Duration>> cases[] = {
      {"0", 1s},
      {"1", 1s},
      {"120", 120s},
      {" 120 ", 120s},
      {"000000000000000000000120", 120s},
      {"86400", 24h},
      {"86401", 24h},
      {"99999999999999999999999999", 24h},
      {"Sun, 06 Nov 1994 08:49:37 GMT", 37s},
      {"Sunday, 06-Nov-94 08:49:37 GMT", 37s},
      {"Sun Nov  6 08:49:37 1994", 37s},
      {"Sun Nov 16 08:49:37 1994", 24h},
      {"Sun, 06 Nov 1994 08:48:00 GMT", 1s},
      {"Sun, 06 Nov 1993 08:48:00 GMT", 1s},
      {"Sunday, 06-Nov-30 08:49:37 GMT", 24h},
      {"Sunday, 06-Nov-60 08:49:37 GMT", 1s},  // 66 years ahead is 1960
      {"", std::nullopt},
      {" ", std::nullopt},
      {"-1", std::nullopt},
      {"1.5", std::nullopt},
      {"1s", std::nullopt},
      {"soon", std::nullopt},
      {"Sun, 06 Nov 1994 08:49:37 CET", std::nullopt},
      {"Sun, 06 Nov 1994 08:49:37", std::nullopt},
      {"Sun, 31 Feb 1994 08:49:37 GMT", std::nullopt},
      {"Sun, 06 Nov 1994 24:49:37 GMT", std::nullopt},
      {"Sun, 6 Nov 1994 08:49:37 GMT", std::nullopt},
      {"Xyz, 06 Nov 1994 08:49:37 GMT", std::nullopt},
      {"1994-11-06T08:49:37Z", std::nullopt},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(parse_retry_after(text, now), expected) << text;
}

}  // namespace
}  // namespace eilbote::webhook_judge_test
