#include "load/http_answer.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace eilbote::load {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<HttpAnswer> parse_answer(std::string_view bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos || bytes.size() < 12) return std::nullopt;
  HttpAnswer answer;
  std::from_chars(bytes.data() + 9, bytes.data() + 12, answer.status);
  std::size_t length = 0;
  std::string_view header = bytes.substr(0, end + 2);
  header.remove_prefix(header.find("\r\n") + 2);
  while (!header.empty()) {
    const auto stop = header.find("\r\n");
    const std::string_view line = header.substr(0, stop);
    header.remove_prefix(stop + 2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (same_name(name, "content-length")) std::from_chars(value.data(), value.data() + value.size(), length);
    if (same_name(name, "connection") && same_name(value, "close")) answer.close = true;
  }
  answer.bytes = end + 4 + length;
  if (bytes.size() < answer.bytes) return std::nullopt;
  answer.body = bytes.substr(end + 4, length);
  return answer;
}

std::string_view message_id(std::string_view body) {
  constexpr std::string_view kName = "\"messageId\"";
  const auto name = body.find(kName);
  if (name == std::string_view::npos) return {};
  const auto open = body.find('"', name + kName.size());
  if (open == std::string_view::npos) return {};
  const auto close = body.find('"', open + 1);
  return close == std::string_view::npos ? std::string_view{} : body.substr(open + 1, close - open - 1);
}

}  // namespace eilbote::load
