#include "transport/tcp_dial.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/mutex.h"
#include "net/name_pool.h"

namespace eilbote {
namespace {

tl::unexpected<Error> dial_fault(const std::string& what) {
  return fail(ErrorKind::unavailable, what);
}

int millis_left(std::chrono::steady_clock::time_point until) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

struct SocketAddress {
  sockaddr_storage bytes{};
  unsigned size = 0;
};

SocketAddress socket_address(const boost::asio::ip::address& address, std::uint16_t port) {
  SocketAddress made;
  if (address.is_v4()) {
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&made.bytes);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    const auto octets = address.to_v4().to_bytes();
    std::memcpy(&v4->sin_addr, octets.data(), octets.size());
    made.size = sizeof *v4;
  } else {
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&made.bytes);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    const auto octets = address.to_v6().to_bytes();
    std::memcpy(&v6->sin6_addr, octets.data(), octets.size());
    v6->sin6_scope_id = static_cast<std::uint32_t>(address.to_v6().scope_id());
    made.size = sizeof *v6;
  }
  return made;
}

}  // namespace

struct TcpDial::Found {
  Mutex mutex;
  std::optional<tl::expected<Addresses, LookupFault>> answer EILBOTE_GUARDED_BY(mutex);
};

TcpDial::TcpDial(Bell& bell, std::function<bool()> disturbed)
    : bell_(bell),
      disturbed_(std::move(disturbed)),
      found_(std::make_shared<Found>()),
      names_(std::make_unique<NamePool>(
          look_up_name, NamePoolOptions{.threads_max = 2, .waiting_max = 2, .fresh = std::chrono::seconds{0}},
          [this](const std::string&, const tl::expected<Addresses, LookupFault>& found) {
            {
              const MutexLock lock(found_->mutex);
              found_->answer = found;
            }
            bell_.ring();
          })) {}

TcpDial::~TcpDial() = default;

bool TcpDial::wait(int fd, Steady until) {
  pollfd waits[2] = {{bell_.fd(), POLLIN, 0}, {fd, POLLOUT, 0}};
  const int ready = ::poll(waits, 2, millis_left(until));
  if (waits[0].revents != 0) {
    bell_.silence();
    if (disturbed_()) return false;
  }
  return ready != 0 || std::chrono::steady_clock::now() < until;
}

Result<int> TcpDial::connect_to(const void* address, unsigned size, Steady until) {
  const auto* const to = static_cast<const sockaddr*>(address);
  const int fd = ::socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return dial_fault(std::string("no socket: ") + std::strerror(errno));
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int fault = ::connect(fd, to, size) == 0 ? 0 : errno;
  while (fault == EINPROGRESS) {
    if (!wait(fd, until)) {
      ::close(fd);
      return dial_fault("it does not answer");
    }
    pollfd look{fd, POLLOUT, 0};
    if (::poll(&look, 1, 0) <= 0) continue;
    socklen_t length = sizeof fault;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &length);
  }
  if (fault == 0) return fd;
  ::close(fd);
  return dial_fault(std::strerror(fault));
}

Result<int> TcpDial::connect(const std::string& host, std::uint16_t port,
                             std::chrono::milliseconds patience) {
  const Steady until = std::chrono::steady_clock::now() + patience;
  {
    const MutexLock lock(found_->mutex);
    found_->answer.reset();
  }
  if (!names_->begin(host)) return dial_fault("its name is still being looked up");
  std::optional<tl::expected<Addresses, LookupFault>> answer;
  do {
    if (!wait(-1, until)) return dial_fault("its name is not found in time");
    const MutexLock lock(found_->mutex);
    answer = found_->answer;
  } while (!answer);
  if (!*answer) return dial_fault(answer->error().text);
  Result<int> connected = dial_fault("its name has no address");
  std::size_t left = (*answer)->size();
  for (const auto& address : **answer) {
    const auto now = std::chrono::steady_clock::now();
    // One that is cut off must not use up the time of the others.
    const Steady share = now + (until - now) / static_cast<int>(left--);
    const SocketAddress to = socket_address(address, port);
    connected = connect_to(&to.bytes, to.size, share);
    if (connected || disturbed_() || std::chrono::steady_clock::now() >= until) return connected;
  }
  return connected;
}

}  // namespace eilbote
