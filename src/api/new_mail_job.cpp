#include "api/new_mail_job.h"

#include <algorithm>

#include "domain/mail_meta.h"
#include "domain/mime.h"

namespace eilbote {
namespace {

void add_recipients(std::vector<Recipient>& all, const std::vector<Mailbox>& boxes, RecipientKind kind) {
  for (const Mailbox& box : boxes)
    all.push_back({kind, box.address, RecipientStatus::waiting, {}});
}

}  // namespace

NewJob new_mail_job(const ApiContext& context, const Mail& mail, JobOrigin origin) {
  const TimePoint now = context.clock.now();
  NewJob job;
  job.id = context.ids.next(now);
  job.channel = ChannelKind::mail;
  job.client = std::move(origin.client);
  job.pool = mail.pool.empty() ? std::string(kMailPool) : mail.pool;
  job.scheduled_for = mail.scheduled_for;
  // A mail for next month must not expire before it is due.
  job.expires_at = mail.expires_at.value_or(std::max(now, mail.scheduled_for.value_or(now)) +
                                            context.settings.expires_after);
  job.attempts_max = mail.retry.value_or(context.settings.mail_retry).attempts_max;
  job.group = mail.group;
  job.group_mode = mail.group.empty() ? GroupMode::IMMEDIATE : GroupMode::NEXT_ON_ERROR;
  job.idempotency_key = std::move(origin.idempotency_key);
  job.fingerprint = origin.fingerprint;
  job.trace_id = std::move(origin.trace_id);
  job.trace_span = std::move(origin.trace_span);
  job.mail.sender = mail.from.address;
  add_recipients(job.mail.recipients, mail.to, RecipientKind::to);
  add_recipients(job.mail.recipients, mail.cc, RecipientKind::cc);
  add_recipients(job.mail.recipients, mail.bcc, RecipientKind::bcc);
  job.mail.mime = write_mime(mail, {job.id, now, context.settings.message_id_domain});
  MailMeta meta = meta_of(mail);
  job.mail.meta = to_json(meta);
  job.callback = mail.callback.has_value();
  job.mail.retry = mail.retry;
  job.mail.on_uncertain = mail.on_uncertain;
  job.mail.tags = std::move(meta.tags);
  job.mail.campaign_id = std::move(meta.campaign_id);
  job.mail.metadata = std::move(meta.metadata);
  return job;
}

}  // namespace eilbote
