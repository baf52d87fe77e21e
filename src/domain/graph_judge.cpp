#include "domain/graph_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "domain/delivery_codes.h"

namespace eilbote {
namespace {

using std::chrono::seconds;

constexpr seconds kThrottledDelay{30};  // where Graph names none
constexpr seconds kTooBusyHereDelay{5};
constexpr seconds kMailboxFullDelay{3600};

// Whether something was done for the mail that must not be done twice.
bool changes_much(GraphStep step) {
  return step == GraphStep::create || step == GraphStep::send || step == GraphStep::sendmail;
}

// ---- no answer ----

struct FaultMeaning {
  ExchangeFault fault;
  bool may_have_happened;
  Verdict verdict;
  AttemptStatus status;
  const char* code;
  const char* text;
};
constexpr std::array<FaultMeaning, 8> kNoAnswer{{
    {ExchangeFault::busy, false, Verdict::deferred, AttemptStatus::CONNECTION_ERROR, code::busy,
     "too many requests to Graph are under way"},
    {ExchangeFault::dns, false, Verdict::route_fault, AttemptStatus::CONNECTION_ERROR,
     code::graph_unreachable, "Graph's name has no address"},
    {ExchangeFault::connect, false, Verdict::route_fault, AttemptStatus::CONNECTION_ERROR,
     code::graph_unreachable, "Graph cannot be reached"},
    {ExchangeFault::tls, false, Verdict::configuration, AttemptStatus::CONNECTION_ERROR, code::graph_tls,
     "no trusted TLS connection to Graph"},
    {ExchangeFault::refused, false, Verdict::configuration, AttemptStatus::CONNECTION_ERROR,
     code::graph_unreachable, "requests may not go to Graph's address"},
    {ExchangeFault::timeout, true, Verdict::transient, AttemptStatus::TIMEOUT, code::graph_server_error,
     "no complete answer of Graph in time"},
    {ExchangeFault::lost, true, Verdict::transient, AttemptStatus::CONNECTION_ERROR, code::graph_server_error,
     "the connection to Graph ended before the answer did"},
    {ExchangeFault::bad_response, true, Verdict::transient, AttemptStatus::CONNECTION_ERROR,
     code::graph_server_error, "Graph's answer is not HTTP, or too large"},
}};

GraphJudgement judge_no_answer(GraphStep step, const GraphFacts& facts) {
  GraphJudgement judgement;  // released, unless a row says otherwise: it was given back before it began
  const auto row = std::find_if(kNoAnswer.begin(), kNoAnswer.end(),
                                [&](const FaultMeaning& one) { return one.fault == facts.fault; });
  if (row == kNoAnswer.end()) return judgement;
  if (row->may_have_happened && changes_much(step)) judgement.outcome = GraphOutcome::open;
  DeliveryResult& result = judgement.result;
  result.verdict = row->verdict;
  result.attempt_status = row->status;
  result.code = row->code;
  result.alarm = row->verdict == Verdict::configuration;
  result.text = facts.text.empty() ? row->text : fmt::format("{}: {}", row->text, facts.text);
  if (row->verdict == Verdict::deferred) result.retry_after = kTooBusyHereDelay;
  return judgement;
}

// ---- no token ----

GraphJudgement judge_no_token(const GraphFacts& facts) {
  if (facts.fault == ExchangeFault::not_sent) return {};
  GraphJudgement judgement;
  DeliveryResult& result = judgement.result;
  const bool asked_for_time = facts.status == 429;
  result.verdict = facts.configuration ? Verdict::configuration
                   : asked_for_time    ? Verdict::deferred
                                       : Verdict::route_fault;
  const bool no_answer = facts.fault != ExchangeFault::none;
  result.attempt_status = facts.fault == ExchangeFault::timeout       ? AttemptStatus::TIMEOUT
                          : no_answer                                 ? AttemptStatus::CONNECTION_ERROR
                          : facts.status >= 400 && facts.status < 500 ? AttemptStatus::CLIENT_ERROR
                                                                      : AttemptStatus::SERVER_ERROR;
  result.code = code::graph_token;
  result.response_code = facts.status;
  result.alarm = facts.configuration;
  result.text =
      fmt::format("no token for Graph{}{}", facts.code.empty() ? "" : fmt::format(" ({})", facts.code),
                  facts.text.empty() ? "" : ": " + facts.text);
  if (asked_for_time) result.retry_after = facts.retry_after.value_or(kThrottledDelay);
  return judgement;
}

// ---- an answer ----

struct AnswerMeaning {
  int status;             // 0: any
  std::string_view code;  // Graph's; empty: any
  Verdict verdict;
  const char* our_code;
  bool alarm = false;
};
// The first row that fits. Graph's codes come first, as its statuses differ between services for the same thing.
constexpr std::array kAnswers = std::to_array<AnswerMeaning>({
    {0, "TooManyRequests", Verdict::deferred, code::graph_throttled},
    {0, "ApplicationThrottled", Verdict::deferred, code::graph_throttled},
    {0, "ErrorExceededMessageLimit", Verdict::deferred, code::graph_throttled},
    {0, "ErrorSendAsDenied", Verdict::permanent, code::graph_sender_denied, true},
    {0, "ErrorQuotaExceeded", Verdict::transient, code::graph_mailbox_full, true},
    {0, "ErrorMessageSizeExceeded", Verdict::permanent, code::graph_too_large},
    {401, "", Verdict::configuration, code::graph_auth, true},
    {403, "", Verdict::configuration, code::graph_access_denied, true},
    {404, "", Verdict::permanent, code::graph_mailbox_unknown},
    {409, "", Verdict::transient, code::graph_locked},
    {412, "", Verdict::transient, code::graph_locked},
    {413, "", Verdict::permanent, code::graph_too_large},
    {423, "", Verdict::transient, code::graph_locked},
    {424, "", Verdict::transient, code::graph_locked},  // in a batch: another request of it failed
    {429, "", Verdict::deferred, code::graph_throttled},
    {507, "", Verdict::transient, code::graph_mailbox_full, true},
});

const AnswerMeaning* meaning_of(const GraphFacts& facts) {
  const auto row = std::find_if(kAnswers.begin(), kAnswers.end(), [&](const AnswerMeaning& one) {
    return one.status == 0 ? one.code == facts.code : one.status == facts.status;
  });
  return row == kAnswers.end() ? nullptr : &*row;
}

std::string words_of_graph(GraphStep step, const GraphFacts& facts) {
  return fmt::format("Graph would not {} ({}{}){}", kGraphStepNames.text(step), facts.status,
                     facts.code.empty() ? "" : " " + facts.code, facts.text.empty() ? "" : ": " + facts.text);
}

// What no row names: a request Graph does not take, or a server that may have done it or not.
void judge_other(GraphStep step, const GraphFacts& facts, GraphJudgement& judgement) {
  const bool is_refusal = facts.status >= 400 && facts.status < 500 && facts.status != 408;
  judgement.result.verdict = is_refusal ? Verdict::permanent : Verdict::transient;
  judgement.result.code = is_refusal ? code::graph_bad_request : code::graph_server_error;
  if (!is_refusal && changes_much(step)) judgement.outcome = GraphOutcome::open;
}

// A draft that is not there is not a mailbox that is not there.
bool is_about_draft(GraphStep step) {
  return step == GraphStep::attach || step == GraphStep::send;
}

void set_wait(const GraphFacts& facts, DeliveryResult& result) {
  if (result.verdict == Verdict::permanent || result.verdict == Verdict::configuration) return;
  result.retry_after = facts.retry_after;
  if (result.verdict == Verdict::deferred && !result.retry_after) result.retry_after = kThrottledDelay;
  if (result.code == code::graph_mailbox_full)
    result.retry_after = std::max<Duration>(result.retry_after.value_or(Duration{0}), kMailboxFullDelay);
}

GraphJudgement judge(GraphStep step, const GraphFacts& facts) {
  if (facts.token_failed) return judge_no_token(facts);
  if (facts.fault != ExchangeFault::none) return judge_no_answer(step, facts);
  GraphJudgement judgement;
  DeliveryResult& result = judgement.result;
  result.response_code = facts.status;
  if (facts.status >= 200 && facts.status < 300) {
    judgement.outcome = GraphOutcome::done;
    result.verdict = Verdict::delivered;
    return judgement;
  }
  if (step == GraphStep::look && facts.status == 404) judgement.outcome = GraphOutcome::gone;
  const bool is_client_error = facts.status >= 400 && facts.status < 500;
  result.attempt_status = is_client_error ? AttemptStatus::CLIENT_ERROR : AttemptStatus::SERVER_ERROR;
  result.text = words_of_graph(step, facts);
  if (const AnswerMeaning* row = meaning_of(facts)) {
    result.verdict = row->verdict;
    result.code = row->our_code;
    result.alarm = row->alarm;
    if (facts.status == 404 && is_about_draft(step)) result.code = code::graph_draft_gone;
  } else {
    judge_other(step, facts, judgement);
  }
  set_wait(facts, result);
  return judgement;
}

}  // namespace

GraphJudgement judge_graph(GraphStep step, const GraphFacts& facts) {
  GraphJudgement judgement = judge(step, facts);
  // The breaker keeps mails back until a probe finds it mended; then they need not wait for long.
  if (judgement.result.verdict == Verdict::configuration) judgement.result.retry_after = kGraphMendDelay;
  return judgement;
}

}  // namespace eilbote
