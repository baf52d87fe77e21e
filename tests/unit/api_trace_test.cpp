// A request in a trace: what it takes over from its caller, what it hands on to the job it makes, and which requests are spans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "domain/tsid.h"
#include "support/api_world.h"
#include "support/eilbote_process.h"
#include "tracing/otlp_json.h"

namespace eilbote::test::api_trace_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736", kCaller = "00f067aa0ba902b7";

class KeptSpans final : public Tracer {
 public:
  bool is_in_sample = true;

  bool samples(std::string_view) const override { return is_in_sample; }
  void record(Span span) override {
    const std::lock_guard lock(mutex_);
    spans_.push_back(std::move(span));
  }
  std::vector<Span> spans() const {
    const std::lock_guard lock(mutex_);
    return spans_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Span> spans_;
};

class ApiTrace : public testing::Test {
 protected:
  ApiTrace() { world_.tracer = &tracer_; }

  HttpResponse post(const std::string& traceparent, const std::string& body = mail_json("ada@example.org")) {
    decltype(HttpRequest::headers) headers;
    if (!traceparent.empty()) headers.emplace_back("traceparent", traceparent);
    return ApiWorld::ask(world_.api(), "POST", "/messages", body, headers).get();
  }
  static std::string traceparent_of(const HttpResponse& response) {
    for (const auto& [name, value] : response.headers)
      if (name == "traceparent") return value;
    return "";
  }

  KeptSpans tracer_;
  ApiWorld world_;
};

TEST_F(ApiTrace, is_taken_over_from_the_caller_and_handed_on_to_the_job) {
  const HttpResponse response = post("00-" + kTrace + "-" + kCaller + "-01");
  ASSERT_EQ(response.status, 202) << response.body;
  const auto spans = tracer_.spans();
  ASSERT_EQ(spans.size(), 1U);
  const Span& span = spans[0];
  EXPECT_EQ(span.trace_id, kTrace);
  EXPECT_EQ(span.parent_id, kCaller);
  EXPECT_EQ(span.name, "POST /messages");
  EXPECT_FALSE(span.failed);
  EXPECT_EQ(traceparent_of(response), "00-" + kTrace + "-" + span.id + "-01");
  EXPECT_EQ(world_.intake.last.trace_id, kTrace);
  EXPECT_EQ(world_.intake.last.trace_span, span.id + "-01");
  const std::string json = otlp_json(spans, {});
  EXPECT_THAT(json, HasSubstr(to_text(world_.intake.last.id)));
  EXPECT_THAT(json, Not(HasSubstr("ada@")));
}

TEST_F(ApiTrace, is_not_recorded_when_its_caller_does_not) {
  ASSERT_EQ(post("00-" + kTrace + "-" + kCaller + "-00").status, 202);
  EXPECT_TRUE(tracer_.spans().empty());
  EXPECT_THAT(world_.intake.last.trace_span, testing::EndsWith("-00")) << "and so it stays to the end";
}

TEST_F(ApiTrace, begins_here_as_the_sample_says) {
  ASSERT_EQ(post("").status, 202);
  ASSERT_EQ(tracer_.spans().size(), 1U);
  EXPECT_EQ(tracer_.spans()[0].parent_id, "");
  EXPECT_THAT(world_.intake.last.trace_span, testing::EndsWith("-01"));
  tracer_.is_in_sample = false;
  const HttpResponse left_out = post("");
  EXPECT_EQ(tracer_.spans().size(), 1U);
  EXPECT_THAT(traceparent_of(left_out), testing::EndsWith("-00"));
  EXPECT_THAT(world_.intake.last.trace_span, testing::EndsWith("-00"));
}

TEST_F(ApiTrace, has_no_spans_of_those_who_look_and_a_mistake_of_the_client_is_no_failure) {
  for (const char* path : {"/health/live", "/metrics", "/openapi.yaml", "/nothing-is-here"})
    (void)world_.ask("GET", path).get();
  EXPECT_TRUE(tracer_.spans().empty());
  EXPECT_EQ(post("", "{}").status, 400);
  ASSERT_EQ(tracer_.spans().size(), 1U);
  EXPECT_FALSE(tracer_.spans()[0].failed);
  EXPECT_THAT(otlp_json(tracer_.spans(), {}), HasSubstr(R"("intValue":"400")"));
}

TEST_F(ApiTrace, goes_past_a_server_that_does_not_record) {
  world_.tracer = nullptr;
  ASSERT_EQ(post("00-" + kTrace + "-" + kCaller + "-01").status, 202);
  EXPECT_EQ(world_.intake.last.trace_span, kCaller + "-01") << "no span of ours would stand in between";
  ASSERT_EQ(post("").status, 202);
  EXPECT_EQ(world_.intake.last.trace_span, "");
}

}  // namespace
}  // namespace eilbote::test::api_trace_test
