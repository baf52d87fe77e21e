// POST /webhooks/graph: where Microsoft Graph tells of messages in watched mailboxes. Open to all, because Graph has no token of
// ours: what is said is believed by the secret of its subscription alone. Graph waits three seconds and repeats itself for hours,
// so what is credible is put on record, nothing more, and then answered.
#include "api/graph_notifications.h"
#include "api/handlers.h"

namespace eilbote {
namespace {

void reply_to_graph(Call& call, NotificationAnswer answer) {
  if (answer)
    call.reply(std::move(*answer));
  else
    call.reply(answer.error());
}

}  // namespace

void post_graph_notifications(const CallPtr& call) {
  if (call->context.mailboxes == nullptr)
    return call->reply(
        Problem{ProblemKind::not_found, "this server does not send mail through Microsoft Graph", {}});
  if (auto answer = answer_handshake(call->target.query)) return reply_to_graph(*call, std::move(*answer));
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  call->on_worker([call] {
    const ApiContext& context = call->context;
    reply_to_graph(*call, take_graph_notifications(call->request.body, call->trace.trace_id,
                                                   *context.mailboxes, context.metrics, context.settings));
  });
}

}  // namespace eilbote
