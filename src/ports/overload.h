// What was full when a request was refused with 429; the label of eilbote_http_overload_total. Counted by the HTTP server and by
// the API.
#pragma once

#include "base/enum_names.h"

namespace eilbote {

enum class OverloadCause { connections, peer_connections, request_bytes, workers, intake };

inline constexpr auto kOverloadCauseNames =
    enum_names<OverloadCause>({{OverloadCause::connections, "connections"},
                               {OverloadCause::peer_connections, "peer_connections"},
                               {OverloadCause::request_bytes, "request_bytes"},
                               {OverloadCause::workers, "workers"},
                               {OverloadCause::intake, "intake"}});
static_assert(kOverloadCauseNames.complete());

}  // namespace eilbote
