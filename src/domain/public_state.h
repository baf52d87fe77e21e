// The public state is a pure function of the outbox row; it is never stored twice.
#pragma once

#include <string>

#include "domain/job.h"

namespace eilbote {

MailState mail_state(const Job& job);

struct WebhookView {
  bool broker = false;  // a broker is configured
  TimePoint now{};      // of the database
};
WebhookState webhook_state(const Job& job, const WebhookView& view);

// What the view `email_log` says in SQL, as a function. Only tests ask it: it is the view's model.
EmailLogState email_log_state(const Job& job);

// The text of the job's public state in its channel's vocabulary (without a broker).
std::string public_state_text(const Job& job, TimePoint now);
// The same as of the moment the job is due: what an event or a count says does not depend on when it is written.
std::string public_state_text(const Job& job);

}  // namespace eilbote
