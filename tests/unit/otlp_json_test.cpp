// What a receiver of traces gets and says: spans as OTLP's JSON, its partial answers, the headers it wants, its address.
#include "tracing/otlp_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "domain/otlp_endpoint.h"
#include "tracing/otlp_headers.h"

namespace eilbote::test::otlp_json_test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

Span failed_attempt() {
  Span span;
  span.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  span.id = "00f067aa0ba902b7";
  span.parent_id = "b7ad6b7169203331";
  span.name = "smtp send";
  span.kind = SpanKind::client;
  span.begin = TimePoint{Duration{1'767'323'045'678'901}};
  span.end = span.begin + std::chrono::milliseconds{2};
  span.failed = true;
  span.failure = "SMTP_451";
  span.attributes = {{"eilbote.job_id", std::string("0HZXEQ5Y8JY5Z")}, {"eilbote.attempt", std::int64_t{2}}};
  return span;
}

TEST(OtlpJson, has_hex_ids_texts_of_nanoseconds_and_numbers_for_enums) {
  Span accepted;
  accepted.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  accepted.id = "b7ad6b7169203331";
  accepted.name = "POST /messages";
  accepted.begin = accepted.end = TimePoint{Duration{1}};
  const Span spans[] = {failed_attempt(), accepted};
  const json::value want = json::parse(R"({"resourceSpans":[{
    "resource":{"attributes":[
      {"key":"service.name","value":{"stringValue":"eilbote"}},
      {"key":"service.version","value":{"stringValue":"1.2"}},
      {"key":"service.instance.id","value":{"stringValue":"mail-1 \"a\""}}]},
    "scopeSpans":[{"scope":{"name":"eilbote","version":"1.2"},"spans":[
      {"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7",
       "parentSpanId":"b7ad6b7169203331","name":"smtp send","kind":3,
       "startTimeUnixNano":"1767323045678901000","endTimeUnixNano":"1767323045680901000",
       "attributes":[{"key":"eilbote.job_id","value":{"stringValue":"0HZXEQ5Y8JY5Z"}},
                     {"key":"eilbote.attempt","value":{"intValue":"2"}}],
       "status":{"code":2,"message":"SMTP_451"}},
      {"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"b7ad6b7169203331","name":"POST /messages","kind":2,
       "startTimeUnixNano":"1000","endTimeUnixNano":"1000","attributes":[]}]}]}]})");
  EXPECT_EQ(json::parse(otlp_json(spans, {"1.2", "mail-1 \"a\""})), want);
}

TEST(OtlpJson, reads_how_many_spans_a_receiver_refused) {
  struct Case {
    const char* answer;
    std::int64_t want;
  };
  const Case cases[] = {
      {"", 0},
      {"{}", 0},
      {R"({"partialSuccess":{}})", 0},
      {R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})", 3},
      {R"({"partialSuccess":{"rejectedSpans":4}})", 4},
      {R"({"partialSuccess":{"rejectedSpans":"-4"}})", 0},
      {R"({"partialSuccess":{"rejectedSpans":true}})", 0},
      {"<html>", 0},
      {"[1,2]", 0},
  };
  for (const Case& one : cases)
    EXPECT_EQ(rejected_spans(one.answer), one.want) << one.answer;
}

TEST(OtlpHeaders, are_read_as_everybody_writes_them) {
  const auto headers = parse_otlp_headers(" api-key=abc, Authorization=Bearer%20t%2Ct=,X-Empty= \n");
  ASSERT_TRUE(headers) << headers.error().message;
  const OtlpHeaders want{{"api-key", "abc"}, {"Authorization", "Bearer t,t="}, {"X-Empty", ""}};
  EXPECT_EQ(*headers, want);
  EXPECT_TRUE(parse_otlp_headers("")->empty());
}

TEST(OtlpHeaders, say_which_one_is_wrong_and_not_what_is_in_it) {
  struct Case {
    std::string text;
    const char* want;
  };
  std::string many;
  for (std::size_t i = 0; i <= kOtlpHeadersMax; ++i)
    many += "a=geheim,";
  const Case cases[] = {
      {"geheim", "header 1: must be NAME=VALUE"},
      {"a=geheim,,", "header 2: must be NAME=VALUE"},
      {"a=b,ge heim=x", "header 2: its name must be that of an HTTP header"},
      {"Content-Length=geheim", "header 1: its name is one that Eilbote writes itself"},
      {"traceparent=geheim", "header 1: its name is one that Eilbote writes itself"},
      {"a=geheim%", "header 1: its value must be"},
      {"a=geheim%0d%0aX: y", "header 1: its value must be"},
      {"a=" + std::string(5000, 'g'), "header 1: its value must be at most 4096"},
      {many, "header 17: there may be at most 16"},
  };
  for (const Case& one : cases) {
    const auto headers = parse_otlp_headers(one.text);
    ASSERT_FALSE(headers) << one.text;
    EXPECT_THAT(headers.error().message, HasSubstr(one.want));
    EXPECT_THAT(headers.error().message, Not(HasSubstr("geheim")));
  }
}

TEST(OtlpEndpoint, gets_the_path_of_traces) {
  struct Case {
    const char* base;
    const char* want;
  };
  const Case cases[] = {
      {"http://collector:4318", "http://collector:4318/v1/traces"},
      {"https://otlp.example.org/", "https://otlp.example.org/v1/traces"},
      {"https://otlp.example.org/tenant/7//", "https://otlp.example.org/tenant/7/v1/traces"}};
  for (const Case& one : cases) {
    const auto url = parse_otlp_endpoint(one.base);
    ASSERT_TRUE(url) << one.base << ": " << url.error().message;
    EXPECT_EQ(url->text(), one.want);
  }
}

}  // namespace
}  // namespace eilbote::test::otlp_json_test
