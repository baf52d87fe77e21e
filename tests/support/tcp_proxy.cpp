#include "support/tcp_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "support/loopback.h"
#include "support/proxy_sockets.h"

namespace eilbote::test {
namespace {

std::uint32_t length_at(std::string_view bytes, std::size_t at) {
  std::uint32_t network = 0;
  std::memcpy(&network, bytes.data() + at, 4);
  return ntohl(network);
}

constexpr std::size_t kPiece = 65536, kDrop = 256;  // bytes at once, and while dripping
constexpr int kDropEachMs = 10;

// Statements may open with comment lines.
bool says_commit(std::string_view text) {
  while (text.starts_with("--") || text.starts_with("\n")) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  return text.starts_with("COMMIT");
}

}  // namespace

struct TcpProxy::Link {
  int client = -1, server = -1;
  bool started = false;     // the client's start-up message has passed
  std::string up, down;     // bytes of a message that is not complete yet
  std::string commit_name;  // the prepared statement that is a COMMIT
  ~Link() {
    reset_and_close(client);
    reset_and_close(server);
  }
};

TcpProxy::TcpProxy(std::uint16_t server_port, Proxied what, const ProxyPlace& place)
    : server_port_(server_port), what_(what) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int reuse = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  sockaddr_in address = loopback(place.port);
  address.sin_addr.s_addr = ::inet_addr(place.address.c_str());
  socklen_t size = sizeof address;
  int wake[2];
  if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::runtime_error("the proxy cannot listen");
  port_ = ntohs(address.sin_port);
  wake_read_ = wake[0];
  wake_write_ = wake[1];
  thread_ = std::thread([this] { run(); });
}

TcpProxy::~TcpProxy() {
  stopping_ = true;
  wake();
  thread_.join();
  open_.clear();
  ::close(listener_);
  ::close(wake_read_);
  ::close(wake_write_);
}

void TcpProxy::wake() {
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(wake_write_, &byte, 1);
}

void TcpProxy::change(std::atomic<bool>& setting, bool on) {
  setting = on;
  const int mine = ++asked_;
  wake();
  for (int seen = seen_; seen < mine; seen = seen_)
    seen_.wait(seen);
}

void TcpProxy::reset() {
  change(resetting_, true);
}

void TcpProxy::lead_to(std::uint16_t server_port) {
  server_port_ = server_port;
  reset();
}

std::size_t TcpProxy::piece() const {
  return dripping_ ? kDrop : kPiece;
}

void TcpProxy::hold_up() {
  pollfd asked{wake_read_, POLLIN, 0};
  ::poll(&asked, 1, kDropEachMs);
}

void TcpProxy::take_new() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(server_port_);
  if (refusing_ || ::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    reset_and_close(client);
    ::close(server);
    return;
  }
  const int on = 1;
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Link& link = open_.emplace_back();
  link.client = client;
  link.server = server;
}

// Passes on whole messages. A COMMIT is a simple query, or the parse or bind of a statement that says so.
bool TcpProxy::from_client(Link& link) {
  char bytes[kPiece];
  const ssize_t got = ::recv(link.client, bytes, piece(), 0);
  if (got <= 0) return false;
  if (what_ == Proxied::bytes) return send_all(link.server, {bytes, static_cast<std::size_t>(got)});
  link.up.append(bytes, static_cast<std::size_t>(got));
  std::size_t pass = 0;
  while (true) {
    const std::size_t type = link.started ? 1 : 0;
    if (link.up.size() < pass + type + 4) break;
    const std::size_t size = type + length_at(link.up, pass + type);
    if (link.up.size() < pass + size) break;
    const std::string_view body = std::string_view(link.up).substr(pass + type + 4, size - type - 4);
    bool commits = false;
    if (!link.started) {
      // Requests for encryption (answered by one byte) come before the real start-up message.
      const std::uint32_t code = length_at(body, 0);
      link.started = code != 80877103 && code != 80877104 && code != 80877102;
    } else if (link.up[pass] == 'Q') {
      commits = says_commit(body);
    } else if (link.up[pass] == 'P') {
      const std::string name(body.substr(0, body.find('\0')));
      const bool is_commit = says_commit(body.substr(name.size() + 1));
      if (is_commit && !name.empty()) link.commit_name = name;
      commits = is_commit && name.empty();
    } else if (link.up[pass] == 'B') {
      const std::string_view statement = body.substr(body.find('\0') + 1);
      commits = !link.commit_name.empty() && statement.substr(0, statement.find('\0')) == link.commit_name;
    }
    if (commits && armed_ == CutPoint::before_commit) {
      armed_ = CutPoint::none;
      ++cuts_;
      return false;
    }
    pass += size;
  }
  const bool sent = send_all(link.server, std::string_view(link.up).substr(0, pass));
  link.up.erase(0, pass);
  return sent;
}

bool TcpProxy::from_server(Link& link) {
  char bytes[kPiece];
  const ssize_t got = ::recv(link.server, bytes, piece(), 0);
  if (got <= 0) return false;
  if (!link.started || what_ == Proxied::bytes)
    return send_all(link.client, {bytes, static_cast<std::size_t>(got)});
  link.down.append(bytes, static_cast<std::size_t>(got));
  std::size_t pass = 0;
  while (link.down.size() >= pass + 5) {
    const std::size_t size = 1 + length_at(link.down, pass + 1);
    if (link.down.size() < pass + size) break;
    if (link.down[pass] == 'C' && says_commit(std::string_view(link.down).substr(pass + 5)) &&
        armed_ == CutPoint::after_commit) {
      armed_ = CutPoint::none;
      ++cuts_;
      return false;
    }
    pass += size;
  }
  const bool sent = send_all(link.client, std::string_view(link.down).substr(0, pass));
  link.down.erase(0, pass);
  return sent;
}

void TcpProxy::run() {
  while (!stopping_) {
    std::vector<pollfd> waits{{wake_read_, POLLIN, 0}, {listener_, POLLIN, 0}};
    const int asked = asked_;
    if (resetting_.exchange(false) || refusing_) open_.clear();
    if (dripping_) hold_up();
    seen_ = asked;
    seen_.notify_all();
    if (!stalling_)
      for (const Link& link : open_) {
        waits.push_back({link.client, POLLIN, 0});
        waits.push_back({holding_answers_ ? -1 : link.server, POLLIN, 0});
      }
    ::poll(waits.data(), waits.size(), -1);
    char drained[64];
    while (::read(wake_read_, drained, sizeof drained) > 0) {
    }
    if (stalling_ && waits.size() > 2) continue;
    std::size_t at = 2;
    for (auto link = open_.begin(); link != open_.end() && at < waits.size(); at += 2) {
      const bool alive = (waits[at].revents == 0 || from_client(*link)) &&
                         (waits[at + 1].revents == 0 || from_server(*link));
      link = alive ? std::next(link) : open_.erase(link);
    }
    if (waits[1].revents != 0) take_new();
  }
}

}  // namespace eilbote::test
