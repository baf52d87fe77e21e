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

void PlainDriver::open(HttpPending pending, Addresses addresses) {
  if (pending.call.host_is_address) {
    std::string_view host = pending.call.host;
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    boost::system::error_code error;
    addresses = {boost::asio::ip::make_address(host, error)};
    if (error) return over_(std::move(pending), http_fault(ExchangeFault::dns, "this is not an address"));
  }
  if (addresses.size() > kAddressesMax) addresses.resize(kAddressesMax);
  std::string key = fmt::format("{}:{}", pending.call.host, pending.call.port);
  auto connection = take_idle(key, addresses);
  const bool is_kept = connection != nullptr;
  if (!is_kept) connection = std::make_unique<PlainConnection>(std::move(key));
  PlainConnection& its = *connection;
  its.pending = std::move(pending);
  open_.emplace(&its, std::move(connection));
  if (is_kept) {
    if (const auto rule = forbidden(its)) return end(its, refused_by(*rule), false);
    wait_until(its, its.pending.deadline);
    return begin_request(its);
  }
  std::reverse(addresses.begin(), addresses.end());  // the first one is taken from the end
  its.addresses = std::move(addresses);
  connect_next(its);
}

// The second lock: whoever chose this address, nothing goes there unless the guard lets it.
std::optional<OutboundRule> PlainDriver::forbidden(const PlainConnection& connection) const {
  if (!options_.forbids) return std::nullopt;
  const HttpCall& call = connection.pending.call;
  return options_.forbids(call.host, connection.address, call.port);
}

// ---- connections that are kept ----

// The one used last: the others may be closed sooner.
std::unique_ptr<PlainConnection> PlainDriver::take_idle(const std::string& key, const Addresses& addresses) {
  const auto found = idle_.find(key);
  if (found == idle_.end()) return nullptr;
  auto& list = found->second;
  const auto now = Steady::now();
  std::unique_ptr<PlainConnection> taken;
  while (!taken && !list.empty()) {
    auto one = std::move(list.back());
    list.pop_back();
    --idle_count_;
    due_.erase({one->due, one.get()});
    one->has_due = false;
    const bool is_right = std::find(addresses.begin(), addresses.end(), one->address) != addresses.end();
    if (is_right && one->due > now && is_quiet(one->fd)) {
      taken = std::move(one);
      taken->was_kept = true;
    } else {
      one->state = State::ended;
      one->close();
      ended_.push_back(std::move(one));
    }
  }
  if (list.empty()) idle_.erase(found);
  return taken;
}

void PlainDriver::keep_or_close(std::unique_ptr<PlainConnection> connection) {
  const auto now = Steady::now();
  const auto until = std::min(now + options_.idle_max, connection->born + options_.lifetime_max);
  if (until <= now || options_.idle_connections_max == 0) {
    connection->state = State::ended;
    connection->close();
    ended_.push_back(std::move(connection));
    return;
  }
  connection->state = State::idle;
  wait_until(*connection, until);
  ++idle_count_;
  auto& list = idle_[connection->key];
  list.push_back(std::move(connection));
  if (idle_count_ > options_.idle_connections_max) close_oldest_idle();
}

void PlainDriver::close_oldest_idle() {
  for (const auto& [at, connection] : due_) {
    if (connection->state != State::idle) continue;
    return on_event(connection, EPOLLHUP);
  }
}

// ---- the way of a request ----

void PlainDriver::wait_until(PlainConnection& connection, Steady::time_point at) {
  if (connection.has_due) due_.erase({connection.due, &connection});
  connection.due = at;
  connection.has_due = true;
  due_.emplace(at, &connection);
}

void PlainDriver::connect_next(PlainConnection& connection) {
  const HttpCall& call = connection.pending.call;
  connection.close();
  while (!connection.addresses.empty()) {
    const auto now = Steady::now();
    // Each address has its share of the time: one that is cut off leaves some to the others.
    const auto share = std::min<Steady::duration>(connection.pending.deadline - now, kConnectTimeout) /
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
  wait_until(connection, connection.pending.deadline);
  begin_request(connection);
}

void PlainDriver::begin_request(PlainConnection& connection) {
  const HttpCall& call = connection.pending.call;
  if (call.about_to_send && !call.about_to_send())
    return end(connection, http_fault(ExchangeFault::not_sent), true);
  connection.head = plain_request_head(call);
  connection.sent = 0;
  connection.reader.emplace(options_.header_bytes_max, call.response_bytes_max);
  connection.state = State::sending;
  send_more(connection);
}

void PlainDriver::send_more(PlainConnection& connection) {
  const std::string& head = connection.head;
  const std::string& body = connection.pending.call.body;
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

std::unique_ptr<PlainConnection> PlainDriver::take_open(PlainConnection& connection) {
  const auto found = open_.find(&connection);
  auto taken = std::move(found->second);
  open_.erase(found);
  if (taken->has_due) due_.erase({taken->due, taken.get()});
  taken->has_due = false;
  return taken;
}

void PlainDriver::end(PlainConnection& connection, HttpAnswer answer, bool reusable) {
  auto taken = take_open(connection);
  HttpPending pending = std::move(taken->pending);
  taken->pending = {};
  taken->reader.reset();
  if (reusable) {
    keep_or_close(std::move(taken));
  } else {
    taken->state = State::ended;
    taken->close();
    ended_.push_back(std::move(taken));
  }
  over_(std::move(pending), std::move(answer));
}

// ---- what happens ----

void PlainDriver::on_event(void* tag, std::uint32_t events) {
  auto& connection = *static_cast<PlainConnection*>(tag);
  const bool is_over = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  switch (connection.state) {
    case State::ended:
      return;
    case State::idle: {
      if (!is_over && (events & EPOLLIN) == 0) return;
      auto& list = idle_.at(connection.key);
      const auto at =
          std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.get() == &connection; });
      due_.erase({connection.due, &connection});
      connection.state = State::ended;
      connection.close();
      ended_.push_back(std::move(*at));
      list.erase(at);
      --idle_count_;
      if (list.empty()) idle_.erase(connection.key);
      return;
    }
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
      on_event(&late, EPOLLHUP);
      continue;
    }
    if (late.state == State::connecting && !late.addresses.empty() && now < late.pending.deadline) {
      late.trouble = "no answer to the connection";
      connect_next(late);
      continue;
    }
    if (late.state == State::connecting && now < late.pending.deadline) {
      end(late, http_fault(ExchangeFault::connect, "no answer to the connection"), false);
      continue;
    }
    const bool has_answered = late.reader && !late.reader->answer().header_lines.empty();
    const HttpDoing doing = !late.reader   ? HttpDoing::connecting
                            : has_answered ? HttpDoing::reading
                                           : HttpDoing::waiting;
    HttpAnswer answer = late.reader ? std::move(late.reader->answer()) : HttpAnswer{};
    answer.fault = ExchangeFault::timeout;
    answer.detail = late_text(late.pending.call.timeout, doing);
    end(late, std::move(answer), false);
  }
}

void PlainDriver::release_unbegun() {
  std::vector<PlainConnection*> connecting;
  for (const auto& [connection, owner] : open_)
    if (connection->state == State::connecting) connecting.push_back(connection);
  for (PlainConnection* const one : connecting)
    end(*one, http_fault(ExchangeFault::not_sent), false);
}

void PlainDriver::bury() {
  ended_.clear();
}

}  // namespace eilbote
