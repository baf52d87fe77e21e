#include "net/http_loop.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "metrics/metrics.h"
#include "net/http_answer_text.h"
#include "net/http_connection.h"

namespace eilbote {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Steady = std::chrono::steady_clock;

constexpr auto kTickMax = std::chrono::milliseconds{250};
constexpr auto kTickMin = std::chrono::milliseconds{5};

class Loop final : public HttpLoop {
 public:
  explicit Loop(HttpShared& shared)
      : state_(std::make_shared<HttpLoopState>(shared)),
        guard_(asio::make_work_guard(state_->context)),
        timer_(state_->context) {
    state_->date = http_date(SystemClock{}.now());
  }

  asio::io_context& io() override { return state_->context; }
  void run() override;
  void adopt(int descriptor, bool is_v6, const HttpGuest& guest) override;
  void close_idle() override;
  void drain() override;
  void close_all() override;

 private:
  // A copy: whoever is closed leaves the set.
  std::vector<std::shared_ptr<HttpConnection>> all() const {
    return {state_->connections.begin(), state_->connections.end()};
  }
  void tick();

  const std::shared_ptr<HttpLoopState> state_;  // shared: an answer may come after the server is gone
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  asio::steady_timer timer_;
};

void Loop::run() {
  // OpenSSL writes without asking for an error instead of a signal.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  tick();
  for (;;) {
    try {
      state_->context.run();
      return;
    } catch (const std::exception& e) {
      log::error("an HTTP connection failed by a fault in the server", {{"error", e.what()}});
    }
  }
}

// Deadlines are looked at a few times a second: cheaper than a timer per connection, exact enough for
// timeouts.
void Loop::tick() {
  const auto now = Steady::now();
  const HttpServerOptions& options = state_->shared.options;
  state_->date = http_date(SystemClock{}.now());
  for (const auto& connection : all())
    connection->on_tick(now);
  if (state_->drain_until && now >= *state_->drain_until) return state_->context.stop();
  if (state_->shared.metrics != nullptr)
    state_->shared.metrics->set(Metric::http_bytes_reserved,
                                static_cast<double>(state_->shared.budget->used()));
  const auto shortest = std::min({options.idle_timeout, options.header_timeout, options.body_progress_timeout,
                                  options.write_timeout, options.handshake_timeout, options.drain_timeout});
  timer_.expires_after(std::clamp<Steady::duration>(shortest / 8, kTickMin, kTickMax));
  timer_.async_wait([this](const error_code& ec) {
    if (!ec) tick();
  });
}

void Loop::close_idle() {
  for (const auto& connection : all())
    connection->is_idle() ? connection->close() : connection->end_stream();
}

void Loop::drain() {
  state_->drain_until = Steady::now() + state_->shared.options.drain_timeout;
  for (const auto& connection : all())
    if (!connection->is_busy()) connection->close();
  if (state_->connections.empty()) state_->context.stop();
}

void Loop::adopt(int descriptor, bool is_v6, const HttpGuest& guest) {
  tcp::socket socket(state_->context);
  error_code ec;
  socket.assign(is_v6 ? tcp::v6() : tcp::v4(), descriptor, ec);
  if (ec) {
    ::close(descriptor);
    return state_->shared.peers.leave(guest.peer);
  }
  std::make_shared<HttpConnection>(std::move(socket), guest, *state_)->start();
}

void Loop::close_all() {
  for (const auto& connection : all())
    connection->close();
}

}  // namespace

HttpResponse HttpShared::refusal(int status, std::string_view detail) const {
  try {
    return handler.refusal(status, detail);
  } catch (const std::exception& e) {
    log::error("a client could not be told why it was refused: a fault in the server", {{"error", e.what()}});
    return HttpResponse{status, "", {}, ""};
  }
}

std::shared_ptr<HttpLoop> make_http_loop(HttpShared& shared) {
  return std::make_shared<Loop>(shared);
}

}  // namespace eilbote
