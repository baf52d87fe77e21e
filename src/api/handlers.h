// The handlers behind the route table, one file per resource. Each answers its call exactly once, now or
// later.
#pragma once

#include "api/call.h"

namespace eilbote {

// post_messages.cpp
void post_message(const CallPtr& call);
void post_messages_batch(const CallPtr& call);

// read_jobs.cpp
void get_message(const CallPtr& call);
void list_messages(const CallPtr& call);
void get_attempts(const CallPtr& call);
void get_events(const CallPtr& call);
void get_dispatch_job(const CallPtr& call);
void get_dispatch_attempts(const CallPtr& call);
void get_dispatch_events(const CallPtr& call);
void list_dispatch_jobs(const CallPtr& call);

// act_on_jobs.cpp
void cancel_message(const CallPtr& call);
void retry_message(const CallPtr& call);
void abandon_message(const CallPtr& call);
void requeue_messages(const CallPtr& call);
void cancel_dispatch_job(const CallPtr& call);
void retry_dispatch_job(const CallPtr& call);
void requeue_dispatch_jobs(const CallPtr& call);

// dispatch_messages.cpp
void dispatch_batch(const CallPtr& call);
void dispatch_message(const CallPtr& call);

// dispatch_jobs.cpp
void post_dispatch_job(const CallPtr& call);
void post_dispatch_jobs_batch(const CallPtr& call);

// service_accounts.cpp
void post_service_account(const CallPtr& call);
void list_service_accounts(const CallPtr& call);
void get_service_account(const CallPtr& call);
void put_service_account(const CallPtr& call);
void activate_service_account(const CallPtr& call);
void deactivate_service_account(const CallPtr& call);
void regenerate_auth_token(const CallPtr& call);
void regenerate_signing_secret(const CallPtr& call);

// schemas.cpp
void post_schema(const CallPtr& call);
void list_schemas(const CallPtr& call);
void get_schema(const CallPtr& call);

// dispatch_pools.cpp
void list_dispatch_pools(const CallPtr& call);
void post_dispatch_pool(const CallPtr& call);
void get_dispatch_pool(const CallPtr& call);
void put_dispatch_pool(const CallPtr& call);
void suspend_dispatch_pool(const CallPtr& call);
void activate_dispatch_pool(const CallPtr& call);

// message_groups.cpp
void list_message_groups(const CallPtr& call);
void skip_message_group(const CallPtr& call);
void retry_message_group(const CallPtr& call);

// webhooks_graph.cpp
void post_graph_notifications(const CallPtr& call);

// delivery_reports.cpp
void post_dsn(const CallPtr& call);
void post_provider_event(const CallPtr& call);
void list_reports(const CallPtr& call);

// suppressions.cpp
void list_suppressions(const CallPtr& call);
void post_suppression(const CallPtr& call);
void delete_suppression(const CallPtr& call);

// why.cpp
void get_why(const CallPtr& call);

// overview.cpp
void get_overview(const CallPtr& call);
void get_overview_stream(const CallPtr& call);

// console.cpp
void get_console(const CallPtr& call);
void get_console_settings(const CallPtr& call);

// message_content.cpp
void get_message_content(const CallPtr& call);

// audit.cpp
void list_audit(const CallPtr& call);

// log_level.cpp
void get_log_level(const CallPtr& call);
void put_log_level(const CallPtr& call);

// breakers.cpp
void get_breakers(const CallPtr& call);
void reset_breaker(const CallPtr& call);

// queue.cpp
void get_queue(const CallPtr& call);

// operations.cpp
void health_live(const CallPtr& call);
void health_ready(const CallPtr& call);
void get_metrics(const CallPtr& call);
void get_openapi(const CallPtr& call);

}  // namespace eilbote
