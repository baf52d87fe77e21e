// One connection of the HTTP server: request after request, plain or under TLS, with a deadline for every wait. Lives on the thread
// of its loop. Only http_loop.cpp uses this.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "net/http_loop.h"
#include "net/http_request_reader.h"
#include "net/http_stream.h"
#include "net/tls_link.h"

namespace eilbote {

class HttpConnection;

// What a loop's connections share; kept alive by the answers that are still out, never by a connection: its pending reads lie in
// the context.
struct HttpLoopState : std::enable_shared_from_this<HttpLoopState> {
  explicit HttpLoopState(HttpShared& s) : shared(s) {}

  HttpShared& shared;
  boost::asio::io_context context{1};
  std::unordered_set<std::shared_ptr<HttpConnection>>
      connections;   // shared with their pending reads and writes
  std::string date;  // for the answers, renewed by the loop
  std::optional<std::chrono::steady_clock::time_point> drain_until;
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(boost::asio::ip::tcp::socket socket, const HttpGuest& guest, HttpLoopState& loop)
      : socket_(std::move(socket)), guest_(guest), loop_(loop), shared_(loop.shared) {}

  void start();
  void on_tick(std::chrono::steady_clock::time_point now);
  void close();
  bool is_busy() const { return phase_ == Phase::handling || phase_ == Phase::writing; }
  bool is_idle() const { return phase_ == Phase::idle && begin_ == end_; }
  void answer(std::uint64_t turn, HttpResponse response);
  void answer_missing(std::uint64_t turn);
  // Of an answer that goes on (http_stream.cpp): something was given to its line; and the server stops.
  void pump();
  void end_stream();

 private:
  // Where a connection stands.
  enum class Phase {
    handshake,
    idle,
    header,
    body,
    chunked,
    handling,
    writing,
    streaming,
    lingering,
    closed
  };

  boost::asio::ip::tcp::socket socket_;
  const HttpGuest guest_;
  HttpLoopState& loop_;
  HttpShared& shared_;
  std::optional<TlsLink> tls_;
  HttpRequestReader reader_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of buffer_
  Phase phase_ = Phase::idle;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  std::uint64_t read_ticket_ = 0;  // the read that counts; a cancelled one comes back with an older number
  std::uint64_t turn_ = 0;         // the request that waits for its answer
  std::shared_ptr<BudgetShare> share_;
  std::size_t progress_ = 0;         // bytes of this body so far
  std::size_t progress_target_ = 0;  // to be reached before the deadline
  bool keep_alive_ = true;
  bool head_ = false;
  std::string out_;
  std::size_t sent_ = 0;  // of out_, under TLS and of a stream
  HttpResponse response_;
  std::shared_ptr<HttpEventLine> line_;  // while streaming; shared with whoever writes the events
  bool is_sending_ = false;              // an event of it is under way,
  bool is_last_ = false;                 // or its end

  void set_deadline(Duration from_now) { deadline_ = std::chrono::steady_clock::now() + from_now; }
  std::string_view unread() const { return std::string_view(buffer_).substr(begin_, end_ - begin_); }
  void shake_hands();
  void next();
  void read();
  void read_into(char* data, std::size_t size, void (HttpConnection::*then)(std::size_t));
  void read_tls(char* data, std::size_t size, void (HttpConnection::*then)(std::size_t),
                std::uint64_t ticket);
  // Until the socket can be read or written.
  template <class Then>
  void wait(bool to_read, Then then) {
    using boost::asio::ip::tcp;
    socket_.async_wait(to_read ? tcp::socket::wait_read : tcp::socket::wait_write,
                       [self = shared_from_this(), then](const boost::system::error_code& ec) {
                         if (self->phase_ != Phase::closed) then(*self, ec);
                       });
  }
  void on_bytes(std::size_t n);
  void on_body_bytes(std::size_t n);
  void on_end(const boost::system::error_code& ec);
  void advance();
  void parse_header();
  void start_body();
  void read_body();
  void parse_chunks();
  bool say_continue();
  void new_window();
  void count_progress(std::size_t n);
  void hand_over();
  void refuse(int status, std::string_view detail);
  void refuse_overload();
  void write();
  void write_tls();
  void written();
  void linger();
  bool is_stream() const;
  void start_stream();
  void watch_client();
  void on_stray_bytes(std::size_t n);
  void send_event(std::string_view event);
  void send_rest();
};

}  // namespace eilbote
