// What an answer of Microsoft Graph means for the mail: one table, in graph_judge.cpp. Pure. Used by the Graph channel, which
// knows what to ask next where an answer leaves open whether something happened.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "domain/delivery.h"
#include "domain/exchange_fault.h"

namespace eilbote {

// create: the draft. attach: whatever is done to the draft before it is sent. send: the draft. look: at the draft.
// search: for it, or for what was sent. sendmail: everything in one request.
enum class GraphStep { create, attach, send, look, search, sendmail };
inline constexpr auto kGraphStepNames = enum_names<GraphStep>({{GraphStep::create, "create the draft"},
                                                               {GraphStep::attach, "complete the draft"},
                                                               {GraphStep::send, "send the draft"},
                                                               {GraphStep::look, "look at the draft"},
                                                               {GraphStep::search, "search the mailbox"},
                                                               {GraphStep::sendmail, "send the mail"}});
static_assert(kGraphStepNames.complete());

struct GraphFacts {
  ExchangeFault fault = ExchangeFault::none;
  int status = 0;              // 0: none came
  std::string code;            // Graph's error.code, or the token endpoint's `error`
  std::string text;            // for people
  bool token_failed = false;   // the request was not sent: the rest is about the token
  bool configuration = false;  // with token_failed: a person must act
  std::optional<Duration> retry_after;
};

enum class GraphOutcome {
  done,    // 2xx
  gone,    // 404 at a look: there is no such draft any more
  open,    // it may have happened or not: ask before anything is repeated
  failed,  // it did not happen
};

struct GraphJudgement {
  GraphOutcome outcome = GraphOutcome::failed;
  DeliveryResult
      result;  // failed: what came of the attempt. open: the same, if asking shows that it did not happen
};

// How long a mail waits after a fault that a person must mend.
inline constexpr Duration kGraphMendDelay = std::chrono::seconds{30};

GraphJudgement judge_graph(GraphStep step, const GraphFacts& facts);

}  // namespace eilbote
