#include "domain/smtp_body.h"

#include <algorithm>

namespace eilbote {

// Line by line, not byte by byte: every mail that leaves comes through here. A lone CR ends a line as well, but it is rare;
// so LF, which is found fast, is looked for first, and only once for all CRs before it.
std::string smtp_body(std::string_view message) {
  std::string body;
  body.reserve(message.size() + message.size() / 64 + 8);
  std::size_t line_feed = std::min(message.find('\n'), message.size());
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t end = at + std::min(message.substr(at, line_feed - at).find('\r'), line_feed - at);
    if (message[at] == '.') body += '.';
    body.append(message.substr(at, end - at));
    body += "\r\n";
    at = end + (message.substr(end).starts_with("\r\n") ? 2 : 1);
    if (at > line_feed) line_feed = std::min(message.find('\n', at), message.size());
  }
  body += ".\r\n";
  return body;
}

}  // namespace eilbote
