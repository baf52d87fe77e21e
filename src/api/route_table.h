// Every route of the API, in one table: method, path, scopes, the name in metrics, handler. docs/openapi.yaml
// is compared with it by a test.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "domain/identity.h"

namespace eilbote {

using RouteHandler = void (*)(const CallPtr& call);

// Whether a request may show, or must show, the signature of a provider (X-Webhook-Signature) instead of a token.
enum class ProviderSigned { never, also, only };

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/messages/{id}"
  ScopeSet scopes;           // any of them opens it; none: it is open to all, or to whoever can sign
  std::string_view name;     // in metrics and logs
  RouteHandler handler;
  ProviderSigned provider_signed = ProviderSigned::never;

  // Whether its path names an address, which no problem and no log may show.
  bool names_address() const { return pattern.find("{address}") != std::string_view::npos; }
};
std::span<const Route> route_table();

// "mail.status:read ops.read ops.admin", "mailer.worker signature", or "none".
std::string scopes_text(const Route& route);

struct RouteMatch {
  const Route* route = nullptr;     // null: see `allow`
  std::vector<std::string> params;  // as sent
  std::string allow;                // the methods of this path; empty: the path is unknown
};
// HEAD is answered by GET's handler. A literal path comes before one with a parameter.
RouteMatch find_route(std::string_view method, std::string_view path);

}  // namespace eilbote
