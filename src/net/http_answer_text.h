// The bytes of an answer's header.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "ports/http.h"

namespace eilbote {

struct AnswerFrame {
  bool close = false;       // say so, the connection ends after this answer
  bool keep_alive = false;  // say so: an HTTP/1.0 client wants to hear it
  bool is_tls = false;      // and is to stay so
  std::string_view date;    // http_date of now
  bool chunked = false;     // say so: the body has no length yet (HttpResponse::stream)
};

// Status line and header fields up to the empty line. A header whose value could break the framing is left
// out.
std::string answer_header(const HttpResponse& response, const AnswerFrame& frame);

// False for the statuses that have no body by definition (204, 304).
bool status_has_body(int status);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(TimePoint at);

}  // namespace eilbote
