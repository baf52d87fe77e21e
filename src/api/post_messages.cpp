// POST /messages and POST /messages/batch: read, check, hand to the intake; the answer comes after its
// commit.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>

#include "api/batch_answer.h"
#include "api/callback.h"
#include "api/handlers.h"
#include "api/json_document.h"
#include "api/json_fields.h"
#include "api/mail_json.h"
#include "api/new_mail_job.h"
#include "domain/idempotency.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// Larger bodies are read by a worker: parsing them would hold up the HTTP thread.
constexpr std::size_t kInlineBytesMax = 64 * 1024;
constexpr std::size_t kBatchMax = 1000;

Problem full(const Call& call) {
  call.context.metrics.add(Metric::http_overload, 1, {"intake"});
  return {
      ProblemKind::overloaded, "too many messages are waiting to be committed; try again in a moment", {}};
}

// Absent: accepted, now or before.
std::optional<Problem> problem_of(const IntakeAnswer& answer) {
  switch (answer.kind) {
    case IntakeAnswer::Kind::accepted:
    case IntakeAnswer::Kind::replayed:
      return std::nullopt;
    case IntakeAnswer::Kind::conflict:
      return Problem{
          ProblemKind::idempotency_conflict, "this Idempotency-Key was used with another body", {}};
    case IntakeAnswer::Kind::rejected:
      return Problem{ProblemKind::unavailable, "the database refused this message; it was not accepted", {}};
    case IntakeAnswer::Kind::unavailable:
      break;
  }
  return Problem{ProblemKind::unavailable,
                 "the store does not answer; with an Idempotency-Key it is safe to send the message again",
                 {}};
}

void answer_message(Call& call, const IntakeAnswer& answer) {
  if (const auto problem = problem_of(answer)) return call.reply(*problem);
  const std::string id = to_text(answer.id);
  HttpResponse response;
  response.status = 202;
  response.body = fmt::format(R"({{"messageId":"{}"}})", id);
  response.headers.emplace_back("Location", "/messages/" + id);
  if (answer.kind == IntakeAnswer::Kind::replayed)
    response.headers.emplace_back("Idempotency-Replayed", "true");
  call.reply(std::move(response));
}

void hand_in(const CallPtr& call, const Mail& mail, JobOrigin origin) {
  NewJob job = new_mail_job(call->context, mail, std::move(origin));
  const ByteReservation held = call->request.reservation;
  call->request.body = {};
  if (!call->context.intake.accept(std::move(job), held,
                                   [call](const IntakeAnswer& answer) { answer_message(*call, answer); }))
    call->reply(full(*call));
}

void accept_message(const CallPtr& call) {
  const ApiContext& context = call->context;
  json::monotonic_resource memory;
  const auto body = read_json(call->request.body, &memory);
  if (!body) return call->reply(body.error());
  MailReading reading = read_mail(*body, MailPart::message, context.settings, context.clock.now());
  JobOrigin origin{call->caller.client, call->trace.trace_id, {}, {}};
  if (const auto key = call->header("Idempotency-Key")) {
    origin.idempotency_key = *key;
    const auto checked = check_idempotency_key(origin.idempotency_key);
    if (!checked) {
      std::vector<Fault> faults = reading.problem ? std::move(reading.problem->errors) : std::vector<Fault>{};
      faults.push_back({"", "header Idempotency-Key: " + checked.error().message});
      reading.problem = invalid(std::move(faults));
    }
    origin.fingerprint = fingerprint(*body);
  }
  if (reading.problem) return call->reply(*reading.problem);
  if (!reading.mail.callback) return hand_in(call, reading.mail, std::move(origin));
  // Its account has to be looked up, which may block.
  auto mail = std::make_shared<Mail>(std::move(reading.mail));
  call->on_worker([call, mail, origin = std::move(origin)] {
    if (const auto problem = settle_callback(call->context, *mail, origin.client))
      return call->reply(*problem);
    hand_in(call, *mail, origin);
  });
}

// ---- batch ----

std::string accepted_item(std::size_t index, const IntakeAnswer& given) {
  return fmt::format(R"({{"index":{},"status":202,"messageId":"{}"{}}})", index, to_text(given.id),
                     given.kind == IntakeAnswer::Kind::replayed ? R"(,"replayed":true)" : "");
}

void accept_item(Call& call, const std::shared_ptr<BatchAnswer>& batch, const json::value& item,
                 std::size_t index) {
  const ApiContext& context = call.context;
  MailReading reading = read_mail(item, MailPart::batch_item, context.settings, context.clock.now());
  if (reading.problem) return batch->refuse(index, *reading.problem);
  if (const auto problem = settle_callback(context, reading.mail, call.caller.client))
    return batch->refuse(index, *problem);
  JobOrigin origin{call.caller.client, call.trace.trace_id, reading.idempotency_key, {}};
  if (!origin.idempotency_key.empty()) {
    // The key is not part of what it stands for: the same mail sent alone with the key as a header is a twin.
    json::object content = item.get_object();
    content.erase("idempotencyKey");
    origin.fingerprint = fingerprint(std::move(content));
  }
  NewJob job = new_mail_job(context, reading.mail, std::move(origin));
  const bool taken = context.intake.accept(
      std::move(job), call.request.reservation, [batch, index](const IntakeAnswer& given) {
        const auto problem = problem_of(given);
        problem ? batch->refuse(index, *problem) : batch->set(index, accepted_item(index, given));
      });
  if (!taken) batch->refuse(index, full(call));
}

// The items: an array, or {"messages": [..]}. Null after having said what is wrong.
const json::array* batch_items(const json::value& body, std::vector<Fault>& faults) {
  const Place root(faults);
  if (body.is_array()) return read_array(body, root, kBatchMax);
  const json::array* items = nullptr;
  static constexpr FieldRow<const json::array*> kFields[] = {
      {"messages", [](const json::array*& into, const json::value& value, const Place& place) {
         into = read_array(value, place, kBatchMax);
       }}};
  if (read_fields(body, root, kFields, items) && items == nullptr && faults.empty())
    Place(root, "messages").fault("is required: an array of messages");
  return items;
}

void accept_batch(const CallPtr& call) {
  json::monotonic_resource memory;
  const auto body = read_json(call->request.body, &memory);
  if (!body) return call->reply(body.error());
  std::vector<Fault> faults;
  const json::array* items = batch_items(*body, faults);
  if (faults.empty() && items->empty()) faults.push_back({"/messages", "must have at least one item"});
  if (!faults.empty()) return call->reply(invalid(std::move(faults)));
  const auto batch = std::make_shared<BatchAnswer>(call, items->size(), 202);
  for (std::size_t i = 0; i < items->size(); ++i)
    accept_item(*call, batch, (*items)[i], i);
}

}  // namespace

void post_message(const CallPtr& call) {
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  if (call->request.body.size() <= kInlineBytesMax) return accept_message(call);
  call->on_worker([call] { accept_message(call); });
}

// Always on a worker: an item may have a callback, whose account is looked up.
void post_messages_batch(const CallPtr& call) {
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  call->on_worker([call] { accept_batch(call); });
}

}  // namespace eilbote
