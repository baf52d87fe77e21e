// An attempt in its job's trace: who decides whether it is recorded, what goes along with it, and what its span says.
#include "engine/attempt_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/delivery_codes.h"
#include "domain/traceparent.h"
#include "domain/tsid.h"
#include "engine/finished.h"
#include "tracing/otlp_json.h"

namespace eilbote::test::attempt_trace_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kSampled = "00f067aa0ba902b7-01", kUnsampled = "00f067aa0ba902b7-00";

class OneAnswer final : public Tracer {
 public:
  explicit OneAnswer(bool samples) : samples_(samples) {}
  bool samples(std::string_view) const override { return samples_; }
  void record(Span) override {}

 private:
  const bool samples_;
};

ClaimedJob claimed(ChannelKind channel = ChannelKind::mail) {
  ClaimedJob claimed;
  claimed.job.id = JobId{4711};
  claimed.job.channel = channel;
  claimed.job.pool = "news";
  claimed.job.route = channel == ChannelKind::webhook ? "hooks.example.org" : "";
  claimed.job.status = JobStatus::dispatching;
  claimed.token = make_lease_token(Epoch{2}, 3);
  return claimed;
}

TEST(AttemptTrace, is_recorded_as_the_job_came_and_else_as_the_sample_says) {
  const OneAnswer all(true), none(false);
  struct Case {
    const char* name;
    std::string trace, span;
    const Tracer* tracer;
    bool recorded;
    std::string parent, flags;
  };
  const Case cases[] = {
      {"sampled", kTrace, kSampled, &none, true, "00f067aa0ba902b7", "-01"},
      {"not sampled", kTrace, kUnsampled, &all, false, "00f067aa0ba902b7", "-00"},
      {"not known, in the sample", kTrace, "", &all, true, "", "-01"},
      {"not known, not in it", kTrace, "", &none, false, "", "-00"},
      {"not known, nobody traces", kTrace, "", nullptr, false, "", "-00"},
  };
  const std::string own = attempt_span_id(claimed().job.id, claimed().token);
  for (const Case& one : cases) {
    const AttemptTrace trace = trace_attempt(claimed(), one.trace, one.span, one.tracer);
    EXPECT_EQ(trace.recorded, one.recorded) << one.name;
    EXPECT_EQ(trace.parent_id, one.parent) << one.name;
    EXPECT_EQ(trace.traceparent, "00-" + kTrace + "-" + own + one.flags) << one.name;
  }
  EXPECT_EQ(trace_attempt(claimed(), "no trace", kSampled, &all).traceparent, "");
  EXPECT_FALSE(trace_attempt(claimed(), "no trace", kSampled, &all).recorded);
  EXPECT_EQ(trace_attempt(claimed(), kTrace, kSampled, nullptr).traceparent, "00-" + kTrace + "-" + kSampled)
      << "no span of ours would stand in between";
}

// The span of an attempt with this result, as a receiver gets it.
std::string span_of(ChannelKind channel, DeliveryResult result) {
  const OneAnswer all(true);
  FakeClock clock;
  FixedRandom random(0);
  Started started;
  started.claimed = claimed(channel);
  started.recipients = {{RecipientKind::to, "ada@example.org"}};
  started.route = channel == ChannelKind::mail ? "smtp" : "hooks.example.org";
  started.trace_id = kTrace;
  started.trace = trace_attempt(started.claimed, kTrace, kSampled, &all);
  started.at = clock.now();
  started.began = clock.steady_now();
  clock.advance(20ms);
  const FinishedPtr finished = make_finished(started, std::move(result), clock, random);
  const Span span = attempt_span(started, *finished, "smtp send");
  return otlp_json(std::span(&span, 1), {});
}

std::string text(const std::string& name, const std::string& value) {
  return R"({"key":")" + name + R"(","value":{"stringValue":")" + value + R"("}})";
}
std::string number(const std::string& name, int value) {
  return R"({"key":")" + name + R"(","value":{"intValue":")" + std::to_string(value) + R"("}})";
}

TEST(AttemptTrace, of_a_mail_that_was_taken_names_the_relays_queue_id) {
  DeliveryResult taken;
  taken.verdict = Verdict::delivered;
  taken.smtp_code = 250;
  taken.provider_message_id = "4Xyz";
  taken.recipients = {{0, RecipientStatus::taken, "250 ok ada@example.org"}};
  const std::string span = span_of(ChannelKind::mail, taken);
  for (const std::string& want :
       {text("eilbote.job_id", to_text(JobId{4711})), number("eilbote.attempt", 1),
        text("eilbote.pool", "news"), text("eilbote.route", "smtp"), text("eilbote.outcome", "delivered"),
        text("eilbote.state", "SENT"), number("eilbote.smtp_code", 250),
        text("eilbote.provider_message_id", "4Xyz"), std::string(R"("name":"smtp send","kind":3)"),
        std::string(R"("parentSpanId":"00f067aa0ba902b7")")})
    EXPECT_THAT(span, HasSubstr(want));
  EXPECT_THAT(span, Not(HasSubstr("status\":{")));
  EXPECT_THAT(span, Not(HasSubstr("ada@")));
}

TEST(AttemptTrace, of_a_dead_job_has_the_code_and_not_what_the_other_side_said) {
  DeliveryResult refused;
  refused.verdict = Verdict::permanent;
  refused.attempt_status = AttemptStatus::CLIENT_ERROR;
  refused.code = "HTTP_400";
  refused.response_code = 400;
  refused.text = "no such customer: ada@example.org";
  refused.response_body = "ada@example.org";
  refused.diagnostic = "ada@example.org";
  const std::string span = span_of(ChannelKind::webhook, refused);
  for (const std::string& want :
       {std::string(R"("name":"webhook POST")"), number("http.response.status_code", 400),
        text("eilbote.route", "hooks.example.org"), text("eilbote.outcome", "permanent"),
        text("eilbote.state", "ERROR"), text("eilbote.dead_reason", "PermanentFailure"),
        text("error.type", "HTTP_400"), std::string(R"("status":{"code":2,"message":"HTTP_400"})")})
    EXPECT_THAT(span, HasSubstr(want));
  EXPECT_THAT(span, Not(HasSubstr("ada@")));
}

TEST(AttemptTrace, of_an_attempt_that_comes_again_is_marked_too) {
  DeliveryResult later;
  later.verdict = Verdict::transient;
  later.attempt_status = AttemptStatus::SERVER_ERROR;
  later.code = "SMTP_451";
  later.smtp_code = 451;
  const std::string span = span_of(ChannelKind::mail, later);
  EXPECT_THAT(span, HasSubstr(text("eilbote.state", "RETRY_PENDING")));
  EXPECT_THAT(span, HasSubstr(R"("status":{"code":2,"message":"SMTP_451"})"));
}

}  // namespace
}  // namespace eilbote::test::attempt_trace_test
