// What the loopback proxies do to sockets. Used by tcp_proxy.cpp and amqp_proxy.cpp.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <string_view>

namespace eilbote::test {

// False: the other side is gone.
inline bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// A cut must look like one: reset, not a polite end.
inline void reset_and_close(int socket) {
  const linger now{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(socket);
}

}  // namespace eilbote::test
