#include "support/half_request.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace eilbote::test {

HalfRequest::HalfRequest(const std::string& url, const std::string& path, std::size_t announced,
                         const std::string& beginning) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string text =
      "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
      std::to_string(announced) + "\r\n\r\n" + beginning;
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) {
    ::close(socket_);
    throw std::runtime_error("cannot send half a request to " + url);
  }
}

HalfRequest::~HalfRequest() {
  ::close(socket_);
}

}  // namespace eilbote::test
