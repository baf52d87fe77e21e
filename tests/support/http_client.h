// A blocking HTTP client for tests, on libcurl. One connection per thread is kept open. What goes through it is noted and
// searched for what is private (private_texts.h).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace eilbote::test {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpReply {
  int status = 0;                              // 0: no answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string trouble;  // why there was no answer
};

HttpReply http_request(const std::string& method, const std::string& url, const std::string& body,
                       const HttpHeaders& headers, long timeout_ms = 30000);

}  // namespace eilbote::test
