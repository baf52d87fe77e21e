// From a mail that keeps the rules to the job the intake commits: id, frozen MIME, envelope, meta.
#pragma once

#include <string>

#include "api/api.h"
#include "domain/mail.h"
#include "ports/outbox.h"

namespace eilbote {

struct JobOrigin {
  ClientName client;
  std::string trace_id;
  std::string trace_span;       // NewJob::trace_span
  std::string idempotency_key;  // empty: none
  Sha256 fingerprint{};
};

NewJob new_mail_job(const ApiContext& context, const Mail& mail, JobOrigin origin);

}  // namespace eilbote
