// Turns bytes into one HttpRequest: Beast's parser behind a small face. A plain body (Content-Length) is not
// read here; the connection reads it straight into the request. Trailers are dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ports/http.h"

namespace eilbote {

// Why the server answers a request itself.
struct HttpRefusal {
  int status = 400;
  std::string detail;
};

class HttpRequestReader {
 public:
  struct Limits {
    std::size_t header_bytes_max = 0;
    std::size_t body_bytes_max = 0;
  };
  enum class Step {
    need_more,  // feed again, with what was not consumed still in front
    header,     // the header is complete: look at it, then go on with the body
    done,       // a chunked body is complete
    refused,    // see refusal()
  };

  HttpRequestReader();
  ~HttpRequestReader();

  // Forgets everything: the next bytes are a new request.
  void reset(const Limits& limits);
  Step feed(std::string_view bytes, std::size_t& consumed);

  // Valid from Step::header on.
  bool chunked() const;
  std::uint64_t content_length() const;  // 0 when there is no body
  bool keep_alive() const;
  bool is_http10() const;
  bool expects_continue() const;
  HttpRequest& request();

  const HttpRefusal& refusal() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace eilbote
