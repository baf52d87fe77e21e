#include "net/plain_connection.h"

#include <algorithm>

#include "base/ascii.h"

namespace eilbote {
namespace {

// What the call's owner says stands.
void add_unless_given(std::string& head, const HttpCall& call, std::string_view name,
                      std::string_view value) {
  const bool is_given = std::any_of(call.headers.begin(), call.headers.end(), [&](const auto& header) {
    return same_but_for_case(header.first, name);
  });
  if (!is_given) head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

void write_request_head(const HttpCall& call, std::string& head) {
  std::string_view rest = call.url;
  rest.remove_prefix(rest.find("://") + 3);
  std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(host.size());
  rest = rest.substr(0, rest.find('#'));
  if (host.ends_with(":80")) host.remove_suffix(3);
  head.clear();
  head.reserve(512);
  head.append(call.method).append(rest.starts_with('/') ? " " : " /").append(rest).append(" HTTP/1.1\r\n");
  add_unless_given(head, call, "Host", host);
  add_unless_given(head, call, "Accept", "*/*");
  add_unless_given(head, call, "Accept-Encoding", "gzip, deflate");
  for (const auto& [name, value] : call.headers)
    head.append(name).append(value.empty() ? ":" : ": ").append(value).append("\r\n");
  if (call.method != "GET" || !call.body.empty())
    head.append("Content-Length: ").append(std::to_string(call.body.size())).append("\r\n");
  head.append("\r\n");
}

}  // namespace eilbote
