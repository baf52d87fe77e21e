// The exporter with a receiver that takes, refuses, asks for time, hangs and is away: what becomes of spans is counted, and
// whoever records one never waits.
#include "tracing/otlp_exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/otlp_endpoint.h"
#include "metrics/metrics.h"
#include "support/metric_value.h"
#include "support/secrets_by_hand.h"
#include "support/trace_receiver.h"

namespace eilbote::test::otlp_exporter_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

HttpScene answering(int status, const std::string& body = "{}", const std::string& headers = "") {
  return {.answer = http_answer(status, body, headers)};
}
HttpScript always(HttpScene scene) {
  return {.scenes = {std::move(scene)}};
}
// Takes requests and never says a word.
HttpScript hanging() {
  return always({.answer = "", .then = HttpScene::Then::silence});
}

class Exporter : public testing::Test {
 protected:
  // Quick in everything; a test changes what it is about.
  OtlpOptions options(const std::string& base) {
    OtlpOptions options;
    options.url = parse_otlp_endpoint(base).value();
    options.resource = {"1.2", "mail-1"};
    options.batch_wait = 5ms;
    options.pause_first = 5ms;
    options.pause_max = 20ms;
    return options;
  }
  void start(OtlpOptions options) {
    auto made = make_otlp_exporter(std::move(options), {secrets_, metrics_, clock_, random_});
    ASSERT_TRUE(made) << made.error().message;
    exporter_ = std::move(*made);
  }
  void record(int count, const std::string& name = "smtp send") {
    for (int i = 0; i < count; ++i) {
      Span span;
      span.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
      span.id = "00f067aa0ba902b7";
      span.name = name;
      exporter_->record(std::move(span));
    }
  }
  double spans(const std::string& outcome) const {
    return metric_value(metrics_, "eilbote_trace_spans_total{outcome=\"" + outcome + "\"}").value_or(0);
  }
  bool reaches(const std::string& outcome, double count) const {
    return eventually([&] { return spans(outcome) == count; });
  }

  SecretsByHand secrets_{"api-key=abc"};
  Metrics metrics_;
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<TraceExporter> exporter_;  // last: it uses the others
};

TEST_F(Exporter, sends_spans_in_batches_with_its_headers) {
  const TraceReceiver receiver;
  OtlpOptions some = options(receiver.url());
  some.headers_ref = "vault://otlp#headers";
  some.batch_max = 3;
  start(std::move(some));
  record(7);
  ASSERT_TRUE(reaches("sent", 7)) << metrics_.render();
  const auto requests = receiver.requests();
  EXPECT_GE(requests.size(), 3U) << "three at most in one";
  for (const HttpSeen& request : requests) {
    EXPECT_EQ(request.line, "POST /v1/traces HTTP/1.1");
    EXPECT_EQ(request.headers.at("content-type"), "application/json");
    EXPECT_EQ(request.headers.at("user-agent"), "Eilbote/1.2");
    EXPECT_EQ(request.headers.at("api-key"), "abc");
    EXPECT_THAT(request.body, HasSubstr(R"("stringValue":"mail-1")"));
  }
  EXPECT_EQ(receiver.spans().size(), 7U);
}

TEST_F(Exporter, tries_again_when_the_receiver_asks_for_time) {
  for (const int busy : {429, 502, 503, 504}) {
    const TraceReceiver receiver(
        {.scenes = {answering(busy), answering(busy, "", "Retry-After: 3600\r\n"), answering(200)}});
    start(options(receiver.url()));
    const double before = spans("sent");
    record(2);
    EXPECT_TRUE(reaches("sent", before + 2)) << busy << ": an hour is not waited for";
    EXPECT_EQ(receiver.requests().size(), 3U) << busy;
    exporter_.reset();
  }
  EXPECT_EQ(spans("failed"), 0);
}

TEST_F(Exporter, gives_a_batch_up_that_is_refused_or_was_tried_often_enough) {
  const TraceReceiver refusing(always(answering(400))), busy(always(answering(503)));
  start(options(refusing.url()));
  record(2);
  EXPECT_TRUE(reaches("failed", 2));
  EXPECT_EQ(refusing.requests().size(), 1U) << "it would say the same again";
  exporter_.reset();
  OtlpOptions thrice = options(busy.url());
  thrice.tries_max = 3;
  start(std::move(thrice));
  record(1);
  EXPECT_TRUE(reaches("failed", 3));
  EXPECT_EQ(busy.requests().size(), 3U);
  EXPECT_EQ(spans("sent"), 0);
}

TEST_F(Exporter, counts_the_spans_that_a_receiver_refused_out_of_a_batch) {
  const TraceReceiver receiver(always(answering(200, R"({"partialSuccess":{"rejectedSpans":"2"}})")));
  OtlpOptions one_batch = options(receiver.url());
  one_batch.batch_max = 5;
  one_batch.batch_wait = 1h;
  start(std::move(one_batch));
  record(5);
  EXPECT_TRUE(reaches("sent", 3));
  EXPECT_EQ(spans("failed"), 2);
}

TEST_F(Exporter, never_waits_for_a_receiver_that_hangs) {
  const TraceReceiver receiver(hanging());
  OtlpOptions small = options(receiver.url());
  small.spans_max = 100;
  small.batch_max = 10;
  small.timeout = 1h;
  small.last_words_max = 50ms;
  start(std::move(small));
  record(1);
  ASSERT_TRUE(eventually([&] { return !receiver.requests().empty(); }));
  const auto began = std::chrono::steady_clock::now();
  record(1000);
  EXPECT_EQ(spans("dropped"), 900) << "there is room for a hundred, and the first one is on its way";
  exporter_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 20s) << "an hour was not waited for";
  EXPECT_EQ(spans("sent"), 0);
  EXPECT_EQ(spans("dropped") + spans("failed"), 1001);
}

TEST_F(Exporter, loses_spans_and_nothing_else_while_nobody_listens) {
  std::string nobody;
  {
    const TraceReceiver gone;
    nobody = gone.url();
  }
  OtlpOptions twice = options(nobody);
  twice.tries_max = 2;
  start(std::move(twice));
  record(4);
  EXPECT_TRUE(reaches("failed", 4));
}

TEST_F(Exporter, sends_what_waits_before_it_stops_and_takes_nothing_afterwards) {
  const TraceReceiver receiver;
  OtlpOptions patient = options(receiver.url());
  patient.batch_wait = 1h;
  patient.batch_max = 4;
  start(std::move(patient));
  record(10);
  exporter_->stop();
  EXPECT_EQ(spans("sent"), 10);
  record(1);
  EXPECT_EQ(spans("dropped"), 1);
  exporter_->stop();
  EXPECT_EQ(receiver.spans().size(), 10U);
}

TEST_F(Exporter, waits_for_headers_that_are_not_known_yet_and_sends_none_that_are_wrong) {
  const TraceReceiver receiver;
  secrets_.forget();
  OtlpOptions with_headers = options(receiver.url());
  with_headers.headers_ref = "vault://otlp#headers";
  with_headers.tries_max = 1000;
  start(with_headers);
  record(1);
  ASSERT_TRUE(secrets_.resolve("vault://otlp#headers"));  // from now on it is at hand
  EXPECT_TRUE(reaches("sent", 1));
  exporter_.reset();
  secrets_.rotate("no header at all");
  ASSERT_TRUE(secrets_.resolve("vault://otlp#headers"));
  with_headers.tries_max = 2;
  start(with_headers);
  record(1);
  EXPECT_TRUE(reaches("failed", 1));
  EXPECT_EQ(receiver.requests().size(), 1U);
}

TEST_F(Exporter, samples_by_the_trace) {
  const TraceReceiver receiver;
  OtlpOptions half = options(receiver.url());
  half.sample = 0.5;
  start(std::move(half));
  EXPECT_TRUE(exporter_->samples("4bf92f3577b34da6a37fffffffffffff"));
  EXPECT_FALSE(exporter_->samples("4bf92f3577b34da6a380000000000000"));
}

}  // namespace
}  // namespace eilbote::test::otlp_exporter_test
