// The table of Graph's answers and of what keeps one from coming: what each means at each step.
#include "domain/graph_judge.h"

#include <gtest/gtest.h>

#include <array>

#include "domain/delivery_codes.h"

namespace eilbote::test::graph_judge_test {
namespace {

using namespace std::chrono_literals;

// Not those of the scripted tenant.
using eilbote::GraphStep;
using eilbote::kGraphStepNames;

constexpr std::array kAllSteps{GraphStep::create, GraphStep::attach, GraphStep::send,
                               GraphStep::look,   GraphStep::search, GraphStep::sendmail};

std::string outcome_text(GraphOutcome outcome) {
  switch (outcome) {
    case GraphOutcome::done:
      return "done";
    case GraphOutcome::gone:
      return "gone";
    case GraphOutcome::open:
      return "open";
    case GraphOutcome::failed:
      return "failed";
  }
  return "?";
}

// "failed deferred CLIENT_ERROR GRAPH_THROTTLED 30s alarm"
std::string said(const GraphJudgement& judgement) {
  const DeliveryResult& result = judgement.result;
  std::string text = outcome_text(judgement.outcome) + " " + std::string(kVerdictNames.text(result.verdict)) +
                     " " + std::string(kAttemptStatusNames.text(result.attempt_status));
  if (!result.code.empty()) text += " " + result.code;
  if (result.retry_after)
    text += " " +
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*result.retry_after).count()) +
            "s";
  if (result.alarm) text += " alarm";
  return text;
}

GraphFacts answered(int status, const std::string& code = "", std::optional<Duration> retry_after = {}) {
  GraphFacts facts;
  facts.status = status;
  facts.code = code;
  facts.retry_after = retry_after;
  return facts;
}

GraphFacts fault(ExchangeFault what) {
  GraphFacts facts;
  facts.fault = what;
  return facts;
}

TEST(GraphJudge, knows_what_means_the_same_at_every_step) {
  const struct {
    GraphFacts facts;
    const char* want;
  } cases[] = {
      {answered(200), "done delivered SUCCESS"},
      {answered(202, "", 7s), "done delivered SUCCESS"},
      {answered(401, "InvalidAuthenticationToken"), "failed configuration CLIENT_ERROR GRAPH_AUTH 30s alarm"},
      {answered(403, "ErrorAccessDenied"), "failed configuration CLIENT_ERROR GRAPH_ACCESS_DENIED 30s alarm"},
      {answered(403, "Authorization_RequestDenied"),
       "failed configuration CLIENT_ERROR GRAPH_ACCESS_DENIED 30s alarm"},
      {answered(403, "ErrorSendAsDenied"), "failed permanent CLIENT_ERROR GRAPH_SENDER_DENIED alarm"},
      {answered(400, "ErrorInvalidRecipients", 7s), "failed permanent CLIENT_ERROR GRAPH_BAD_REQUEST"},
      {answered(400), "failed permanent CLIENT_ERROR GRAPH_BAD_REQUEST"},
      {answered(405), "failed permanent CLIENT_ERROR GRAPH_BAD_REQUEST"},
      {answered(409), "failed transient CLIENT_ERROR GRAPH_LOCKED"},
      {answered(412), "failed transient CLIENT_ERROR GRAPH_LOCKED"},
      {answered(423, "", 9s), "failed transient CLIENT_ERROR GRAPH_LOCKED 9s"},
      {answered(424), "failed transient CLIENT_ERROR GRAPH_LOCKED"},
      {answered(413), "failed permanent CLIENT_ERROR GRAPH_TOO_LARGE"},
      {answered(429, "TooManyRequests", 12s), "failed deferred CLIENT_ERROR GRAPH_THROTTLED 12s"},
      {answered(429), "failed deferred CLIENT_ERROR GRAPH_THROTTLED 30s"},
      {answered(503, "ApplicationThrottled", 3s), "failed deferred SERVER_ERROR GRAPH_THROTTLED 3s"},
      {answered(400, "ErrorExceededMessageLimit"), "failed deferred CLIENT_ERROR GRAPH_THROTTLED 30s"},
      {answered(507), "failed transient SERVER_ERROR GRAPH_MAILBOX_FULL 3600s alarm"},
      {answered(500, "ErrorQuotaExceeded", 7s),
       "failed transient SERVER_ERROR GRAPH_MAILBOX_FULL 3600s alarm"},
      {fault(ExchangeFault::not_sent), "failed released SUCCESS"},
      {fault(ExchangeFault::busy), "failed deferred CONNECTION_ERROR BUSY 5s"},
      {fault(ExchangeFault::dns), "failed route_fault CONNECTION_ERROR GRAPH_UNREACHABLE"},
      {fault(ExchangeFault::connect), "failed route_fault CONNECTION_ERROR GRAPH_UNREACHABLE"},
      {fault(ExchangeFault::tls), "failed configuration CONNECTION_ERROR GRAPH_TLS 30s alarm"},
      {fault(ExchangeFault::refused), "failed configuration CONNECTION_ERROR GRAPH_UNREACHABLE 30s alarm"},
  };
  for (const auto& c : cases)
    for (const GraphStep step : kAllSteps)
      EXPECT_EQ(said(judge_graph(step, c.facts)), c.want)
          << kGraphStepNames.text(step) << ": " << c.facts.status << " " << c.facts.code;
}

// Whether a mail or a draft was made is open only where one would have been made.
TEST(GraphJudge, leaves_open_what_may_have_happened) {
  const struct {
    GraphFacts facts;
    const char* want;
  } cases[] = {
      {answered(500), "transient SERVER_ERROR GRAPH_SERVER_ERROR"},
      {answered(502), "transient SERVER_ERROR GRAPH_SERVER_ERROR"},
      {answered(503, "ErrorServerBusy", 8s), "transient SERVER_ERROR GRAPH_SERVER_ERROR 8s"},
      {answered(504), "transient SERVER_ERROR GRAPH_SERVER_ERROR"},
      {answered(302), "transient SERVER_ERROR GRAPH_SERVER_ERROR"},
      {answered(408), "transient CLIENT_ERROR GRAPH_SERVER_ERROR"},
      {fault(ExchangeFault::timeout), "transient TIMEOUT GRAPH_SERVER_ERROR"},
      {fault(ExchangeFault::lost), "transient CONNECTION_ERROR GRAPH_SERVER_ERROR"},
      {fault(ExchangeFault::bad_response), "transient CONNECTION_ERROR GRAPH_SERVER_ERROR"},
  };
  for (const auto& c : cases)
    for (const GraphStep step : kAllSteps) {
      const bool makes = step == GraphStep::create || step == GraphStep::send || step == GraphStep::sendmail;
      EXPECT_EQ(said(judge_graph(step, c.facts)), std::string(makes ? "open " : "failed ") + c.want)
          << kGraphStepNames.text(step) << ": " << c.facts.status;
    }
}

TEST(GraphJudge, tells_a_missing_mailbox_from_a_missing_draft) {
  const GraphFacts facts = answered(404, "ErrorItemNotFound");
  EXPECT_EQ(said(judge_graph(GraphStep::create, facts)),
            "failed permanent CLIENT_ERROR GRAPH_MAILBOX_UNKNOWN");
  EXPECT_EQ(said(judge_graph(GraphStep::sendmail, facts)),
            "failed permanent CLIENT_ERROR GRAPH_MAILBOX_UNKNOWN");
  EXPECT_EQ(said(judge_graph(GraphStep::search, facts)),
            "failed permanent CLIENT_ERROR GRAPH_MAILBOX_UNKNOWN");
  EXPECT_EQ(said(judge_graph(GraphStep::attach, facts)), "failed permanent CLIENT_ERROR GRAPH_DRAFT_GONE");
  EXPECT_EQ(said(judge_graph(GraphStep::send, facts)), "failed permanent CLIENT_ERROR GRAPH_DRAFT_GONE");
  EXPECT_EQ(judge_graph(GraphStep::look, facts).outcome, GraphOutcome::gone);
}

TEST(GraphJudge, says_what_keeps_a_token_away) {
  GraphFacts facts;
  facts.token_failed = true;
  facts.status = 401;
  facts.code = "invalid_client";
  facts.configuration = true;
  for (const GraphStep step : kAllSteps)
    EXPECT_EQ(said(judge_graph(step, facts)), "failed configuration CLIENT_ERROR GRAPH_TOKEN 30s alarm");
  EXPECT_EQ(judge_graph(GraphStep::send, facts).result.text, "no token for Graph (invalid_client)");

  facts = {};
  facts.token_failed = true;
  facts.status = 503;
  EXPECT_EQ(said(judge_graph(GraphStep::send, facts)), "failed route_fault SERVER_ERROR GRAPH_TOKEN");
  facts.status = 429;
  facts.retry_after = 4s;
  EXPECT_EQ(said(judge_graph(GraphStep::send, facts)), "failed deferred CLIENT_ERROR GRAPH_TOKEN 4s");
  facts = fault(ExchangeFault::timeout);
  facts.token_failed = true;
  EXPECT_EQ(said(judge_graph(GraphStep::send, facts)), "failed route_fault TIMEOUT GRAPH_TOKEN")
      << "the mail itself was not sent, so nothing is open";
  facts.fault = ExchangeFault::not_sent;
  EXPECT_EQ(said(judge_graph(GraphStep::send, facts)), "failed released SUCCESS");
}

TEST(GraphJudge, keeps_graphs_own_words) {
  GraphFacts facts = answered(400, "ErrorInvalidRecipients");
  facts.text = "At least one recipient is not valid.";
  const DeliveryResult result = judge_graph(GraphStep::create, facts).result;
  EXPECT_EQ(
      result.text,
      "Graph would not create the draft (400 ErrorInvalidRecipients): At least one recipient is not valid.");
  EXPECT_EQ(result.response_code, 400);
}

// Whatever comes: a code with advice, and a result that somebody can act on.
TEST(GraphJudge, has_an_answer_for_every_status) {
  for (int status = 100; status < 700; ++status)
    for (const GraphStep step : kAllSteps) {
      const GraphJudgement judgement = judge_graph(step, answered(status));
      if (status >= 200 && status < 300) {
        EXPECT_EQ(judgement.outcome, GraphOutcome::done);
        continue;
      }
      EXPECT_NE(judgement.outcome, GraphOutcome::done) << status;
      EXPECT_NE(delivery_advice(judgement.result.code), nullptr) << status;
      EXPECT_NE(judgement.result.verdict, Verdict::released) << status;
    }
}

}  // namespace
}  // namespace eilbote::test::graph_judge_test
