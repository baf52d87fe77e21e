#include "net/plain_driver.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "net/plain_connection.h"

namespace eilbote {
namespace {

using State = PlainConnection::State;
using Steady = PlainDriver::Steady;

constexpr Duration kConnectTimeout = std::chrono::seconds{30};
constexpr std::size_t kReadBuffer = 16 * 1024;
constexpr std::size_t kAddressesMax = 8;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};
SocketAddress socket_address(const boost::asio::ip::address& address, std::uint16_t port) {
  SocketAddress out;
  if (address.is_v4()) {
    auto& in = reinterpret_cast<sockaddr_in&>(out.storage);
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    in.sin_addr.s_addr = htonl(address.to_v4().to_uint());
    out.size = sizeof in;
  } else {
    auto& in = reinterpret_cast<sockaddr_in6&>(out.storage);
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    in.sin6_scope_id = static_cast<std::uint32_t>(address.to_v6().scope_id());
    const auto bytes = address.to_v6().to_bytes();
    std::memcpy(&in.sin6_addr, bytes.data(), bytes.size());
    out.size = sizeof in;
  }
  return out;
}

// Nothing is wrong with the address: this machine has no more to give.
bool is_short_of_something(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

// Whether the other side has closed a connection, or said something nobody asked for.
bool is_quiet(int fd) {
  char byte = 0;
  return ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace

PlainDriver::PlainDriver(int epoll, const HttpClientOptions& options, HttpOver over)
    : epoll_(epoll), options_(options), over_(std::move(over)) {}

PlainDriver::~PlainDriver() = default;

void PlainDriver::open(HttpPendingPtr pending, const Addresses& addresses) {
  const std::string key = pending->call.host + ":" + std::to_string(pending->call.port);
  PlainEndpoints::value_type& endpoint = *endpoints_.try_emplace(key).first;
  if (PlainConnection* const kept = take_idle(endpoint.second, addresses)) {
    kept->pending = std::move(pending);
    if (const auto rule = forbidden(*kept)) return end(*kept, refused_by(*rule), false);
    wait_until(*kept, kept->pending->deadline);
    return begin_request(*kept);
  }
  auto made = std::make_unique<PlainConnection>(endpoint);
  PlainConnection& connection = *made;
  connections_.emplace(&connection, std::move(made));
  connection.pending = std::move(pending);
  // The first one is taken from the end.
  connection.addresses.assign(addresses.rend() - static_cast<long>(std::min(addresses.size(), kAddressesMax)),
                              addresses.rend());
  connect_next(connection);
}

// The second lock: whoever chose this address, nothing goes there unless the guard lets it.
std::optional<OutboundRule> PlainDriver::forbidden(const PlainConnection& connection) const {
  if (!options_.forbids) return std::nullopt;
  const HttpCall& call = connection.pending->call;
  return options_.forbids(call.host, connection.address, call.port);
}

// ---- connections that are kept ----

// The one used last: the others may be closed sooner.
PlainConnection* PlainDriver::take_idle(PlainEndpoint& endpoint, const Addresses& addresses) {
  const auto now = Steady::now();
  while (!endpoint.idle.empty()) {
    PlainConnection& one = *endpoint.idle.back();
    endpoint.idle.pop_back();
    --idle_count_;
    const bool is_right = std::find(addresses.begin(), addresses.end(), one.address) != addresses.end();
    if (is_right && one.due > now && is_quiet(one.fd)) {
      one.was_kept = true;
      return &one;
    }
    close(one);
  }
  return nullptr;
}

void PlainDriver::keep_or_close(PlainConnection& connection) {
  const auto now = Steady::now();
  const auto until = std::min(now + options_.idle_max, connection.born + options_.lifetime_max);
  if (until <= now || options_.idle_connections_max == 0) return close(connection);
  connection.state = State::idle;
  wait_until(connection, until);
  ++idle_count_;
  connection.endpoint.second.idle.push_back(&connection);
  if (idle_count_ > options_.idle_connections_max) close_oldest_idle();
}

// It stays in memory until bury(): there may be an event for it already.
void PlainDriver::close(PlainConnection& connection) {
  connection.state = State::ended;
  connection.close();
  due_.erase({connection.due, &connection});
  const auto found = connections_.find(&connection);
  ended_.push_back(std::move(found->second));
  connections_.erase(found);
}

void PlainDriver::close_idle(PlainConnection& connection) {
  std::erase(connection.endpoint.second.idle, &connection);
  --idle_count_;
  close(connection);
}

void PlainDriver::close_oldest_idle() {
  const auto oldest =
      std::ranges::find_if(due_, [](const auto& one) { return one.second->state == State::idle; });
  if (oldest != due_.end()) close_idle(*oldest->second);
}

// ---- the way of a request ----

// In the place of what it waited for before, if it did.
void PlainDriver::wait_until(PlainConnection& connection, Steady::time_point at) {
  auto node = due_.extract({connection.due, &connection});
  connection.due = at;
  if (node.empty()) {
    due_.emplace(at, &connection);
    return;
  }
  node.value().first = at;
  due_.insert(std::move(node));
}

void PlainDriver::connect_next(PlainConnection& connection) {
  const HttpCall& call = connection.pending->call;
  connection.close();
  while (!connection.addresses.empty()) {
    const auto now = Steady::now();
    // Each address has its share of the time: one that is cut off leaves some to the others.
    const auto share = std::min<Steady::duration>(connection.pending->deadline - now, kConnectTimeout) /
                       static_cast<long>(connection.addresses.size());
    connection.address = connection.addresses.back();
    connection.addresses.pop_back();
    if (const auto rule = forbidden(connection)) return end(connection, refused_by(*rule), false);
    connection.born = now;
    connection.state = State::connecting;
    const int family = connection.address.is_v4() ? AF_INET : AF_INET6;
    connection.fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection.fd < 0) {
      const int error = errno;
      connection.trouble = text_of(error);
      if (is_short_of_something(error))
        return end(connection, http_fault(ExchangeFault::busy, connection.trouble), false);
      continue;  // no such family here
    }
    const int yes = 1;
    ::setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;  // once for the connection's whole life
    event.data.ptr = &connection;
    const SocketAddress to = socket_address(connection.address, call.port);
    const int code = ::connect(connection.fd, reinterpret_cast<const sockaddr*>(&to.storage), to.size);
    const bool is_on_its_way = code == 0 || errno == EINPROGRESS;
    if (is_on_its_way && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event) == 0)
      return wait_until(connection, now + share);  // writable, or an error: the next wait tells
    connection.trouble = text_of(errno);
    connection.close();
  }
  end(connection, http_fault(ExchangeFault::connect, connection.trouble), false);
}

void PlainDriver::on_connected(PlainConnection& connection) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(connection.fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    connection.trouble = text_of(error);
    return connect_next(connection);
  }
  wait_until(connection, connection.pending->deadline);
  begin_request(connection);
}

void PlainDriver::begin_request(PlainConnection& connection) {
  const HttpCall& call = connection.pending->call;
  if (call.about_to_send && !call.about_to_send())
    return end(connection, http_fault(ExchangeFault::not_sent), true);
  write_request_head(call, connection.head);
  connection.sent = 0;
  connection.reader.emplace(options_.header_bytes_max, call.response_bytes_max);
  connection.state = State::sending;
  send_more(connection);
}

void PlainDriver::send_more(PlainConnection& connection) {
  const std::string& head = connection.head;
  const std::string& body = connection.pending->call.body;
  const std::size_t total = head.size() + body.size();
  while (connection.sent < total) {
    const std::size_t in_head = std::min(connection.sent, head.size());
    const std::size_t in_body = connection.sent - in_head;
    // NOLINTBEGIN(cppcoreguidelines-pro-type-const-cast): sendmsg reads only
    iovec parts[2] = {{const_cast<char*>(head.data()) + in_head, head.size() - in_head},
                      {const_cast<char*>(body.data()) + in_body, body.size() - in_body}};
    // NOLINTEND(cppcoreguidelines-pro-type-const-cast)
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t count = ::sendmsg(connection.fd, &message, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count < 0 && errno == EINTR) continue;
    // It may have answered before it closed.
    if (count < 0) return read_more(connection, true);
    connection.sent += static_cast<std::size_t>(count);
  }
  connection.state = State::reading;
}

void PlainDriver::read_more(PlainConnection& connection, bool to_its_end) {
  char buffer[kReadBuffer];
  while (true) {
    const ssize_t count = ::recv(connection.fd, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count < 0) return end_lost(connection, text_of(errno));
    const HttpAnswerReader::State state =
        count == 0 ? connection.reader->end()
                   : connection.reader->take({buffer, static_cast<std::size_t>(count)});
    switch (state) {
      case HttpAnswerReader::State::more:
        // Less than there was room for is all there is.
        if (!to_its_end && static_cast<std::size_t>(count) < sizeof buffer) return;
        continue;
      case HttpAnswerReader::State::done: {
        const bool reusable = connection.state == State::reading && connection.reader->may_go_on();
        return end(connection, std::move(connection.reader->answer()), reusable);
      }
      case HttpAnswerReader::State::lost:
        return end_lost(connection, connection.reader->why());
      case HttpAnswerReader::State::bad: {
        HttpAnswer answer = std::move(connection.reader->answer());
        answer.fault = ExchangeFault::bad_response;
        answer.detail = connection.reader->why();
        return end(connection, std::move(answer), false);
      }
    }
  }
}

void PlainDriver::end_lost(PlainConnection& connection, std::string detail) {
  const bool has_answered = connection.reader->has_begun();
  HttpAnswer answer = std::move(connection.reader->answer());
  answer.fault = ExchangeFault::lost;
  answer.detail = connection.was_kept && !has_answered ? kKeptConnectionClosed : std::move(detail);
  end(connection, std::move(answer), false);
}

void PlainDriver::end(PlainConnection& connection, HttpAnswer answer, bool reusable) {
  HttpPendingPtr pending = std::move(connection.pending);
  connection.reader.reset();
  if (reusable)
    keep_or_close(connection);
  else
    close(connection);
  over_(std::move(pending), std::move(answer));
}

// ---- what happens ----

void PlainDriver::on_event(void* tag, std::uint32_t events) {
  auto& connection = *static_cast<PlainConnection*>(tag);
  const bool is_over = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  switch (connection.state) {
    case State::ended:
      return;
    case State::idle:
      if (is_over || (events & EPOLLIN) != 0) close_idle(connection);
      return;
    case State::connecting:
      if (!is_over && (events & EPOLLOUT) == 0) return;
      on_connected(connection);
      // It may have spoken before it was asked; there will be no second event for that.
      if (connection.state == State::sending || connection.state == State::reading)
        if (is_over || (events & EPOLLIN) != 0) read_more(connection, is_over);
      return;
    case State::sending:
      if ((events & EPOLLOUT) != 0) send_more(connection);
      // An answer may come before the request is whole.
      if (connection.state != State::sending && connection.state != State::reading) return;
      [[fallthrough]];
    case State::reading:
      if (is_over || (events & EPOLLIN) != 0) read_more(connection, is_over);
  }
}

std::optional<Steady::time_point> PlainDriver::next_due() const {
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

void PlainDriver::on_time(Steady::time_point now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    PlainConnection& late = *due_.begin()->second;
    if (late.state == State::idle) {
      close_idle(late);
      continue;
    }
    if (late.state == State::connecting && !late.addresses.empty() && now < late.pending->deadline) {
      late.trouble = "no answer to the connection";
      connect_next(late);
      continue;
    }
    if (late.state == State::connecting && now < late.pending->deadline) {
      end(late, http_fault(ExchangeFault::connect, "no answer to the connection"), false);
      continue;
    }
    const bool has_answered = late.reader && !late.reader->answer().header_lines.empty();
    const HttpDoing doing = !late.reader   ? HttpDoing::connecting
                            : has_answered ? HttpDoing::reading
                                           : HttpDoing::waiting;
    HttpAnswer answer = late.reader ? std::move(late.reader->answer()) : HttpAnswer{};
    answer.fault = ExchangeFault::timeout;
    answer.detail = late_text(late.pending->call.timeout, doing);
    end(late, std::move(answer), false);
  }
}

void PlainDriver::release_unbegun() {
  std::vector<PlainConnection*> connecting;
  for (const auto& [connection, owner] : connections_)
    if (connection->state == State::connecting) connecting.push_back(connection);
  for (PlainConnection* const one : connecting)
    end(*one, http_fault(ExchangeFault::not_sent), false);
}

void PlainDriver::bury() {
  for (const auto& connection : ended_)
    if (--connection->endpoint.second.connections == 0) endpoints_.erase(connection->endpoint.first);
  ended_.clear();
}

}  // namespace eilbote
