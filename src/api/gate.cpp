#include "api/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/route_table.h"
#include "base/ascii.h"
#include "base/log.h"

namespace eilbote {
namespace {

constexpr std::string_view kScheme = "bearer ";

// error, error_description and scope are texts of ours: nothing in them needs escaping.
void challenge(Call& call, const Problem& problem, const std::string& parameters) {
  HttpResponse response = to_response(problem, call.place());
  response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"eilbote\"" + parameters);
  call.reply(std::move(response));
}

void refuse(Call& call, const std::string& reason, const Problem& problem, const std::string& parameters) {
  call.context.metrics.add(Metric::auth_refused, 1, {reason});
  challenge(call, problem, parameters);
}

// The token of the Authorization header; nothing after having answered what is wrong.
std::optional<std::string_view> token_or_401(Call& call) {
  std::optional<std::string_view> value;
  for (const auto& [name, text] : call.request.headers) {
    if (!same_but_for_case(name, "authorization")) continue;
    if (value) {
      refuse(call, "malformed", invalid({{"", "header Authorization: must be given once"}}),
             ", error=\"invalid_request\"");
      return std::nullopt;
    }
    value = text;
  }
  if (value && same_but_for_case(value->substr(0, kScheme.size()), kScheme)) {
    value->remove_prefix(kScheme.size());
    value->remove_prefix(std::min(value->find_first_not_of(' '), value->size()));
    return value;
  }
  refuse(call, "no_token",
         {ProblemKind::unauthenticated, "send a token of the issuer: Authorization: Bearer TOKEN", {}}, "");
  return std::nullopt;
}

void refuse_token(Call& call, const TokenRefusal& refusal) {
  const std::string reason(kTokenFaultNames.text(refusal.fault));
  if (refusal.fault == TokenFault::keys_away) {
    call.context.metrics.add(Metric::auth_refused, 1, {reason});
    return call.reply(Problem{ProblemKind::unavailable, refusal.detail, {}});
  }
  refuse(call, reason, {ProblemKind::invalid_token, refusal.detail, {}},
         fmt::format(", error=\"invalid_token\", error_description=\"{}\"", refusal.detail));
}

void go_on(const CallPtr& call, AuthResult result) {
  if (!result) return refuse_token(*call, result.error());
  const Route& route = *call->route;
  const Admission admitted = admission(route, result->scopes);
  if (admitted == Admission::refused) {
    const std::string scopes = route.scopes.text();
    const std::string detail = "the token needs one of these scopes: " + scopes;
    return refuse(*call, "scope", {ProblemKind::insufficient_scope, detail, {}},
                  fmt::format(", error=\"insufficient_scope\", scope=\"{}\"", scopes));
  }
  call->caller = Caller(std::move(*result), admitted == Admission::all_clients);
  route.handler(call);
}

// On a thread that is not the server's, nobody else would catch it.
void go_on_anywhere(const CallPtr& call, AuthResult result) {
  try {
    go_on(call, std::move(result));
  } catch (const std::exception& e) {
    log::error("a request failed by a fault in the server",
               {{"error", e.what()}, {"traceId", call->trace.trace_id}});
    call->reply(Problem{ProblemKind::internal, kFailedInside, {}});
  }
}

}  // namespace

Admission admission(const Route& route, ScopeSet scopes) {
  const ScopeSet opening = route.scopes & scopes;
  if (!(opening & kScopesAcrossClients).empty()) return Admission::all_clients;
  return opening.empty() ? Admission::refused : Admission::own_client;
}

void let_in(const CallPtr& call) {
  const Route& route = *call->route;
  if (route.scopes.empty()) return route.handler(call);
  Authenticator* authenticator = call->context.authenticator;
  if (authenticator == nullptr) {
    call->caller = Caller::local();
    return route.handler(call);
  }
  if (const auto token = token_or_401(*call))
    authenticator->authenticate(*token,
                                [call](AuthResult result) { go_on_anywhere(call, std::move(result)); });
}

}  // namespace eilbote
