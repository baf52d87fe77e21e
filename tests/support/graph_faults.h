// What can go wrong between a client and the scripted Graph tenant, at each step of a mail's way. A plan says what happens to a
// request: a function of its step and of how many of that step there were.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace eilbote::test {

enum class GraphStep {
  token,
  create,  // a draft
  patch,
  look,  // at one message
  search,
  remove,
  attach,
  open_upload,
  upload,  // a chunk
  send,
  send_mail,
  batch,
  subscribe,  // made, renewed, removed
  delta,
  read_mime,
  trace,
  probe,  // whether the mailbox is there
};
inline constexpr auto kGraphStepNames = enum_names<GraphStep>({{GraphStep::token, "token"},
                                                               {GraphStep::create, "create"},
                                                               {GraphStep::patch, "patch"},
                                                               {GraphStep::look, "look"},
                                                               {GraphStep::search, "search"},
                                                               {GraphStep::remove, "remove"},
                                                               {GraphStep::attach, "attach"},
                                                               {GraphStep::open_upload, "open_upload"},
                                                               {GraphStep::upload, "upload"},
                                                               {GraphStep::send, "send"},
                                                               {GraphStep::send_mail, "send_mail"},
                                                               {GraphStep::batch, "batch"},
                                                               {GraphStep::subscribe, "subscribe"},
                                                               {GraphStep::delta, "delta"},
                                                               {GraphStep::read_mime, "read_mime"},
                                                               {GraphStep::trace, "trace"},
                                                               {GraphStep::probe, "probe"}});
static_assert(kGraphStepNames.complete());

struct GraphFault {
  enum class How {
    none,
    answer,  // with `status` and `code`
    hang,    // no answer until the client gives up
    reset,
    slow_down,  // a good answer, with a Retry-After on it
  };
  How how = How::none;
  bool after = false;  // what was asked for is done, and then it goes wrong
  int status = 0;
  std::string code{};  // empty: a body that is no JSON, as gateways write it
  std::optional<int> retry_after{};

  static GraphFault throttled(std::optional<int> retry_after = 1) {
    return {.how = How::answer, .status = 429, .code = "TooManyRequests", .retry_after = retry_after};
  }
  static GraphFault refused(int status, const std::string& code) {
    return {.how = How::answer, .status = status, .code = code};
  }
  // 401: the token is no good from now on.
  static GraphFault unauthorized() { return refused(401, "InvalidAuthenticationToken"); }
  static GraphFault broken(int status, bool after) {
    return {.how = How::answer,
            .after = after,
            .status = status,
            .code = status == 500   ? "ErrorInternalServerError"
                    : status == 503 ? "ErrorServerBusy"
                                    : ""};
  }
  static GraphFault hang(bool after) { return {.how = How::hang, .after = after}; }
  static GraphFault reset(bool after) { return {.how = How::reset, .after = after}; }
  static GraphFault slow_down() { return {.how = How::slow_down, .retry_after = 1}; }
};

// `number` counts the requests of this step, from 1. Called from many threads.
using GraphFaults = std::function<GraphFault(GraphStep step, int number)>;

// One fault, for the first request of this step.
inline GraphFaults first_time(GraphStep step, const GraphFault& fault) {
  return
      [step, fault](GraphStep now, int number) { return now == step && number == 1 ? fault : GraphFault{}; };
}
inline GraphFaults every_time(GraphStep step, const GraphFault& fault) {
  return [step, fault](GraphStep now, int) { return now == step ? fault : GraphFault{}; };
}

// Everything that is no final refusal, at `percent` of all requests, whatever their step. Hangs are rare: each costs the client
// its timeout.
inline GraphFaults random_faults(std::uint64_t seed, int percent) {
  struct Dice {
    std::mutex mutex;
    std::mt19937_64 engine;
  };
  const auto dice = std::make_shared<Dice>();
  dice->engine.seed(seed);
  const std::vector<GraphFault> kinds = {GraphFault::throttled(),       GraphFault::throttled(std::nullopt),
                                         GraphFault::unauthorized(),    GraphFault::broken(500, false),
                                         GraphFault::broken(500, true), GraphFault::broken(502, false),
                                         GraphFault::broken(502, true), GraphFault::broken(503, false),
                                         GraphFault::broken(503, true), GraphFault::broken(504, false),
                                         GraphFault::broken(504, true), GraphFault::reset(false),
                                         GraphFault::reset(true),       GraphFault::reset(true),
                                         GraphFault::slow_down(),       GraphFault::hang(false),
                                         GraphFault::hang(true)};
  return [dice, kinds, percent](GraphStep, int) {
    const std::lock_guard lock(dice->mutex);
    if (static_cast<int>(dice->engine() % 100) >= percent) return GraphFault{};
    return kinds[dice->engine() % kinds.size()];
  };
}

}  // namespace eilbote::test
