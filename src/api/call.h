// Call: one request on its way through a handler, with everything it needs to be answered once, from any
// thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/api.h"
#include "api/caller.h"
#include "api/problem.h"
#include "api/query_string.h"
#include "api/trace_context.h"
#include "api/worker_pool.h"
#include "domain/public_state.h"

namespace eilbote {

struct Route;

class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(const ApiContext& api_context, WorkerPool& pool, HttpRequest http_request, Responder respond,
       Random& random);

  const ApiContext& context;
  HttpRequest request;
  Target target;
  TraceContext trace;
  Caller caller;
  const Route* route = nullptr;     // null: unknown path or method
  std::vector<std::string> params;  // what stands for {..} in the route's pattern, decoded
  std::optional<JobId> job{};       // the one it made, for its span

  void reply(HttpResponse response);
  void reply(const Problem& problem);
  void reply_json(int status, std::string body);

  // Runs `work` on a worker; answers 429 when too many wait, and 500 when it throws.
  void on_worker(std::function<void()> work);
  // The same for work that has begun already: false, and no answer, when too many wait.
  [[nodiscard]] bool try_worker(std::function<void()> work);

  ProblemPlace place() const;
  // For the jobs it makes: this request's span or, where that is not recorded anywhere, its caller's. Empty: there is none.
  std::string trace_span() const;
  // What a webhook job's public state depends on besides its row: now, and whether there is a broker.
  WebhookView view() const { return {context.settings.broker != nullptr, context.clock.now()}; }
  // Tells an empty header from an absent one.
  std::optional<std::string_view> header(std::string_view name) const;
  // 415 unless the body is JSON in UTF-8, not compressed.
  std::optional<Problem> content_type_problem() const;

 private:
  void record_span(int status) const;

  WorkerPool& workers_;
  Responder respond_;
  Clock::Steady started_;
};

using CallPtr = std::shared_ptr<Call>;  // shared between the callbacks a request passes through

}  // namespace eilbote
