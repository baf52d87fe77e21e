#include "api/new_webhook_job.h"

#include "api/outbound_target.h"
#include "api/schema_book.h"
#include "domain/webhook_url.h"

namespace eilbote {
namespace {

// A job's key is remembered as long as the job can wait, and a month beyond.
constexpr Duration kKeyLifeAfterwards = std::chrono::hours{24 * 30};

std::string pool_of(const Webhook& webhook) {
  return webhook.dispatch_pool.empty() ? std::string(kWebhookPool) : webhook.dispatch_pool;
}

Problem unknown(ProblemKind kind, std::string pointer, std::string detail) {
  return {kind, pointer + ": " + detail, {{std::move(pointer), detail}}};
}

std::optional<Problem> check_pool(const ApiContext& context, const Webhook& webhook) {
  const std::string pool = pool_of(webhook);
  if (context.pools.code_of(pool)) return std::nullopt;
  // Another instance may have made it a moment ago.
  if (const auto read = context.pools.refresh(); !read) return to_problem(read.error());
  if (context.pools.code_of(pool)) return std::nullopt;
  return unknown(ProblemKind::unknown_pool, "/dispatchPoolId", "there is no pool with this id or code");
}

}  // namespace

bool needs_lookup(const ApiContext& context, const Webhook& webhook) {
  return !webhook.service_account_id.empty() || !webhook.schema_id.empty() ||
         !context.pools.code_of(pool_of(webhook)) || target_needs_check(context, webhook.target_url);
}

std::optional<Problem> check_references(const ApiContext& context, const Webhook& webhook,
                                        const ClientName& client, std::chrono::milliseconds& patience) {
  if (auto problem = check_target(context, webhook.target_url, "/targetUrl", patience)) return problem;
  if (auto problem = check_pool(context, webhook)) return problem;
  if (!webhook.service_account_id.empty()) {
    const auto checked = context.credentials.check(webhook.service_account_id, client);
    if (!checked && checked.error().kind != ErrorKind::invalid) return to_problem(checked.error());
    if (!checked) return unknown(ProblemKind::unknown_account, "/serviceAccountId", checked.error().message);
  }
  if (webhook.schema_id.empty()) return std::nullopt;
  const auto faults = context.schemas.check(webhook.schema_id, webhook.payload);
  if (!faults && faults.error().kind != ErrorKind::not_found) return to_problem(faults.error());
  if (!faults) return unknown(ProblemKind::payload_unfit, "/schemaId", "there is no schema with this id");
  if (faults->empty()) return std::nullopt;
  Problem problem{ProblemKind::payload_unfit, "the payload does not fit its schema", *faults};
  for (Fault& fault : problem.errors)
    fault.pointer = "/payload" + fault.pointer;
  return problem;
}

NewJob new_webhook_job(const ApiContext& context, Webhook webhook, JobOrigin origin) {
  const TimePoint now = context.clock.now();
  NewJob job;
  job.id = context.ids.next(now);
  job.channel = ChannelKind::webhook;
  job.client = std::move(origin.client);
  job.pool = context.pools.code_of(pool_of(webhook)).value_or(std::string(kWebhookPool));
  job.route = parse_webhook_url(webhook.target_url)->route();
  if (webhook.scheduled_for > now) job.scheduled_for = webhook.scheduled_for;
  job.expires_at = webhook.expires_at.value_or(std::max(now, webhook.scheduled_for.value_or(now)) +
                                               context.settings.expires_after);
  job.attempts_max = webhook.max_retries;
  job.group = webhook.message_group;
  job.group_mode = webhook.mode;
  job.sequence = webhook.sequence;
  // Mails and jobs of one client may use the same key: the control character keeps them apart.
  if (!webhook.idempotency_key.empty()) job.idempotency_key = "job\x01" + webhook.idempotency_key;
  job.key_life = (*job.expires_at - now) + kKeyLifeAfterwards;
  job.fingerprint = origin.fingerprint;
  job.trace_id = std::move(origin.trace_id);
  job.trace_span = std::move(origin.trace_span);
  job.webhook = std::move(webhook);
  return job;
}

JobRecord accepted_record(const NewJob& job, TimePoint now) {
  JobRecord record;
  Job& row = record.job;
  row.id = job.id;
  row.channel = job.channel;
  row.client = job.client;
  row.pool = job.pool;
  row.route = job.route;
  row.attempts_max = job.attempts_max;
  row.group_mode = job.group_mode;
  row.created_at = row.updated_at = now;
  row.next_attempt_at = job.scheduled_for.value_or(now);
  row.expires_at = job.expires_at;
  record.webhook = job.webhook;
  record.trace_id = job.trace_id;
  record.trace_span = job.trace_span;
  return record;
}

}  // namespace eilbote
