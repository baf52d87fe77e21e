// A job's place in a trace: the span as it is stored, the spans of attempts, the header, and the sample.
#include "domain/traceparent.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "store/trace_column.h"

#include <fmt/format.h>

namespace eilbote::test::traceparent_test {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";

TEST(TraceSpan, is_read_as_it_is_written) {
  for (const bool sampled : {false, true}) {
    const TraceSpan span{"00f067aa0ba902b7", sampled};
    EXPECT_EQ(parse_trace_span(to_text(span)), span);
  }
  for (const char* none : {"", "00f067aa0ba902b7", "00f067aa0ba902b7-02", "00f067aa0ba902b7-1",
                           "0000000000000000-01", "00F067AA0BA902B7-01", "00f067aa0ba902b7-01-"})
    EXPECT_FALSE(parse_trace_span(none)) << none;
}

TEST(TraceSpan, shares_a_column_with_its_trace) {
  struct Case {
    std::string trace, span, column;
  };
  const Case cases[] = {{kTrace, "00f067aa0ba902b7-01", kTrace + "-00f067aa0ba902b7-01"},
                        {kTrace, "", kTrace},
                        {"", "", ""},
                        {"trace-1", "", "trace-1"},
                        {kTrace + "-no-span", "", kTrace + "-no-span"}};
  for (const Case& one : cases) {
    EXPECT_EQ(trace_column(one.trace, one.span), one.column);
    const TraceColumn read = read_trace_column(one.column);
    EXPECT_EQ(read.trace_id, one.trace);
    EXPECT_EQ(read.trace_span, one.span);
  }
}

TEST(TraceSpan, of_an_attempt_is_its_own_and_always_the_same) {
  std::set<std::string> ids;
  for (int job = 1; job <= 50; ++job)
    for (std::uint32_t round = 0; round < 50; ++round) {
      const std::string id = attempt_span_id(JobId{job}, make_lease_token(Epoch{3}, round));
      EXPECT_TRUE(parse_trace_span(id + "-01")) << id;
      ids.insert(id);
    }
  EXPECT_EQ(ids.size(), 2500U);
  EXPECT_EQ(attempt_span_id(JobId{7}, LeaseToken{9}), attempt_span_id(JobId{7}, LeaseToken{9}));
}

TEST(Traceparent, names_the_trace_the_span_and_whether_it_is_recorded) {
  EXPECT_EQ(traceparent(kTrace, {"00f067aa0ba902b7", true}), "00-" + kTrace + "-00f067aa0ba902b7-01");
  EXPECT_EQ(traceparent(kTrace, {"00f067aa0ba902b7", false}), "00-" + kTrace + "-00f067aa0ba902b7-00");
  for (const char* none : {"", "abc", "00000000000000000000000000000000", "0AF7651916CD43DD8448EB211C80319C"})
    EXPECT_EQ(traceparent(none, {"00f067aa0ba902b7", true}), "") << none;
}

TEST(TraceSample, is_decided_by_the_trace_alone_and_has_the_size_that_was_asked_for) {
  EXPECT_FALSE(in_sample("no trace id", 1));
  EXPECT_TRUE(in_sample("000000000000000000ffffffffffffff", 1));
  EXPECT_FALSE(in_sample("ffffffffffffffffff00000000000000", 0));
  SystemRandom random;
  int tenth = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string trace = fmt::format("{:016x}{:016x}", random.bits() | 1, random.bits());
    const bool is_in = in_sample(trace, 0.1);
    EXPECT_EQ(in_sample(trace, 0.1), is_in);
    if (!is_in) continue;
    EXPECT_TRUE(in_sample(trace, 0.2)) << "a larger sample holds the smaller one";
    ++tenth;
  }
  // Ten standard deviations: 1,000 of 10,000, give or take 30.
  EXPECT_GT(tenth, 700);
  EXPECT_LT(tenth, 1300);
}

}  // namespace
}  // namespace eilbote::test::traceparent_test
