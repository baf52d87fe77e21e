#include "api/route_table.h"

#include <algorithm>
#include <optional>

#include "api/handlers.h"

namespace eilbote {
namespace {

using enum Scope;
constexpr Route kRoutes[] = {
    {"POST", "/messages", mail_send, "post_message", post_message},
    {"GET", "/messages", mail_status_read, "list_messages", list_messages},
    {"POST", "/messages/batch", mail_send, "post_messages_batch", post_messages_batch},
    {"POST", "/messages/requeue", ops_admin, "requeue_messages", requeue_messages},
    {"GET", "/messages/{id}", mail_status_read, "get_message", get_message},
    {"DELETE", "/messages/{id}", mail_send, "cancel_message", cancel_message},
    {"GET", "/messages/{id}/attempts", mail_status_read, "get_attempts", get_attempts},
    {"GET", "/messages/{id}/events", mail_status_read, "get_events", get_events},
    {"POST", "/messages/{id}/retry", ops_admin, "retry_message", retry_message},
    {"POST", "/messages/{id}/abandon", ops_admin, "abandon_message", abandon_message},
    {"POST", "/internal/dispatch", mailer_worker, "dispatch_batch", dispatch_batch},
    {"POST", "/internal/dispatch/batch", mailer_worker, "dispatch_batch", dispatch_batch},
    {"POST", "/internal/dispatch/{id}", mailer_worker, "dispatch_message", dispatch_message},
    {"POST", "/dispatch-jobs", webhook_send, "post_dispatch_job", post_dispatch_job},
    {"GET", "/dispatch-jobs", webhook_status_read, "list_dispatch_jobs", list_dispatch_jobs},
    {"POST", "/dispatch-jobs/batch", webhook_send, "post_dispatch_jobs_batch", post_dispatch_jobs_batch},
    {"POST", "/dispatch-jobs/requeue", ops_admin, "requeue_dispatch_jobs", requeue_dispatch_jobs},
    {"GET", "/dispatch-jobs/{id}", webhook_status_read, "get_dispatch_job", get_dispatch_job},
    {"GET", "/dispatch-jobs/{id}/attempts", webhook_status_read, "get_dispatch_attempts",
     get_dispatch_attempts},
    {"GET", "/dispatch-jobs/{id}/events", webhook_status_read, "get_dispatch_events", get_dispatch_events},
    {"POST", "/dispatch-jobs/{id}/cancel", webhook_send, "cancel_dispatch_job", cancel_dispatch_job},
    {"POST", "/dispatch-jobs/{id}/retry", webhook_send, "retry_dispatch_job", retry_dispatch_job},
    {"POST", "/service-accounts", ops_admin, "post_service_account", post_service_account},
    {"GET", "/service-accounts", ops_admin, "list_service_accounts", list_service_accounts},
    {"GET", "/service-accounts/{id}", ops_admin, "get_service_account", get_service_account},
    {"PUT", "/service-accounts/{id}", ops_admin, "put_service_account", put_service_account},
    {"POST", "/service-accounts/{id}/activate", ops_admin, "activate_service_account",
     activate_service_account},
    {"POST", "/service-accounts/{id}/deactivate", ops_admin, "deactivate_service_account",
     deactivate_service_account},
    {"POST", "/service-accounts/{id}/regenerate-token", ops_admin, "regenerate_auth_token",
     regenerate_auth_token},
    {"POST", "/service-accounts/{id}/regenerate-secret", ops_admin, "regenerate_signing_secret",
     regenerate_signing_secret},
    {"POST", "/schemas", ops_admin, "post_schema", post_schema},
    {"GET", "/schemas", ops_read, "list_schemas", list_schemas},
    {"GET", "/schemas/{id}", ops_read, "get_schema", get_schema},
    {"GET", "/dispatch-pools", ops_read, "list_dispatch_pools", list_dispatch_pools},
    {"POST", "/dispatch-pools", ops_admin, "post_dispatch_pool", post_dispatch_pool},
    {"GET", "/dispatch-pools/{id}", ops_read, "get_dispatch_pool", get_dispatch_pool},
    {"PUT", "/dispatch-pools/{id}", ops_admin, "put_dispatch_pool", put_dispatch_pool},
    {"POST", "/dispatch-pools/{id}/suspend", ops_admin, "suspend_dispatch_pool", suspend_dispatch_pool},
    {"POST", "/dispatch-pools/{id}/activate", ops_admin, "activate_dispatch_pool", activate_dispatch_pool},
    {"GET", "/message-groups", ops_read, "list_message_groups", list_message_groups},
    {"POST", "/message-groups/skip", ops_admin, "skip_message_group", skip_message_group},
    {"POST", "/message-groups/retry", ops_admin, "retry_message_group", retry_message_group},
    {"GET", "/jobs/{id}/why", webhook_status_read, "get_why", get_why},
    {"GET", "/breakers", ops_read, "get_breakers", get_breakers},
    {"POST", "/breakers/{route}/reset", ops_admin, "reset_breaker", reset_breaker},
    {"GET", "/health/live", none, "health_live", health_live},
    {"GET", "/health/ready", none, "health_ready", health_ready},
    {"GET", "/metrics", none, "get_metrics", get_metrics},
    {"GET", "/openapi.yaml", none, "get_openapi", get_openapi},
};

std::string_view next_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

// The values of the pattern's parameters, or nothing when the path is another one.
std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  std::vector<std::string> params;
  while (!pattern.empty() && path.starts_with('/')) {
    const std::string_view want = next_segment(pattern), have = next_segment(path);
    if (want.starts_with('{') && !have.empty())
      params.emplace_back(have);
    else if (want != have)
      return std::nullopt;
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return params;
}

void add_allowed(std::string& allow, std::string_view method) {
  if (!allow.empty()) allow += ", ";
  allow += method;
  if (method == "GET") allow += ", HEAD";
}

}  // namespace

std::span<const Route> route_table() {
  return kRoutes;
}

RouteMatch find_route(std::string_view method, std::string_view path) {
  if (method == "HEAD") method = "GET";
  const bool literal =
      std::any_of(std::begin(kRoutes), std::end(kRoutes), [&](const Route& r) { return r.pattern == path; });
  RouteMatch found;
  for (const Route& route : kRoutes) {
    if (literal && route.pattern != path) continue;
    auto params = match(route.pattern, path);
    if (!params) continue;
    if (route.method == method) return {&route, std::move(*params), {}};
    add_allowed(found.allow, route.method);
  }
  return found;
}

}  // namespace eilbote
