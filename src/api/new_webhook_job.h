// From a webhook that keeps the rules to the job the intake commits. What it refers to (pool, account, schema) is looked
// up here; that may ask the store or the DNS, so it is the work of a worker unless `needs_lookup` says no.
#pragma once

#include <chrono>
#include <optional>

#include "api/api.h"
#include "api/new_mail_job.h"
#include "api/problem.h"
#include "domain/webhook.h"

namespace eilbote {

// Whether checking what the job refers to may ask the store.
bool needs_lookup(const ApiContext& context, const Webhook& webhook);
// Absent: the target may be named, the pool is there, the account may be used by this client, the payload fits its schema.
// `patience`: what is left of the time for names.
std::optional<Problem> check_references(const ApiContext& context, const Webhook& webhook,
                                        const ClientName& client, std::chrono::milliseconds& patience);

NewJob new_webhook_job(const ApiContext& context, Webhook webhook, JobOrigin origin);
// The job as it reads right after it was accepted.
JobRecord accepted_record(const NewJob& job, TimePoint now);

}  // namespace eilbote
