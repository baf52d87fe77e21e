#include "net/http_answer_text.h"

#include <fmt/format.h>

#include <array>

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
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

}  // namespace

bool status_has_body(int status) {
  return status != 204 && status != 304;
}

std::string http_date(TimePoint at) {
  using namespace std::chrono;
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<seconds>(at - day)};
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[weekday{day}.c_encoding()],
                     static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

std::string answer_header(const HttpResponse& response, const AnswerFrame& frame) {
  std::string out;
  out.reserve(512);
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                 reason(response.status), frame.date);
  if (status_has_body(response.status)) {
    if (!response.content_type.empty())
      fmt::format_to(std::back_inserter(out), "Content-Type: {}\r\n", response.content_type);
    if (frame.chunked) out += "Transfer-Encoding: chunked\r\n";
    if (!response.stream)
      fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", response.body.size());
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
