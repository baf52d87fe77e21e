// What a connection does while its answer goes on: events out, one at a time, each with the deadline of an answer; and a read that
// is always pending, because the end of the client is seen there. What the client sends meanwhile is thrown away: its answer
// said that the connection ends.
#include "net/http_stream.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>

#include "net/http_answer_text.h"
#include "net/http_connection.h"

namespace eilbote {
namespace {

// What the system holds for a client that does not read: beyond it an event waits here, where a newer one takes its place.
constexpr int kUnsentBytesMax = 16 * 1024;
constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace

HttpEventLine::HttpEventLine(std::weak_ptr<HttpConnection> connection, std::shared_ptr<HttpLoopState> loop)
    : connection_(std::move(connection)), loop_(std::move(loop)) {}

void HttpEventLine::send(std::shared_ptr<const std::string> event) {
  {
    const MutexLock lock(mutex_);
    if (ended_ || closed_) return;
    waiting_ = std::move(event);
  }
  wake_connection();
}

void HttpEventLine::end() {
  {
    const MutexLock lock(mutex_);
    if (ended_ || closed_) return;
    ended_ = true;
  }
  wake_connection();
}

void HttpEventLine::wake_connection() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(woken_, true)) return;
  }
  boost::asio::post(loop_->context, [to = connection_] {
    if (const auto connection = to.lock()) connection->pump();
  });
}

bool HttpEventLine::is_open() const {
  const MutexLock lock(mutex_);
  return !ended_ && !closed_;
}

HttpEventLine::Next HttpEventLine::take() {
  const MutexLock lock(mutex_);
  woken_ = false;
  return {std::exchange(waiting_, nullptr), ended_};
}

void HttpEventLine::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  waiting_.reset();
}

bool HttpConnection::is_stream() const {
  return response_.stream && !head_ && status_has_body(response_.status);
}

void HttpConnection::start_stream() {
  phase_ = Phase::streaming;
  keep_alive_ = false;
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytesMax,
               sizeof kUnsentBytesMax);
  const HttpResponse response = std::exchange(response_, {});
  line_ = std::make_shared<HttpEventLine>(weak_from_this(), loop_.shared_from_this());
  out_ = answer_header(response, {.close = true,
                                  .keep_alive = false,
                                  .is_tls = tls_.has_value(),
                                  .date = loop_.date,
                                  .chunked = !reader_.is_http10()});
  response.stream(line_);
  if (!shared_.accepting.load(std::memory_order_relaxed)) line_->end();
  watch_client();
  send_event(response.body);
}

void HttpConnection::watch_client() {
  begin_ = end_ = 0;
  read_into(buffer_.data(), buffer_.size(), &HttpConnection::on_stray_bytes);
}

void HttpConnection::on_stray_bytes(std::size_t) {
  watch_client();
}

void HttpConnection::pump() {
  if (phase_ != Phase::streaming || is_sending_) return;
  const HttpEventLine::Next next = line_->take();
  if (next.event) return send_event(*next.event);
  if (!next.ended) return;
  line_->close();
  if (reader_.is_http10()) return linger();
  out_ = kLastChunk;
  is_sending_ = is_last_ = true;
  set_deadline(shared_.options.write_timeout);
  send_rest();
}

void HttpConnection::end_stream() {
  if (phase_ != Phase::streaming) return;
  line_->end();
  pump();
}

// After what `out_` still holds: the header, before the first one. An empty chunk would be the last.
void HttpConnection::send_event(std::string_view event) {
  if (reader_.is_http10())
    out_ += event;
  else if (!event.empty())
    out_ += fmt::format("{:x}\r\n{}\r\n", event.size(), event);
  is_sending_ = true;
  set_deadline(shared_.options.write_timeout);
  send_rest();
}

void HttpConnection::send_rest() {
  using boost::asio::ip::tcp;
  using boost::system::error_code;
  const auto go_on = [](HttpConnection& self, const error_code& failed) {
    if (self.phase_ != Phase::streaming) return;
    failed ? self.close() : self.send_rest();
  };
  while (sent_ < out_.size()) {
    if (tls_) {
      const TlsLink::Step step = tls_->write(out_.data() + sent_, out_.size() - sent_);
      if (step.must_wait()) return wait(step.waits_to_read(), go_on);
      if (step.kind != TlsLink::Step::Kind::done) return close();
      sent_ += step.bytes;
      continue;
    }
    error_code failed;
    sent_ += socket_.write_some(boost::asio::buffer(out_.data() + sent_, out_.size() - sent_), failed);
    if (failed == boost::asio::error::would_block) return wait(false, go_on);
    if (failed) return close();
  }
  out_.clear();
  sent_ = 0;
  is_sending_ = false;
  deadline_ = std::chrono::steady_clock::time_point::max();
  is_last_ ? linger() : pump();
}

}  // namespace eilbote
