#include "domain/smtp_body.h"

namespace eilbote {

std::string smtp_body(std::string_view message) {
  std::string body;
  body.reserve(message.size() + message.size() / 64 + 8);
  bool at_line_start = true;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '\r' || c == '\n') {
      if (c == '\r' && i + 1 < message.size() && message[i + 1] == '\n') ++i;
      body += "\r\n";
      at_line_start = true;
      continue;
    }
    if (c == '.' && at_line_start) body += '.';
    body += c;
    at_line_start = false;
  }
  if (!at_line_start) body += "\r\n";
  body += ".\r\n";
  return body;
}

}  // namespace eilbote
