// Reads HTTP/1.1 answers with a Content-Length, as the server under load gives them; no chunked coding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace eilbote::load {

struct HttpAnswer {
  int status = 0;
  bool close = false;
  std::string_view body;  // points into what was parsed
  std::size_t bytes = 0;  // of the whole answer
};

// The answer at the front of `bytes`; absent while it is not all there.
std::optional<HttpAnswer> parse_answer(std::string_view bytes);

// The value of "messageId" in an answer's body; empty when it has none.
std::string_view message_id(std::string_view body);

}  // namespace eilbote::load
