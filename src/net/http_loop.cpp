#include "net/http_loop.h"

#include <algorithm>
#include <array>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "metrics/metrics.h"
#include "net/http_answer_text.h"
#include "net/http_request_reader.h"

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
constexpr auto kTickMax = std::chrono::milliseconds{250};
constexpr auto kTickMin = std::chrono::milliseconds{5};

class Connection;

// One thread with its connections. Everything of a connection happens on its loop's thread, so nothing is
// locked.
struct Loop final : HttpLoop, std::enable_shared_from_this<Loop> {
  explicit Loop(HttpShared& s) : shared(s), guard(asio::make_work_guard(context)), timer(context) {}

  HttpShared& shared;
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  asio::steady_timer timer;
  std::unordered_set<std::shared_ptr<Connection>> connections;  // shared with their pending reads and writes
  std::string date = http_date(SystemClock{}.now());
  std::optional<Steady::time_point> drain_until;

  asio::io_context& io() override { return context; }
  void run() override;
  void adopt(int descriptor, bool is_v6, bool over_limit) override;
  void close_idle() override;
  void drain() override;
  void close_all() override;
  void tick();
};

enum class Phase { idle, header, body, chunked, handling, writing, lingering, closed };

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Loop& loop)
      : socket_(std::move(socket)), loop_(loop), shared_(loop.shared) {}

  void start(bool over_limit);
  void on_tick(Steady::time_point now);
  void close();
  bool is_busy() const { return phase_ == Phase::handling || phase_ == Phase::writing; }
  bool is_idle() const { return phase_ == Phase::idle && begin_ == end_; }
  void answer(std::uint64_t turn, HttpResponse response);
  void answer_missing(std::uint64_t turn);

 private:
  tcp::socket socket_;
  Loop& loop_;
  HttpShared& shared_;
  HttpRequestReader reader_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of buffer_
  Phase phase_ = Phase::idle;
  Steady::time_point deadline_ = Steady::time_point::max();
  std::uint64_t read_ticket_ = 0;  // the read that counts; a cancelled one comes back with an older number
  std::uint64_t turn_ = 0;         // the request that waits for its answer
  std::shared_ptr<BudgetShare> share_;
  std::size_t progress_ = 0;         // bytes of this body so far
  std::size_t progress_target_ = 0;  // to be reached before the deadline
  bool keep_alive_ = true;
  bool head_ = false;
  std::string out_;
  HttpResponse response_;

  void set_deadline(Duration from_now) { deadline_ = Steady::now() + from_now; }
  std::string_view unread() const { return std::string_view(buffer_).substr(begin_, end_ - begin_); }
  void next();
  void read();
  void read_into(char* data, std::size_t size, void (Connection::*then)(std::size_t));
  void on_bytes(std::size_t n);
  void on_body_bytes(std::size_t n);
  void on_end(const error_code& ec);
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
  void written();
  void linger();
};

// The way back of one answer. The last copy that goes without having answered is a bug in the handler; the
// client still gets an answer, so that its connection is not stuck.
class Reply {
 public:
  Reply(std::weak_ptr<Connection> connection, std::shared_ptr<Loop> loop, std::uint64_t turn)
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
  const std::weak_ptr<Connection> connection_;  // locked on the loop's thread only
  const std::shared_ptr<Loop> loop_;            // shared: an answer may come after the server is gone
  const std::uint64_t turn_;
  std::atomic<bool> answered_{false};
};

void Connection::start(bool over_limit) {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  buffer_.resize(kBufferBytes);
  loop_.connections.insert(shared_from_this());
  shared_.open.fetch_add(1);
  if (over_limit) return refuse(429, "too many connections are open");
  set_deadline(shared_.options.header_timeout);
  read();
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  error_code ignored;
  socket_.close(ignored);
  share_.reset();
  shared_.open.fetch_sub(1);
  loop_.connections.erase(shared_from_this());
  if (loop_.drain_until && loop_.connections.empty()) loop_.context.stop();
}

void Connection::next() {
  phase_ = Phase::idle;
  if (!shared_.accepting.load(std::memory_order_relaxed) && begin_ == end_) return linger();
  set_deadline(shared_.options.idle_timeout);
  // What was pipelined is taken up by a fresh call: answers given at once must not pile up on the stack.
  if (begin_ != end_) return asio::post(loop_.context, [self = shared_from_this()] { self->advance(); });
  read();
}

void Connection::read_into(char* data, std::size_t size, void (Connection::*then)(std::size_t)) {
  socket_.async_read_some(
      asio::buffer(data, size),
      [self = shared_from_this(), then, ticket = ++read_ticket_](const error_code& ec, std::size_t n) {
        if (ticket != self->read_ticket_ || self->phase_ == Phase::closed) return;
        if (ec) return self->on_end(ec);
        ((*self).*then)(n);
      });
}

void Connection::read() {
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
  read_into(buffer_.data() + end_, buffer_.size() - end_, &Connection::on_bytes);
}

void Connection::on_bytes(std::size_t n) {
  if (phase_ == Phase::lingering) {
    begin_ = end_ = 0;
    return read();
  }
  end_ += n;
  if (phase_ == Phase::chunked) count_progress(n);
  advance();
}

void Connection::on_end(const error_code& ec) {
  const bool in_request = phase_ == Phase::header || phase_ == Phase::body || phase_ == Phase::chunked;
  // A client that only closed its sending side may still read why its request was not taken.
  if (ec == asio::error::eof && in_request) return refuse(400, "the request ended before it was complete");
  close();
}

void Connection::advance() {
  if (phase_ == Phase::idle || phase_ == Phase::header)
    parse_header();
  else if (phase_ == Phase::chunked)
    parse_chunks();
}

void Connection::parse_header() {
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

void Connection::start_body() {
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
void Connection::read_body() {
  std::string& body = reader_.request().body;
  const std::size_t step = std::clamp<std::size_t>(progress_, 16 * 1024, 1024 * 1024);
  body.resize(std::min<std::size_t>(reader_.content_length(), progress_ + step));
  read_into(body.data() + progress_, body.size() - progress_, &Connection::on_body_bytes);
}

void Connection::on_body_bytes(std::size_t n) {
  count_progress(n);
  if (progress_ == reader_.content_length()) return hand_over();
  read_body();
}

void Connection::parse_chunks() {
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

bool Connection::say_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  error_code ec;
  return socket_.write_some(asio::buffer(kContinue), ec) == kContinue.size();
}

void Connection::new_window() {
  progress_target_ =
      progress_ + std::max<std::size_t>(kProgressBytesMin, reader_.content_length() / kProgressParts);
  set_deadline(shared_.options.body_progress_timeout);
}

void Connection::count_progress(std::size_t n) {
  progress_ += n;
  if (progress_ >= progress_target_) new_window();
}

void Connection::hand_over() {
  phase_ = Phase::handling;
  deadline_ = Steady::time_point::max();
  HttpRequest request = std::move(reader_.request());
  request.reservation = std::move(share_);
  const auto reply = std::make_shared<Reply>(weak_from_this(), loop_.shared_from_this(), ++turn_);
  try {
    shared_.handler.handle(std::move(request), [reply](HttpResponse r) { reply->send(std::move(r)); });
  } catch (const std::exception& e) {
    log::error("request handler failed", {{"error", e.what()}});
    reply->send(shared_.refusal(500, "the request could not be handled"));
  }
}

void Connection::answer(std::uint64_t turn, HttpResponse response) {
  if (phase_ != Phase::handling || turn != turn_) return;
  response_ = std::move(response);
  write();
}

void Connection::answer_missing(std::uint64_t turn) {
  if (phase_ != Phase::handling || turn != turn_) return;
  log::error("request handler gave no answer");
  answer(turn, shared_.refusal(500, "the request was not answered"));
}

void Connection::refuse(int status, std::string_view detail) {
  ++read_ticket_;
  error_code ignored;
  socket_.cancel(ignored);
  share_.reset();
  begin_ = end_ = 0;
  keep_alive_ = false;
  response_ = shared_.refusal(status, detail);
  write();
}

void Connection::refuse_overload() {
  if (shared_.metrics != nullptr) shared_.metrics->add(Metric::http_overload, 1, {"request_bytes"});
  refuse(429, "too many request bytes are in memory already");
}

void Connection::write() {
  phase_ = Phase::writing;
  set_deadline(shared_.options.idle_timeout);
  keep_alive_ = keep_alive_ && shared_.accepting.load(std::memory_order_relaxed);
  out_ = answer_header(
      response_,
      {.close = !keep_alive_, .keep_alive = keep_alive_ && reader_.is_http10(), .date = loop_.date});
  if (head_ || !status_has_body(response_.status)) response_.body.clear();
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

void Connection::written() {
  response_ = {};
  if (keep_alive_) return next();
  linger();
}

// Closing with unread input would reset the connection and may take the answer with it; so the rest is read
// away.
void Connection::linger() {
  phase_ = Phase::lingering;
  set_deadline(kLinger);
  error_code ec;
  socket_.shutdown(tcp::socket::shutdown_send, ec);
  if (ec) return close();
  begin_ = end_ = 0;
  read();
}

void Connection::on_tick(Steady::time_point now) {
  if (now < deadline_) return;
  switch (phase_) {
    case Phase::header:
      return refuse(408, "the request header took too long");
    case Phase::body:
    case Phase::chunked:
      return refuse(408, "the request body did not move on");
    default:
      close();
  }
}

// ---- the loop ----

void Loop::run() {
  tick();
  for (;;) {
    try {
      context.run();
      return;
    } catch (const std::exception& e) {
      log::error("http loop caught an exception", {{"error", e.what()}});
    }
  }
}

// Deadlines are looked at a few times a second: cheaper than a timer per connection, exact enough for
// timeouts.
void Loop::tick() {
  const auto now = Steady::now();
  date = http_date(SystemClock{}.now());
  const std::vector<std::shared_ptr<Connection>> all(connections.begin(), connections.end());
  for (const auto& connection : all)
    connection->on_tick(now);
  if (drain_until && now >= *drain_until) return context.stop();
  if (shared.metrics != nullptr)
    shared.metrics->set(Metric::http_bytes_reserved, static_cast<double>(shared.budget->used()));
  const auto shortest = std::min({shared.options.idle_timeout, shared.options.header_timeout,
                                  shared.options.body_progress_timeout, shared.options.drain_timeout});
  timer.expires_after(std::clamp<Steady::duration>(shortest / 8, kTickMin, kTickMax));
  timer.async_wait([this](const error_code& ec) {
    if (!ec) tick();
  });
}

void Loop::close_idle() {
  const std::vector<std::shared_ptr<Connection>> all(connections.begin(), connections.end());
  for (const auto& connection : all)
    if (connection->is_idle()) connection->close();
}

void Loop::drain() {
  drain_until = Steady::now() + shared.options.drain_timeout;
  const std::vector<std::shared_ptr<Connection>> all(connections.begin(), connections.end());
  for (const auto& connection : all)
    if (!connection->is_busy()) connection->close();
  if (connections.empty()) context.stop();
}

void Loop::adopt(int descriptor, bool is_v6, bool over_limit) {
  tcp::socket socket(context);
  error_code ec;
  socket.assign(is_v6 ? tcp::v6() : tcp::v4(), descriptor, ec);
  if (!ec) std::make_shared<Connection>(std::move(socket), *this)->start(over_limit);
}

void Loop::close_all() {
  for (const auto& connection : std::vector(connections.begin(), connections.end()))
    connection->close();
}

}  // namespace

HttpResponse HttpShared::refusal(int status, std::string_view detail) const {
  try {
    return handler.refusal(status, detail);
  } catch (const std::exception& e) {
    log::error("refusal failed", {{"error", e.what()}});
    return HttpResponse{status, "", {}, ""};
  }
}

std::shared_ptr<HttpLoop> make_http_loop(HttpShared& shared) {
  return std::make_shared<Loop>(shared);
}

}  // namespace eilbote
