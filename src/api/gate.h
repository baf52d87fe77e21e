// The one place where a request becomes a call with a caller: the token is checked, its scopes are held against the
// route's, and only then the handler runs. RFC 6750. Where a route takes the signature of a provider instead, that is checked.
#pragma once

#include "api/call.h"

namespace eilbote {

struct Route;

// Whether these scopes open the route, and if so for whose jobs.
enum class Admission { refused, own_client, all_clients };
Admission admission(const Route& route, ScopeSet scopes);

// Runs the route's handler, or answers 401, 403 or 503. Without tokens (EILBOTE_AUTH=off) everybody who reaches the port is let in
// but pages of other sites: 400 for those that would change something (Origin), 421 for those that come by a name of their own
// (Host; DNS rebinding). What is open to all anyway, such as health and metrics, asks for no Host. Never blocks; may go on later,
// on another thread.
void let_in(const CallPtr& call);

}  // namespace eilbote
