// POST /dispatch-jobs and POST /dispatch-jobs/batch: read, check, hand to the intake; the answer comes after its commit, and
// with a broker, a moment later, once that has the job.
#include <fmt/format.h>

#include <algorithm>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include "api/accepting.h"
#include "api/handlers.h"
#include "api/json_document.h"
#include "api/new_webhook_job.h"
#include "api/outbound_target.h"
#include "api/publishing.h"
#include "api/webhook_json.h"
#include "domain/idempotency.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// A job that was read and waits to be checked against what it refers to.
struct Order {
  Webhook webhook;
  JobOrigin origin;
};

// Whose job it is: an operator may hand one in for a client, everybody else only for themselves.
tl::expected<ClientName, Problem> client_of(const Call& call, const std::string& named) {
  if (named.empty() || named == call.caller.client().value()) return call.caller.client();
  if (!call.caller.has(Scope::ops_admin))
    return tl::unexpected(Problem{ProblemKind::foreign_client,
                                  "/clientId: must be left out, or be your own client",
                                  {{"/clientId", "must be left out, or be your own client"}}});
  const bool printable = std::ranges::all_of(named, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
  if (named.size() > 255 || !printable)
    return tl::unexpected(invalid({{"/clientId", "must have at most 255 bytes and no control characters"}}));
  return ClientName{named};
}

tl::expected<Order, Problem> read_order(const Call& call, const json::value& body) {
  WebhookReading reading = read_webhook(body, call.context.settings.webhook_limits, call.context.clock.now());
  if (reading.problem) return tl::unexpected(std::move(*reading.problem));
  auto client = client_of(call, reading.client_id);
  if (!client) return tl::unexpected(client.error());
  Order order{std::move(reading.webhook),
              {std::move(*client), call.trace.trace_id, call.trace_span(), {}, {}}};
  if (!order.webhook.idempotency_key.empty()) order.origin.fingerprint = fingerprint(body);
  return order;
}

using JobAnswer = std::function<void(int status, JobId id, std::string body)>;
using Refusal = std::function<void(const Problem&)>;

// A twin's answer is the first job, as it is now.
void answer_replay(const CallPtr& call, JobId id, const JobAnswer& answer, const Refusal& refuse) {
  const auto found = call->context.outbox.find(id, std::nullopt);
  if (!found) return refuse(to_problem(found.error()));
  if (!*found || !(*found)->webhook)
    return refuse({ProblemKind::not_found,
                   "the job of this idempotencyKey is no longer kept; a new job needs another key",
                   {}});
  answer(200, id, json::serialize(dispatch_job_json(**found, call->view())));
}

void accept(const CallPtr& call, Order order, const JobAnswer& answer, const Refusal& refuse) {
  const ApiContext& context = call->context;
  NewJob job = new_webhook_job(context, std::move(order.webhook), std::move(order.origin));
  const WebhookView view = call->view();
  const bool waits = publishes_at_once(context, job);
  json::object record = dispatch_job_json(accepted_record(job, view.now), view);
  std::string created = waits ? without_status(std::move(record)) : json::serialize(record);
  const bool taken = context.intake.accept(
      std::move(job), call->request.reservation,
      [call, answer, refuse, waits, created = std::move(created)](const IntakeAnswer& given) mutable {
        if (const auto problem = problem_of(given, kJobs)) return refuse(*problem);
        const JobId id = given.id;
        if (given.kind == IntakeAnswer::Kind::accepted && waits)
          return answer_when_published(call->context, id, std::move(created),
                                       [answer, id](std::string text) { answer(201, id, std::move(text)); });
        if (given.kind == IntakeAnswer::Kind::accepted) return answer(201, id, std::move(created));
        if (!call->try_worker([call, id, answer, refuse] { answer_replay(call, id, answer, refuse); }))
          refuse(intake_full(*call, kJobs));
      });
  if (!taken) refuse(intake_full(*call, kJobs));
}

void accept_checked(const CallPtr& call, Order order, std::chrono::milliseconds& patience,
                    const JobAnswer& answer, const Refusal& refuse) {
  if (const auto problem = check_references(call->context, order.webhook, order.origin.client, patience))
    return refuse(*problem);
  accept(call, std::move(order), answer, refuse);
}

// ---- one ----

void answer_one(Call& call, int status, JobId id, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  call.job = id;
  response.headers.emplace_back("Location", "/dispatch-jobs/" + to_text(id));
  if (status == 200) response.headers.emplace_back("Idempotency-Replayed", "true");
  call.reply(std::move(response));
}

void accept_one(const CallPtr& call) {
  json::monotonic_resource memory;
  const auto body = read_json(call->request.body, &memory);
  if (!body) return call->reply(body.error());
  auto order = read_order(*call, *body);
  if (!order) return call->reply(order.error());
  call->request.body = {};
  const JobAnswer answer = [call](int status, JobId id, std::string text) {
    answer_one(*call, status, id, std::move(text));
  };
  const Refusal refuse = [call](const Problem& problem) { call->reply(problem); };
  if (!needs_lookup(call->context, order->webhook)) return accept(call, std::move(*order), answer, refuse);
  auto shared = std::make_shared<Order>(std::move(*order));
  call->on_worker([call, shared, answer, refuse] {
    auto patience = kNamePatience;
    accept_checked(call, std::move(*shared), patience, answer, refuse);
  });
}

// ---- batch ----

void accept_item(const CallPtr& call, const std::shared_ptr<BatchAnswer>& batch, const json::value& item,
                 std::size_t index, std::chrono::milliseconds& patience) {
  auto order = read_order(*call, item);
  if (!order) return batch->refuse(index, order.error());
  accept_checked(
      call, std::move(*order), patience,
      [batch, index](int status, JobId, const std::string& job) {
        batch->set(index, fmt::format(R"({{"index":{},"status":{},"job":{}}})", index, status, job));
      },
      [batch, index](const Problem& problem) { batch->refuse(index, problem); });
}

}  // namespace

void post_dispatch_job(const CallPtr& call) {
  accept_body(call, accept_one);
}

void post_dispatch_jobs_batch(const CallPtr& call) {
  // Its items come one after the other, and share the time.
  accept_batch(call, kJobs,
               [call, patience = kNamePatience](const auto& batch, const json::value& item,
                                                std::size_t index) mutable {
                 accept_item(call, batch, item, index, patience);
               });
}

}  // namespace eilbote
