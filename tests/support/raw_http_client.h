// A blocking client that says exactly the bytes a test wants said: broken, slow or cut off.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace eilbote::test {

class RawHttpClient {
 public:
  explicit RawHttpClient(std::uint16_t port, int patience_seconds = 10)
      : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{patience_seconds, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return;
    ::close(fd_);
    throw std::runtime_error("connect failed");
  }
  ~RawHttpClient() { ::close(fd_); }
  RawHttpClient(const RawHttpClient&) = delete;
  RawHttpClient& operator=(const RawHttpClient&) = delete;

  // As much as the other side takes; it may have closed already.
  void send(const std::string& bytes) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return;
      done += static_cast<std::size_t>(n);
    }
  }
  void end_sending() const { ::shutdown(fd_, SHUT_WR); }

  // Reads until `text` has come; returns everything up to and including it.
  std::string read_until(const std::string& text) {
    for (;;) {
      if (const auto at = seen_.find(text); at != std::string::npos) {
        std::string part = seen_.substr(0, at + text.size());
        seen_.erase(0, at + text.size());
        return part;
      }
      if (!fill()) return std::exchange(seen_, {});
    }
  }
  std::string read_to_end() {
    while (fill()) {
    }
    return std::exchange(seen_, {});
  }
  // One whole answer, by its Content-Length.
  std::string read_answer() {
    std::string answer = read_until("\r\n\r\n");
    const auto at = answer.find("Content-Length: ");
    if (at == std::string::npos) return answer;
    const std::size_t size = std::stoul(answer.substr(at + 16));
    while (seen_.size() < size && fill()) {
    }
    answer += seen_.substr(0, size);
    seen_.erase(0, size);
    return answer;
  }

 private:
  int fd_;
  std::string seen_;

  bool fill() {
    char part[65536];
    const ssize_t n = ::recv(fd_, part, sizeof part, 0);
    if (n <= 0) return false;
    seen_.append(part, static_cast<std::size_t>(n));
    return true;
  }
};

}  // namespace eilbote::test
