#include "net/http_connection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "base/log.h"
#include "metrics/metrics.h"
#include "net/http_answer_text.h"
#include "ports/overload.h"

namespace eilbote {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kBufferBytes = 8 * 1024;        // of an idle connection
constexpr std::size_t kChunkedStepBytes = 16 * 1024;  // by which a chunked body's share of the budget grows
constexpr std::size_t kProgressBytesMin = 1024;       // what a body must bring in one progress timeout, and
constexpr std::size_t kProgressParts = 256;           // the part of an announced length it must bring
constexpr auto kLinger = std::chrono::seconds{2};     // for a refused client to read its answer

// The way back of one answer. The last copy that goes without having answered is a bug in the handler; the
// client still gets an answer, so that its connection is not stuck.
class Reply {
 public:
  Reply(std::weak_ptr<HttpConnection> connection, std::shared_ptr<HttpLoopState> loop, std::uint64_t turn)
      : connection_(std::move(connection)), loop_(std::move(loop)), turn_(turn) {}
  ~Reply() {
    if (!answered_.exchange(true))
      asio::post(loop_->context, [to = connection_, turn = turn_] {
        if (const auto connection = to.lock()) connection->answer_missing(turn);
      });
  }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  void send(HttpResponse response) {
    if (answered_.exchange(true)) return;
    asio::dispatch(loop_->context, [to = connection_, turn = turn_, r = std::move(response)]() mutable {
      if (const auto connection = to.lock()) connection->answer(turn, std::move(r));
    });
  }

 private:
  const std::weak_ptr<HttpConnection> connection_;  // locked on the loop's thread only
  const std::shared_ptr<HttpLoopState> loop_;       // shared: an answer may come after the server is gone
  const std::uint64_t turn_;
  std::atomic<bool> answered_{false};
};

}  // namespace

void HttpConnection::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  buffer_.resize(kBufferBytes);
  loop_.connections.insert(shared_from_this());
  shared_.open.fetch_add(1);
  if (shared_.options.tls != nullptr) {
    // To say no would cost a handshake.
    if (guest_.refused_because != nullptr) return close();
    tls_.emplace(shared_.options.tls->context(), socket_.native_handle());
    phase_ = Phase::handshake;
    set_deadline(shared_.options.handshake_timeout);
    return shake_hands();
  }
  if (guest_.refused_because != nullptr) return refuse(429, guest_.refused_because);
  set_deadline(shared_.options.header_timeout);
  read();
}

void HttpConnection::shake_hands() {
  const TlsLink::Step step = tls_->handshake();
  if (step.must_wait())
    return wait(step.waits_to_read(), [](HttpConnection& self, const error_code& ec) {
      if (self.phase_ != Phase::handshake) return;
      ec ? self.close() : self.shake_hands();
    });
  if (step.kind == TlsLink::Step::Kind::done) {
    phase_ = Phase::idle;
    set_deadline(shared_.options.header_timeout);
    return read();
  }
  if (shared_.metrics != nullptr) shared_.metrics->add(Metric::tls_handshakes_failed);
  if (!tls_->met_plain_http()) return close();
  tls_.reset();
  refuse(400, "this port speaks TLS only: use https://");
}

void HttpConnection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  error_code ignored;
  tls_.reset();
  socket_.close(ignored);
  share_.reset();
  if (line_) line_->close();
  line_.reset();
  shared_.open.fetch_sub(1);
  shared_.peers.leave(guest_.peer);
  loop_.connections.erase(shared_from_this());
  if (loop_.drain_until && loop_.connections.empty()) loop_.context.stop();
}

void HttpConnection::next() {
  phase_ = Phase::idle;
  if (!shared_.accepting.load(std::memory_order_relaxed) && begin_ == end_) return linger();
  set_deadline(shared_.options.idle_timeout);
  // What was pipelined is taken up by a fresh call: answers given at once must not pile up on the stack.
  if (begin_ != end_) return asio::post(loop_.context, [self = shared_from_this()] { self->advance(); });
  read();
}

void HttpConnection::read_into(char* data, std::size_t size, void (HttpConnection::*then)(std::size_t)) {
  const std::uint64_t ticket = ++read_ticket_;
  if (tls_) return read_tls(data, size, then, ticket);
  socket_.async_read_some(asio::buffer(data, size),
                          [self = shared_from_this(), then, ticket](const error_code& ec, std::size_t n) {
                            if (ticket != self->read_ticket_ || self->phase_ == Phase::closed) return;
                            if (ec) return self->on_end(ec);
                            ((*self).*then)(n);
                          });
}

void HttpConnection::read_tls(char* data, std::size_t size, void (HttpConnection::*then)(std::size_t),
                              std::uint64_t ticket) {
  const TlsLink::Step step = tls_->read(data, size);
  if (step.must_wait())
    return wait(step.waits_to_read(), [data, size, then, ticket](HttpConnection& self, const error_code& ec) {
      // What was cancelled must not touch its buffer any more.
      if (ticket != self.read_ticket_) return;
      ec ? self.on_end(ec) : self.read_tls(data, size, then, ticket);
    });
  // By a fresh call: requests that came in one piece must not pile up on the stack.
  asio::post(loop_.context, [self = shared_from_this(), step, then, ticket] {
    if (ticket != self->read_ticket_ || self->phase_ == Phase::closed) return;
    if (step.kind == TlsLink::Step::Kind::done) return ((*self).*then)(step.bytes);
    self->on_end(step.kind == TlsLink::Step::Kind::ended ? error_code(asio::error::eof)
                                                         : error_code(asio::error::connection_reset));
  });
}

void HttpConnection::read() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (buffer_.size() > kBufferBytes) std::string(kBufferBytes, '\0').swap(buffer_);
  }
  if (end_ == buffer_.size()) {
    if (begin_ > 0) {
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.end(), buffer_.begin());
      end_ -= begin_;
      begin_ = 0;
    } else {
      buffer_.resize(buffer_.size() * 2);  // bounded: the parser refuses what is longer than the header limit
    }
  }
  read_into(buffer_.data() + end_, buffer_.size() - end_, &HttpConnection::on_bytes);
}

void HttpConnection::on_bytes(std::size_t n) {
  if (phase_ == Phase::lingering) {
    begin_ = end_ = 0;
    return read();
  }
  end_ += n;
  if (phase_ == Phase::chunked) count_progress(n);
  advance();
}

void HttpConnection::on_end(const error_code& ec) {
  const bool in_request = phase_ == Phase::header || phase_ == Phase::body || phase_ == Phase::chunked;
  // A client that only closed its sending side may still read why its request was not taken.
  if (ec == asio::error::eof && in_request) return refuse(400, "the request ended before it was complete");
  close();
}

void HttpConnection::advance() {
  if (phase_ == Phase::idle || phase_ == Phase::header)
    parse_header();
  else if (phase_ == Phase::chunked)
    parse_chunks();
}

void HttpConnection::parse_header() {
  if (phase_ == Phase::idle) {
    while (begin_ != end_ && (buffer_[begin_] == '\r' || buffer_[begin_] == '\n'))
      ++begin_;
    if (begin_ == end_) return read();
    phase_ = Phase::header;
    head_ = false;
    set_deadline(shared_.options.header_timeout);
    reader_.reset({shared_.options.header_bytes_max, shared_.options.body_bytes_max});
  }
  std::size_t consumed = 0;
  const auto step = reader_.feed(unread(), consumed);
  begin_ += consumed;
  if (step == HttpRequestReader::Step::header) return start_body();
  if (step == HttpRequestReader::Step::refused)
    return refuse(reader_.refusal().status, reader_.refusal().detail);
  read();
}

void HttpConnection::start_body() {
  keep_alive_ = reader_.keep_alive();
  head_ = reader_.request().method == "HEAD";
  progress_ = 0;
  const std::size_t length = reader_.content_length();
  if (length == 0 && !reader_.chunked()) return hand_over();
  share_ = std::make_shared<BudgetShare>(shared_.budget);
  if (!share_->grow_to(length)) return refuse_overload();
  if (reader_.expects_continue() && begin_ == end_ && !say_continue()) return close();
  if (reader_.chunked()) {
    phase_ = Phase::chunked;
    new_window();
    return parse_chunks();
  }
  std::string& body = reader_.request().body;
  body.reserve(length);
  body = unread().substr(0, length);
  begin_ += body.size();
  progress_ = body.size();
  if (body.size() == length) return hand_over();
  phase_ = Phase::body;
  new_window();
  read_body();
}

// Straight into the request's body, which grows with what arrives: a length is only a promise.
void HttpConnection::read_body() {
  std::string& body = reader_.request().body;
  const std::size_t step = std::clamp<std::size_t>(progress_, 16 * 1024, 1024 * 1024);
  body.resize(std::min<std::size_t>(reader_.content_length(), progress_ + step));
  read_into(body.data() + progress_, body.size() - progress_, &HttpConnection::on_body_bytes);
}

void HttpConnection::on_body_bytes(std::size_t n) {
  count_progress(n);
  if (progress_ == reader_.content_length()) return hand_over();
  read_body();
}

void HttpConnection::parse_chunks() {
  if (begin_ == end_) return read();
  std::string& body = reader_.request().body;
  const std::size_t wanted = body.size() + (end_ - begin_);
  if (!share_->grow_to((wanted / kChunkedStepBytes + 1) * kChunkedStepBytes)) return refuse_overload();
  std::size_t consumed = 0;
  const auto step = reader_.feed(unread(), consumed);
  begin_ += consumed;
  if (step == HttpRequestReader::Step::done) {
    share_->shrink_to(body.size());
    return hand_over();
  }
  if (step == HttpRequestReader::Step::refused)
    return refuse(reader_.refusal().status, reader_.refusal().detail);
  // A chunk's own header or the trailers: no longer than a header may be.
  if (end_ - begin_ > shared_.options.header_bytes_max) return refuse(400, "the chunked body is malformed");
  read();
}

bool HttpConnection::say_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  if (tls_) return tls_->write(kContinue.data(), kContinue.size()).bytes == kContinue.size();
  error_code ec;
  return socket_.write_some(asio::buffer(kContinue), ec) == kContinue.size();
}

void HttpConnection::new_window() {
  progress_target_ =
      progress_ + std::max<std::size_t>(kProgressBytesMin, reader_.content_length() / kProgressParts);
  set_deadline(shared_.options.body_progress_timeout);
}

void HttpConnection::count_progress(std::size_t n) {
  progress_ += n;
  if (progress_ >= progress_target_) new_window();
}

void HttpConnection::hand_over() {
  phase_ = Phase::handling;
  deadline_ = Steady::time_point::max();
  HttpRequest request = std::move(reader_.request());
  request.reservation = std::move(share_);
  const auto reply = std::make_shared<Reply>(weak_from_this(), loop_.shared_from_this(), ++turn_);
  try {
    shared_.handler.handle(std::move(request), [reply](HttpResponse r) { reply->send(std::move(r)); });
  } catch (const std::exception& e) {
    log::error("a request failed by a fault in the server", {{"error", e.what()}});
    reply->send(shared_.refusal(500, "the request could not be handled"));
  }
}

void HttpConnection::answer(std::uint64_t turn, HttpResponse response) {
  if (phase_ != Phase::handling || turn != turn_) return;
  response_ = std::move(response);
  write();
}

void HttpConnection::answer_missing(std::uint64_t turn) {
  if (phase_ != Phase::handling || turn != turn_) return;
  log::error("a request was left without an answer: a fault in the server");
  answer(turn, shared_.refusal(500, "the request was not answered"));
}

void HttpConnection::refuse(int status, std::string_view detail) {
  ++read_ticket_;
  error_code ignored;
  socket_.cancel(ignored);
  share_.reset();
  begin_ = end_ = 0;
  keep_alive_ = false;
  response_ = shared_.refusal(status, detail);
  write();
}

void HttpConnection::refuse_overload() {
  if (shared_.metrics != nullptr)
    shared_.metrics->add(Metric::http_overload, 1,
                         {std::string(kOverloadCauseNames.text(OverloadCause::request_bytes))});
  refuse(429, "too many large requests are under way; try again in a moment");
}

void HttpConnection::write() {
  phase_ = Phase::writing;
  set_deadline(shared_.options.write_timeout);
  keep_alive_ = keep_alive_ && shared_.accepting.load(std::memory_order_relaxed);
  if (is_stream()) return start_stream();
  out_ = answer_header(response_, {.close = !keep_alive_,
                                   .keep_alive = keep_alive_ && reader_.is_http10(),
                                   .is_tls = tls_.has_value(),
                                   .date = loop_.date});
  if (head_ || !status_has_body(response_.status)) response_.body.clear();
  if (tls_) {
    out_ += response_.body;  // in one record where it fits
    sent_ = 0;
    return write_tls();
  }
  const std::size_t total = out_.size() + response_.body.size();
  error_code ec;
  const std::array<asio::const_buffer, 2> all{asio::buffer(out_), asio::buffer(response_.body)};
  const std::size_t n = socket_.write_some(all, ec);
  if (ec && ec != asio::error::would_block) return close();
  if (n == total) return written();
  const std::array<asio::const_buffer, 2> rest{all[0] + std::min(n, out_.size()),
                                               all[1] + (n > out_.size() ? n - out_.size() : 0)};
  asio::async_write(socket_, rest, [self = shared_from_this()](const error_code& failed, std::size_t) {
    if (self->phase_ != Phase::writing) return;
    if (failed) return self->close();
    self->written();
  });
}

void HttpConnection::write_tls() {
  while (sent_ < out_.size()) {
    const TlsLink::Step step = tls_->write(out_.data() + sent_, out_.size() - sent_);
    if (step.must_wait())
      return wait(step.waits_to_read(), [](HttpConnection& self, const error_code& ec) {
        if (self.phase_ != Phase::writing) return;
        ec ? self.close() : self.write_tls();
      });
    if (step.kind != TlsLink::Step::Kind::done) return close();
    sent_ += step.bytes;
  }
  written();
}

void HttpConnection::written() {
  response_ = {};
  if (keep_alive_) return next();
  linger();
}

// Closing with unread input would reset the connection and may take the answer with it; so the rest is read
// away.
void HttpConnection::linger() {
  phase_ = Phase::lingering;
  set_deadline(kLinger);
  if (tls_) tls_->say_goodbye();
  error_code ec;
  socket_.shutdown(tcp::socket::shutdown_send, ec);
  if (ec) return close();
  begin_ = end_ = 0;
  read();
}

void HttpConnection::on_tick(Steady::time_point now) {
  if (now < deadline_) return;
  switch (phase_) {
    case Phase::header:
      return refuse(408, "the request header came too slowly");
    case Phase::body:
    case Phase::chunked:
      return refuse(408, "the request body came too slowly");
    default:
      close();
  }
}

}  // namespace eilbote
