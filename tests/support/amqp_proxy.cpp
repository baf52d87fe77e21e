#include "support/amqp_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
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

constexpr std::size_t kGreeting = 8;     // "AMQP" 0 0 9 1, the client's first bytes, which are no frame
constexpr std::size_t kFrameAround = 8;  // type, channel, size in front; one byte behind
constexpr std::uint16_t kBasic = 60, kPublish = 40, kAck = 80;

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < size; ++i)
    number = number << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return number;
}

// Of a whole frame.
bool is_method(std::string_view frame, std::uint16_t method) {
  constexpr std::size_t kHead = 7;
  return frame[0] == 1 && frame.size() >= kHead + 4 && number_at(frame, kHead, 2) == kBasic &&
         number_at(frame, kHead + 2, 2) == method;
}

}  // namespace

struct AmqpProxy::Link {
  int client = -1, server = -1;
  bool client_greeted = false, server_greeted = true;
  std::string up, down;  // bytes of a frame that is not complete yet
  ~Link() {
    reset_and_close(client);
    reset_and_close(server);
  }
};

AmqpProxy::AmqpProxy(std::uint16_t server_port) : server_port_(server_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  int ends[2];
  if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::runtime_error("the proxy cannot listen");
  port_ = ntohs(address.sin_port);
  wake_read_ = ends[0];
  wake_write_ = ends[1];
  thread_ = std::thread([this] { run(); });
}

AmqpProxy::~AmqpProxy() {
  stopping_ = true;
  wake();
  thread_.join();
  open_.clear();
  ::close(listener_);
  ::close(wake_read_);
  ::close(wake_write_);
}

void AmqpProxy::wake() {
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(wake_write_, &byte, 1);
}

void AmqpProxy::stall(bool on) {
  stalling_ = on;
  const int mine = ++asked_;
  wake();
  for (int seen = seen_; seen < mine; seen = seen_)
    seen_.wait(seen);
}

void AmqpProxy::take_new() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(server_port_);
  if (::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
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

bool AmqpProxy::pass(int from, int to, std::string& waiting, bool& greeted, AmqpCut cut) {
  char bytes[65536];
  const ssize_t got = ::recv(from, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  waiting.append(bytes, static_cast<std::size_t>(got));
  std::size_t whole = 0;
  if (!greeted && waiting.size() >= kGreeting) {
    greeted = true;
    whole = kGreeting;
  }
  const std::uint16_t method = cut == AmqpCut::before_publish ? kPublish : kAck;
  while (greeted && waiting.size() >= whole + kFrameAround) {
    const std::size_t size = kFrameAround + number_at(waiting, whole + 3, 4);
    if (waiting.size() < whole + size) break;
    if (armed_ == cut && is_method(std::string_view(waiting).substr(whole, size), method)) {
      armed_ = AmqpCut::none;
      ++cuts_;
      send_all(to, std::string_view(waiting).substr(0, whole));
      return false;
    }
    whole += size;
  }
  const bool sent = send_all(to, std::string_view(waiting).substr(0, whole));
  waiting.erase(0, whole);
  return sent;
}

void AmqpProxy::run() {
  while (!stopping_) {
    std::vector<pollfd> waits{{wake_read_, POLLIN, 0}, {listener_, POLLIN, 0}};
    seen_ = asked_.load();
    seen_.notify_all();
    const bool stalling = stalling_;
    if (!stalling)
      for (const Link& link : open_) {
        waits.push_back({link.client, POLLIN, 0});
        waits.push_back({link.server, POLLIN, 0});
      }
    ::poll(waits.data(), waits.size(), -1);
    char drained[64];
    while (::read(wake_read_, drained, sizeof drained) > 0) {
    }
    std::size_t at = 2;
    for (auto link = open_.begin(); link != open_.end() && at < waits.size(); at += 2) {
      Link& one = *link;
      const bool alive = (waits[at].revents == 0 || pass(one.client, one.server, one.up, one.client_greeted,
                                                         AmqpCut::before_publish)) &&
                         (waits[at + 1].revents == 0 || pass(one.server, one.client, one.down,
                                                             one.server_greeted, AmqpCut::before_confirm));
      link = alive ? std::next(link) : open_.erase(link);
    }
    if (waits[1].revents != 0) take_new();
  }
}

}  // namespace eilbote::test
