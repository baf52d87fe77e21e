// A slow client: an HTTP POST whose body is announced but not sent to the end. The connection lives as long as this.
#pragma once

#include <cstddef>
#include <string>

namespace eilbote::test {

class HalfRequest {
 public:
  // Connects to "http://127.0.0.1:PORT" and sends the head with `announced` bytes and the beginning of the body.
  HalfRequest(const std::string& url, const std::string& path, std::size_t announced,
              const std::string& beginning);
  ~HalfRequest();
  HalfRequest(const HalfRequest&) = delete;
  HalfRequest& operator=(const HalfRequest&) = delete;

 private:
  int socket_ = -1;
};

}  // namespace eilbote::test
