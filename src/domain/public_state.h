// The public state is a pure function of the outbox row; it is never stored twice.
#pragma once

#include <string>

#include "domain/job.h"

namespace eilbote {

MailState mail_state(const Job& job);

// What a webhook job's state depends on beside its row.
struct WebhookView {
  bool broker = false;  // a broker is configured: what is not in it is PENDING
  TimePoint now{};      // of the database
};
WebhookState webhook_state(const Job& job, const WebhookView& view);

// What the view `email_log` says in SQL, as a function. Only tests ask it: it is the view's model.
EmailLogState email_log_state(const Job& job);

// As of the moment the job is due: what an event or a count says does not depend on when it is written.
WebhookView when_due(const Job& job, bool broker);

// The text of the job's public state in its channel's vocabulary.
//
// Events are written where a job is accepted, settled, acted on, ended or taken back from the broker. A job that goes into the
// broker (publishing, published) gets none: each attempt would cost another row for a step that GET shows anyway, as starting
// an attempt (IN_PROGRESS) does.
std::string public_state_text(const Job& job, const WebhookView& view);
// Without a broker.
std::string public_state_text(const Job& job, TimePoint now);
std::string public_state_text(const Job& job);  // when_due

}  // namespace eilbote
