// POST /messages and POST /messages/batch: read, check, hand to the intake; the answer comes after its
// commit.
#include <fmt/format.h>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>

#include "api/accepting.h"
#include "api/callback.h"
#include "api/handlers.h"
#include "api/json_document.h"
#include "api/mail_json.h"
#include "api/new_mail_job.h"
#include "api/outbound_target.h"
#include "domain/idempotency.h"

namespace eilbote {
namespace {

namespace json = boost::json;

void answer_message(Call& call, const IntakeAnswer& answer) {
  if (const auto problem = problem_of(answer, kMails)) return call.reply(*problem);
  call.job = answer.id;
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
    call->reply(intake_full(*call, kMails));
}

void accept_message(const CallPtr& call) {
  const ApiContext& context = call->context;
  json::monotonic_resource memory;
  const auto body = read_json(call->request.body, &memory);
  if (!body) return call->reply(body.error());
  MailReading reading = read_mail(*body, MailPart::message, context.settings, context.clock.now());
  JobOrigin origin{call->caller.client(), call->trace.trace_id, call->trace_span(), {}, {}};
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
    auto patience = kNamePatience;
    if (const auto problem = settle_callback(call->context, *mail, origin.client, patience))
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
                 std::size_t index, std::chrono::milliseconds& patience) {
  const ApiContext& context = call.context;
  MailReading reading = read_mail(item, MailPart::batch_item, context.settings, context.clock.now());
  if (reading.problem) return batch->refuse(index, *reading.problem);
  if (const auto problem = settle_callback(context, reading.mail, call.caller.client(), patience))
    return batch->refuse(index, *problem);
  JobOrigin origin{call.caller.client(), call.trace.trace_id, call.trace_span(), reading.idempotency_key, {}};
  if (!origin.idempotency_key.empty()) {
    // The key is not part of what it stands for: the same mail sent alone with the key as a header is a twin.
    json::object content = item.get_object();
    content.erase("idempotencyKey");
    origin.fingerprint = fingerprint(std::move(content));
  }
  NewJob job = new_mail_job(context, reading.mail, std::move(origin));
  const bool taken = context.intake.accept(
      std::move(job), call.request.reservation, [batch, index](const IntakeAnswer& given) {
        const auto problem = problem_of(given, kMails);
        problem ? batch->refuse(index, *problem) : batch->set(index, accepted_item(index, given));
      });
  if (!taken) batch->refuse(index, intake_full(call, kMails));
}

}  // namespace

void post_message(const CallPtr& call) {
  accept_body(call, accept_message);
}

void post_messages_batch(const CallPtr& call) {
  // Its items come one after the other, and share the time.
  accept_batch(call, kMails,
               [call, patience = kNamePatience](const auto& batch, const json::value& item,
                                                std::size_t index) mutable {
                 accept_item(*call, batch, item, index, patience);
               });
}

}  // namespace eilbote
