#include "net/plain_connection.h"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>

namespace eilbote {

std::string plain_request_head(const HttpCall& call) {
  std::string_view rest = call.url;
  rest.remove_prefix(rest.find("://") + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?"));
  rest.remove_prefix(host.size());
  std::string head;
  head.reserve(512);
  head.append(call.method).append(rest.starts_with('/') ? " " : " /").append(rest.substr(0, rest.find('#')));
  head.append(" HTTP/1.1\r\nHost: ").append(host.ends_with(":80") ? host.substr(0, host.size() - 3) : host);
  head.append("\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate\r\n");
  for (const auto& [name, value] : call.headers)
    head.append(name).append(value.empty() ? ":" : ": ").append(value).append("\r\n");
  if (call.method != "GET")
    head.append("Content-Length: ").append(std::to_string(call.body.size())).append("\r\n");
  head.append("\r\n");
  return head;
}

}  // namespace eilbote
