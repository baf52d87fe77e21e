#include "domain/smtp_reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace eilbote {
std::string_view enhanced_code_at(std::string_view text) {
  std::size_t at = 0;
  for (int number = 0; number < 3; ++number) {
    if (number > 0 && (at >= text.size() || text[at++] != '.')) return {};
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at]))
      ++at;
    const std::size_t digits = at - begin;
    if (digits == 0 || digits > (number == 0 ? 1U : 3U)) return {};
  }
  return at == text.size() || text[at] == ' ' ? text.substr(0, at) : std::string_view();
}

bool code_fits(std::string_view pattern, std::string_view code) {
  return std::equal(pattern.begin(), pattern.end(), code.begin(), code.end(),
                    [](char p, char c) { return p == 'x' || p == c; });
}

std::string SmtpReply::text() const {
  std::string all = fmt::format("{:03}", code);
  if (!enhanced.empty()) all += " " + enhanced;
  for (const std::string& line : lines)
    if (!line.empty()) all += " " + line;
  return all;
}

SmtpReplyReader::Step SmtpReplyReader::read(std::string_view& input) {
  while (!input.empty()) {
    const std::size_t end = input.find('\n');
    const std::size_t length = end == std::string_view::npos ? input.size() : end;
    if (line_.size() + length > kLineBytesMax) return Step::broken;
    line_.append(input.substr(0, length));
    if (end == std::string_view::npos) {
      input = {};
      // A server of another protocol may never end its line: look at the start at once.
      return std::all_of(line_.begin(),
                         line_.begin() + static_cast<long>(std::min<std::size_t>(3, line_.size())), is_digit)
                 ? Step::more
                 : Step::broken;
    }
    input.remove_prefix(end + 1);
    if (const Step step = end_line(); step != Step::more) return step;
  }
  return Step::more;
}

SmtpReplyReader::Step SmtpReplyReader::end_line() {
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  std::string line = std::exchange(line_, {});
  if (line.size() < 3 || !std::all_of(line.begin(), line.begin() + 3, is_digit)) return Step::broken;
  if (line.size() > 3 && line[3] != ' ' && line[3] != '-') return Step::broken;
  const int code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
  if (!reply_.lines.empty() && code != reply_.code) return Step::broken;
  if (reply_.lines.size() >= kLinesMax) return Step::broken;
  reply_.code = code;
  // The text is shown to people and written to logs and records: no escape sequence or bare CR may come along.
  std::replace_if(line.begin() + 3, line.end(), is_control, ' ');
  std::string_view text = line.size() > 4 ? std::string_view(line).substr(4) : std::string_view();
  if (const std::size_t length = enhanced_code_at(text).size(); length > 0) {
    if (reply_.enhanced.empty()) reply_.enhanced = text.substr(0, length);
    // Repeated on every line, as RFC 2034 wants; said once is enough.
    if (text.substr(0, length) == reply_.enhanced) text.remove_prefix(std::min(length + 1, text.size()));
  }
  reply_.lines.emplace_back(text);
  return line.size() > 3 && line[3] == '-' ? Step::more : Step::complete;
}

SmtpReply SmtpReplyReader::take() {
  return std::exchange(reply_, {});
}

}  // namespace eilbote
