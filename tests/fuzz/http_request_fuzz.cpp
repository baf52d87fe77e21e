// Whatever a client sends: read the same in one piece and byte by byte, within its limits; a refusal has a status and words, and
// a request that is taken cannot be read in two ways by two servers.
#include <algorithm>

#include "base/ascii.h"
#include "fuzz/fuzz.h"
#include "net/http_request_reader.h"

namespace eilbote::fuzz {
namespace {

using Step = HttpRequestReader::Step;

constexpr HttpRequestReader::Limits kLimits{1000, 500};

struct Reading {
  bool has_header = false, is_whole = false, chunked = false;
  int refused = 0;
  std::string detail;
  std::uint64_t length = 0;
  HttpRequest request;
};

bool is_decided(const Reading& reading) {
  return reading.has_header || reading.refused != 0;
}

// In pieces a fault may be seen with a later byte only, and of two faults the other one first; but nobody waits for more, or
// refuses, where another has a request.
bool same(const Reading& a, const Reading& b) {
  if (a.refused != 0 && b.refused != 0) return true;
  if (!is_decided(a) || !is_decided(b)) return !a.has_header && !b.has_header;
  return a.has_header == b.has_header && a.is_whole == b.is_whole && a.refused == b.refused &&
         a.length == b.length && a.request.method == b.request.method &&
         a.request.target == b.request.target && a.request.headers == b.request.headers &&
         a.request.body == b.request.body;
}

// As net/http_connection does it: what was not consumed stays in front, and after the header come the chunks, if any.
Reading read(std::string_view bytes, std::size_t piece) {
  HttpRequestReader reader;
  reader.reset(kLimits);
  Reading reading;
  std::string waiting;
  bool is_over = false;
  while (!is_over && !bytes.empty()) {
    waiting += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (bool again = true; again && !is_over;) {
      std::size_t consumed = 0;
      const Step step = reader.feed(waiting, consumed);
      waiting.erase(0, consumed);
      again = false;
      if (step == Step::refused) {
        reading.refused = reader.refusal().status;
        reading.detail = reader.refusal().detail;
        is_over = true;
      } else if (step == Step::header) {
        reading.has_header = true;
        reading.chunked = reader.chunked();
        reading.length = reader.content_length();
        again = reading.chunked;
        is_over = !again;
      } else if (step == Step::done) {
        reading.is_whole = is_over = true;
      } else {
        again = consumed > 0 && !waiting.empty();
      }
    }
  }
  reading.request = reader.request();
  return reading;
}

std::size_t count(const HttpRequest& request, std::string_view name) {
  return static_cast<std::size_t>(
      std::count_if(request.headers.begin(), request.headers.end(),
                    [&](const auto& h) { return same_but_for_case(h.first, name); }));
}

std::string framing_fault(const Reading& reading) {
  const HttpRequest& request = reading.request;
  const bool has_length = count(request, "Content-Length") > 0;
  if (count(request, "Transfer-Encoding") > 0 && (!reading.chunked || has_length))
    return "two lengths, or one that is guessed";
  for (const auto& [name, value] : request.headers)
    if (name.empty() || name.find_first_of(" :\t") != std::string::npos ||
        value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
      return "a header that reads differently elsewhere";
  if (request.method.empty() || request.target.empty() || request.target.find(' ') != std::string::npos)
    return "a request line that reads differently elsewhere";
  return {};
}

}  // namespace

std::string http_request_fuzz(std::string_view bytes) {
  const Reading whole = read(bytes, std::max<std::size_t>(1, bytes.size())), bytewise = read(bytes, 1);
  if (!same(whole, bytewise)) return "read differently in one piece and byte by byte";
  if (whole.request.body.size() > kLimits.body_bytes_max) return "a body beyond the limit";
  if (whole.refused != 0)
    return whole.refused < 400 || whole.refused > 499 || whole.detail.empty() ? "refused without a word" : "";
  return whole.has_header ? framing_fault(whole) : "";
}

}  // namespace eilbote::fuzz
