#include "api/route_table.h"

#include <algorithm>
#include <optional>

#include "api/handlers.h"

namespace eilbote {
namespace {

using enum Scope;
// Which scopes open a route; those that act across clients are in domain/identity.h. Sending is for clients alone;
// what was sent may also be stopped or repeated by those who operate the whole.
constexpr ScopeSet kSendMail{mail_send};
constexpr ScopeSet kStopMail{mail_send, ops_admin};
constexpr ScopeSet kReadMail{mail_status_read, ops_read, ops_admin};
constexpr ScopeSet kWork{mailer_worker};
constexpr ScopeSet kSendJobs{webhook_send};
constexpr ScopeSet kActOnJobs{webhook_send, ops_admin};
constexpr ScopeSet kReadJobs{webhook_status_read, ops_read, ops_admin};
constexpr ScopeSet kReadEither{mail_status_read, webhook_status_read, ops_read,
                               ops_admin};  // of that channel
constexpr ScopeSet kOperate{ops_read, ops_admin};
constexpr ScopeSet kAdmin{ops_admin};
constexpr ScopeSet kOpen{};

constexpr Route kRoutes[] = {
    {"POST", "/messages", kSendMail, "post_message", post_message},
    {"GET", "/messages", kReadMail, "list_messages", list_messages},
    {"POST", "/messages/batch", kSendMail, "post_messages_batch", post_messages_batch},
    {"POST", "/messages/requeue", kAdmin, "requeue_messages", requeue_messages},
    {"GET", "/messages/{id}", kReadMail, "get_message", get_message},
    {"DELETE", "/messages/{id}", kStopMail, "cancel_message", cancel_message},
    {"GET", "/messages/{id}/attempts", kReadMail, "get_attempts", get_attempts},
    {"GET", "/messages/{id}/events", kReadMail, "get_events", get_events},
    {"GET", "/messages/{id}/content", kAdmin, "get_message_content", get_message_content},
    {"POST", "/messages/{id}/retry", kAdmin, "retry_message", retry_message},
    {"POST", "/messages/{id}/abandon", kAdmin, "abandon_message", abandon_message},
    {"POST", "/internal/dispatch", kWork, "dispatch_batch", dispatch_batch},
    {"POST", "/internal/dispatch/batch", kWork, "dispatch_batch", dispatch_batch},
    {"POST", "/internal/dispatch/{id}", kWork, "dispatch_message", dispatch_message},
    {"POST", "/dispatch-jobs", kSendJobs, "post_dispatch_job", post_dispatch_job},
    {"GET", "/dispatch-jobs", kReadJobs, "list_dispatch_jobs", list_dispatch_jobs},
    {"POST", "/dispatch-jobs/batch", kSendJobs, "post_dispatch_jobs_batch", post_dispatch_jobs_batch},
    {"POST", "/dispatch-jobs/requeue", kAdmin, "requeue_dispatch_jobs", requeue_dispatch_jobs},
    {"GET", "/dispatch-jobs/{id}", kReadJobs, "get_dispatch_job", get_dispatch_job},
    {"GET", "/dispatch-jobs/{id}/attempts", kReadJobs, "get_dispatch_attempts", get_dispatch_attempts},
    {"GET", "/dispatch-jobs/{id}/events", kReadJobs, "get_dispatch_events", get_dispatch_events},
    {"POST", "/dispatch-jobs/{id}/cancel", kActOnJobs, "cancel_dispatch_job", cancel_dispatch_job},
    {"POST", "/dispatch-jobs/{id}/retry", kActOnJobs, "retry_dispatch_job", retry_dispatch_job},
    {"POST", "/service-accounts", kAdmin, "post_service_account", post_service_account},
    {"GET", "/service-accounts", kAdmin, "list_service_accounts", list_service_accounts},
    {"GET", "/service-accounts/{id}", kAdmin, "get_service_account", get_service_account},
    {"PUT", "/service-accounts/{id}", kAdmin, "put_service_account", put_service_account},
    {"POST", "/service-accounts/{id}/activate", kAdmin, "activate_service_account", activate_service_account},
    {"POST", "/service-accounts/{id}/deactivate", kAdmin, "deactivate_service_account",
     deactivate_service_account},
    {"POST", "/service-accounts/{id}/regenerate-token", kAdmin, "regenerate_auth_token",
     regenerate_auth_token},
    {"POST", "/service-accounts/{id}/regenerate-secret", kAdmin, "regenerate_signing_secret",
     regenerate_signing_secret},
    {"POST", "/schemas", kAdmin, "post_schema", post_schema},
    {"GET", "/schemas", kOperate, "list_schemas", list_schemas},
    {"GET", "/schemas/{id}", kOperate, "get_schema", get_schema},
    {"GET", "/dispatch-pools", kOperate, "list_dispatch_pools", list_dispatch_pools},
    {"POST", "/dispatch-pools", kAdmin, "post_dispatch_pool", post_dispatch_pool},
    {"GET", "/dispatch-pools/{id}", kOperate, "get_dispatch_pool", get_dispatch_pool},
    {"PUT", "/dispatch-pools/{id}", kAdmin, "put_dispatch_pool", put_dispatch_pool},
    {"POST", "/dispatch-pools/{id}/suspend", kAdmin, "suspend_dispatch_pool", suspend_dispatch_pool},
    {"POST", "/dispatch-pools/{id}/activate", kAdmin, "activate_dispatch_pool", activate_dispatch_pool},
    {"GET", "/message-groups", kOperate, "list_message_groups", list_message_groups},
    {"POST", "/message-groups/skip", kAdmin, "skip_message_group", skip_message_group},
    {"POST", "/message-groups/retry", kAdmin, "retry_message_group", retry_message_group},
    {"POST", "/webhooks/graph", kOpen, "post_graph_notifications", post_graph_notifications},
    {"POST", "/webhooks/dsn", kWork, "post_dsn", post_dsn, ProviderSigned::also},
    {"POST", "/webhooks/provider", kOpen, "post_provider_event", post_provider_event, ProviderSigned::only},
    {"GET", "/reports", kOperate, "list_reports", list_reports},
    {"GET", "/suppressions", kReadMail, "list_suppressions", list_suppressions},
    {"POST", "/suppressions", kAdmin, "post_suppression", post_suppression},
    {"DELETE", "/suppressions/{address}", kAdmin, "delete_suppression", delete_suppression},
    {"GET", "/jobs/{id}/why", kReadEither, "get_why", get_why},
    {"GET", "/overview", kOperate, "get_overview", get_overview},
    {"GET", "/overview/stream", kOperate, "get_overview_stream", get_overview_stream},
    {"GET", "/queue", kOperate, "get_queue", get_queue},
    {"GET", "/breakers", kOperate, "get_breakers", get_breakers},
    {"POST", "/breakers/{route}/reset", kAdmin, "reset_breaker", reset_breaker},
    {"GET", "/audit", kOperate, "list_audit", list_audit},
    {"GET", "/log-level", kOperate, "get_log_level", get_log_level},
    {"PUT", "/log-level", kAdmin, "put_log_level", put_log_level},
    {"GET", "/console", kOpen, "get_console", get_console},
    {"GET", "/console/settings", kOpen, "get_console_settings", get_console_settings},
    {"GET", "/console/{a}", kOpen, "get_console", get_console},
    {"GET", "/console/{a}/{b}", kOpen, "get_console", get_console},
    {"GET", "/health/live", kOpen, "health_live", health_live},
    {"GET", "/health/ready", kOpen, "health_ready", health_ready},
    {"GET", "/metrics", kOpen, "get_metrics", get_metrics},
    {"GET", "/openapi.yaml", kOpen, "get_openapi", get_openapi},
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

std::string scopes_text(const Route& route) {
  std::string words = route.scopes.text();
  if (route.provider_signed != ProviderSigned::never) words += words.empty() ? "signature" : " signature";
  return words.empty() ? "none" : words;
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
