// DELETE /messages/{id} and what people do with dead mail: retry, abandon, requeue.
#include <fmt/format.h>

#include "api/acts.h"
#include "api/handlers.h"
#include "api/requeue.h"
#include "domain/public_state.h"

namespace eilbote {
namespace {

// Why a state that otherwise allows an act does not.
const char* why_not(Act act, const Job& job) {
  if (is_leased(job.status)) return " and being delivered right now";
  const bool stops = act == Act::cancel || act == Act::abandon;
  return stops && job.partial && !is_final(job.status) ? ", and some recipients have it already" : "";
}

Problem refused(Act act, const Job& job) {
  return {ProblemKind::conflict,
          fmt::format("{} is not possible: the message is {}{}", kActNames.text(act),
                      kMailStateNames.text(mail_state(job)), why_not(act, job)),
          {}};
}

void act_on_mail(const CallPtr& call, Act act) {
  const auto id = call->id_or_404();
  if (!id) return;
  call->on_worker([call, act, id = *id] {
    const auto outcomes = call->context.outbox.act({&id, 1}, act_request(*call, act, ChannelKind::mail));
    if (!outcomes) return call->reply(to_problem(outcomes.error()));
    const ActOutcome& outcome = outcomes->front();
    after_act(*call, act, outcome);
    if (outcome.kind == ActKind::not_found)
      return call->reply(Problem{ProblemKind::not_found, "there is no message with this id", {}});
    if (outcome.kind == ActKind::refused) return call->reply(refused(act, outcome.job));
    if (act == Act::cancel) return call->reply_json(204, "");
    call->reply_json(200, fmt::format(R"({{"messageId":"{}","status":"{}"}})", to_text(id),
                                      kMailStateNames.text(mail_state(outcome.job))));
  });
}

// Only what failed or came back is sent again.
std::string settle_mail_state(ListQuery& query) {
  if (!query.state) query.state = MailState::FAILED;
  const bool can = query.state == MailState::FAILED || query.state == MailState::BOUNCED;
  return can ? "" : "must be FAILED or BOUNCED: only those are sent again";
}

}  // namespace

void cancel_message(const CallPtr& call) {
  act_on_mail(call, Act::cancel);
}
void retry_message(const CallPtr& call) {
  act_on_mail(call, Act::retry);
}
void abandon_message(const CallPtr& call) {
  act_on_mail(call, Act::abandon);
}

void requeue_messages(const CallPtr& call) {
  requeue(call, {ChannelKind::mail, mail_filters(), settle_mail_state});
}

}  // namespace eilbote
