#include "api/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/route_table.h"
#include "base/ascii.h"
#include "base/log.h"
#include "domain/host_name.h"

namespace eilbote {
namespace {

constexpr std::string_view kScheme = "bearer ";
constexpr std::string_view kSignatureHeader = "X-Webhook-Signature";

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

// Where everybody is let in, a form on any page in the browser of somebody on this machine would be, too. Browsers name the page's
// origin in every request that may change something; programs send none.
bool is_of_another_site(const Call& call) {
  if (call.route->method == "GET") return false;
  const auto origin = call.header("Origin");
  if (!origin) return false;
  const std::string host(call.header("Host").value_or(""));
  return *origin != "http://" + host && *origin != "https://" + host;
}

// DNS rebinding: somebody's page whose own name suddenly leads to this machine is of the same site as far as the browser knows, and
// could read everything here, too. Its requests still name it. Addresses and localhost belong to nobody; programs may name nothing.
bool names_another_server(const Call& call) {
  std::string_view host = call.header("Host").value_or("");
  if (host.starts_with('[')) return false;
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string name = ascii_lower(host);
  return !last_label_is_number(name) && name != "localhost" && !name.ends_with(".localhost");
}

// On a thread that is not the server's, nobody else would catch it.
template <class Step>
void safely(const CallPtr& call, Step step) {
  try {
    step();
  } catch (const std::exception& e) {
    log::error("a request failed by a fault in the server",
               {{"error", e.what()}, {"traceId", call->trace.trace_id}});
    call->reply(Problem{ProblemKind::internal, kFailedInside, {}});
  }
}

// What to say to a request that no good signature was found on; nothing: it has one.
std::optional<Problem> signature_problem(SignatureCheck check) {
  switch (check) {
    case SignatureCheck::good:
      return std::nullopt;
    case SignatureCheck::wrong:
      return Problem{
          ProblemKind::bad_signature,
          "header X-Webhook-Signature must be the HMAC-SHA256 of the body, in hex, made with the secret "
          "that EILBOTE_PROVIDER_SECRET_REF names",
          {}};
    case SignatureCheck::not_configured:
      return Problem{
          ProblemKind::signatures_off,
          "no secret for signatures is configured; set EILBOTE_PROVIDER_SECRET_REF to a reference to it",
          {}};
    case SignatureCheck::unavailable:
      return Problem{ProblemKind::unavailable, "the secret for signatures cannot be read at the moment", {}};
  }
  return Problem{ProblemKind::internal, kFailedInside, {}};
}

void go_on_signed(const CallPtr& call, SignatureCheck check) {
  if (const auto problem = signature_problem(check)) {
    call->context.metrics.add(Metric::auth_refused, 1, {"signature"});
    return call->reply(*problem);
  }
  call->caller = Caller::provider();
  call->route->handler(call);
}

// On a worker: the secret may have to be read from a file. Whoever makes it be read anew answers from another thread.
void let_in_signed(const CallPtr& call, std::string signature) {
  call->on_worker([call, signature = std::move(signature)] {
    call->context.provider_key.check(call->request.body, signature, [call](SignatureCheck check) {
      safely(call, [&] { go_on_signed(call, check); });
    });
  });
}

}  // namespace

Admission admission(const Route& route, ScopeSet scopes) {
  const ScopeSet opening = route.scopes & scopes;
  if (!(opening & kScopesAcrossClients).empty()) return Admission::all_clients;
  return opening.empty() ? Admission::refused : Admission::own_client;
}

void let_in(const CallPtr& call) {
  if (call->context.authenticator == nullptr && is_of_another_site(*call))
    return call->reply(invalid(
        {{"", "header Origin: a page of another site may not change anything on a server without tokens"}}));
  const Route& route = *call->route;
  if (route.provider_signed != ProviderSigned::never) {
    const auto signature = call->header(kSignatureHeader);
    if (signature || route.provider_signed == ProviderSigned::only)
      return let_in_signed(call, std::string(signature.value_or("")));
  }
  if (route.scopes.empty()) return route.handler(call);
  Authenticator* authenticator = call->context.authenticator;
  if (authenticator == nullptr) {
    if (names_another_server(*call))
      return call->reply(Problem{
          ProblemKind::misdirected,
          "header Host: without tokens only requests to an address or to localhost are answered, so that no "
          "page of another site gets in by its own name; use http://127.0.0.1 with the port of this server, "
          "or turn tokens on (EILBOTE_AUTH=oidc)",
          {}});
    call->caller = Caller::local();
    return route.handler(call);
  }
  if (const auto token = token_or_401(*call))
    authenticator->authenticate(
        *token, [call](AuthResult result) { safely(call, [&] { go_on(call, std::move(result)); }); });
}

}  // namespace eilbote
