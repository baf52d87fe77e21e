#include "channel/graph_ask.h"

#include <fmt/format.h>

#include <condition_variable>
#include <memory>

#include "base/mutex.h"
#include "base/url_escape.h"

namespace eilbote {
namespace {

// Shared with the answers' callbacks, which may come after nobody waits any more.
struct Gathered {
  Mutex mutex;
  std::condition_variable_any changed;
  std::vector<GraphAnswer> answers EILBOTE_GUARDED_BY(mutex);
  std::size_t missing EILBOTE_GUARDED_BY(mutex) = 0;
};

std::string_view fault_word(ExchangeFault fault) {
  switch (fault) {
    case ExchangeFault::none:
      return "";
    case ExchangeFault::not_sent:
      return "not sent";
    case ExchangeFault::busy:
      return "busy";
    case ExchangeFault::dns:
      return "no address";
    case ExchangeFault::connect:
      return "no connection";
    case ExchangeFault::tls:
      return "no trusted connection";
    case ExchangeFault::timeout:
      return "no answer in time";
    case ExchangeFault::lost:
      return "the connection was lost";
    case ExchangeFault::refused:
      return "refused by the outbound guard";
    case ExchangeFault::bad_response:
      return "an answer that cannot be read";
  }
  return "";
}

}  // namespace

std::vector<GraphAnswer> ask_all(GraphDoor& door, std::vector<GraphCall> calls, const std::stop_token& stop) {
  const auto gathered = std::make_shared<Gathered>();
  {
    const MutexLock lock(gathered->mutex);
    gathered->answers.resize(calls.size());
    for (GraphAnswer& answer : gathered->answers)
      answer.fault = ExchangeFault::not_sent;
    gathered->missing = calls.size();
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].about_to_send = [stop] { return !stop.stop_requested(); };
    door.call(std::move(calls[i]), [gathered, i](GraphAnswer answer) {
      const MutexLock lock(gathered->mutex);
      gathered->answers[i] = std::move(answer);
      if (--gathered->missing == 0) gathered->changed.notify_all();
    });
  }
  const MutexLock lock(gathered->mutex);
  gathered->changed.wait(gathered->mutex, stop,
                         [&]() EILBOTE_REQUIRES(gathered->mutex) { return gathered->missing == 0; });
  return gathered->answers;
}

GraphAnswer ask(GraphDoor& door, GraphCall call, const std::stop_token& stop) {
  std::vector<GraphCall> calls;
  calls.push_back(std::move(call));
  return std::move(ask_all(door, std::move(calls), stop).front());
}

std::string user_path(const std::string& mailbox) {
  return "/users/" + url_escaped(mailbox);
}

std::string in_short(const GraphAnswer& answer) {
  if (answer.fault != ExchangeFault::none) return std::string(fault_word(answer.fault));
  std::string text = answer.token_failed ? "no token: " : "";
  text += answer.status > 0 ? std::to_string(answer.status) : "no answer";
  if (!answer.code.empty()) text += " " + answer.code;
  return text;
}

}  // namespace eilbote
