#include "net/http_answer_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace eilbote {
namespace {

struct Reason {
  int status;
  std::string_view text;
};
constexpr std::array kReasons{Reason{200, "OK"},
                              Reason{201, "Created"},
                              Reason{202, "Accepted"},
                              Reason{204, "No Content"},
                              Reason{304, "Not Modified"},
                              Reason{400, "Bad Request"},
                              Reason{401, "Unauthorized"},
                              Reason{403, "Forbidden"},
                              Reason{404, "Not Found"},
                              Reason{405, "Method Not Allowed"},
                              Reason{408, "Request Timeout"},
                              Reason{409, "Conflict"},
                              Reason{410, "Gone"},
                              Reason{413, "Content Too Large"},
                              Reason{415, "Unsupported Media Type"},
                              Reason{417, "Expectation Failed"},
                              Reason{422, "Unprocessable Content"},
                              Reason{429, "Too Many Requests"},
                              Reason{431, "Request Header Fields Too Large"},
                              Reason{500, "Internal Server Error"},
                              Reason{503, "Service Unavailable"}};

std::string_view reason(int status) {
  for (const Reason& row : kReasons)
    if (row.status == status) return row.text;
  return "Status";
}

bool breaks_framing(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

void append_number(std::string& out, std::size_t number) {
  char digits[24];
  out.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
}

}  // namespace

bool status_has_body(int status) {
  return status != 204 && status != 304;
}

std::string http_date(TimePoint at) {
  return to_internet_date(at) + " GMT";
}

std::string answer_header(const HttpResponse& response, const AnswerFrame& frame) {
  std::string out;
  out.reserve(512);
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(response.status));
  out.append(" ").append(reason(response.status)).append("\r\nDate: ").append(frame.date).append("\r\n");
  if (status_has_body(response.status)) {
    if (!response.content_type.empty())
      out.append("Content-Type: ").append(response.content_type).append("\r\n");
    if (frame.chunked) out += "Transfer-Encoding: chunked\r\n";
    if (!response.stream) {
      out += "Content-Length: ";
      append_number(out, response.body.size());
      out += "\r\n";
    }
  }
  out += "X-Content-Type-Options: nosniff\r\n";
  if (frame.is_tls) out += "Strict-Transport-Security: max-age=31536000\r\n";
  bool says_how_long_to_keep = false;
  for (const auto& [name, value] : response.headers) {
    if (breaks_framing(name) || breaks_framing(value)) continue;
    says_how_long_to_keep = says_how_long_to_keep || name == "Cache-Control";
    out.append(name).append(": ").append(value).append("\r\n");
  }
  // Answers are about people's mail: nobody in between keeps them, unless a handler knows better.
  if (!says_how_long_to_keep) out += "Cache-Control: no-store\r\n";
  if (frame.close)
    out += "Connection: close\r\n";
  else if (frame.keep_alive)
    out += "Connection: keep-alive\r\n";
  out += "\r\n";
  return out;
}

}  // namespace eilbote
