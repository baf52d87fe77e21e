// Every route of the API, in one table: method, path, scope, the name in metrics, handler. docs/openapi.yaml
// is compared with it by a test.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "base/enum_names.h"

namespace eilbote {

// What a token must carry. Stored and shown; enforced as soon as there is identity.
enum class Scope {
  none,
  mail_send,
  mail_status_read,
  mailer_worker,
  webhook_send,
  webhook_status_read,
  ops_read,
  ops_admin
};
inline constexpr auto kScopeNames = enum_names<Scope>({{Scope::none, "none"},
                                                       {Scope::mail_send, "mail.send"},
                                                       {Scope::mail_status_read, "mail.status:read"},
                                                       {Scope::mailer_worker, "mailer.worker"},
                                                       {Scope::webhook_send, "webhook.send"},
                                                       {Scope::webhook_status_read, "webhook.status:read"},
                                                       {Scope::ops_read, "ops.read"},
                                                       {Scope::ops_admin, "ops.admin"}});
static_assert(kScopeNames.complete());

using RouteHandler = void (*)(const CallPtr& call);

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/messages/{id}"
  Scope scope;
  std::string_view name;  // in metrics and logs
  RouteHandler handler;
};
std::span<const Route> route_table();

struct RouteMatch {
  const Route* route = nullptr;  // null: see `allow`
  std::vector<std::string> params;
  std::string allow;  // the methods of this path; empty: the path is unknown
};
// HEAD is answered by GET's handler. A literal path comes before one with a parameter.
RouteMatch find_route(std::string_view method, std::string_view path);

}  // namespace eilbote
