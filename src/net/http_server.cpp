#include "net/http_server.h"

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <vector>

#include "base/log.h"
#include "base/service.h"
#include "metrics/metrics.h"
#include "net/http_loop.h"
#include "ports/overload.h"

namespace eilbote {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

class BeastServer final : public HttpServer {
 public:
  BeastServer(HttpServerOptions options, HttpHandler& handler, Metrics* metrics)
      : shared_{std::move(options), handler, metrics, nullptr, {}, {}, {}} {
    shared_.budget = std::make_shared<ByteBudget>(shared_.options.budget_bytes);
    shared_.accepting = true;
  }
  ~BeastServer() override { stop(); }

  Result<void> start() override;
  std::uint16_t port() const override { return port_; }
  void stop_accepting() override;
  void stop() override;

 private:
  HttpShared shared_;
  std::vector<std::shared_ptr<HttpLoop>> loops_;  // shared with the answers that are still out
  std::unique_ptr<tcp::acceptor> acceptor_;
  std::unique_ptr<asio::steady_timer> pause_;  // after an accept that failed for want of descriptors
  std::vector<std::unique_ptr<Service>> threads_;
  std::size_t turn_ = 0;
  std::uint16_t port_ = 0;
  bool is_v6_ = false;

  error_code listen(const tcp::endpoint& endpoint);
  void accept();
  void on_accept(const error_code& ec, tcp::socket socket, HttpLoop& loop);
  std::optional<HttpGuest> admit(const tcp::socket& socket);
};

error_code BeastServer::listen(const tcp::endpoint& endpoint) {
  error_code ec;
  acceptor_->open(endpoint.protocol(), ec);
  if (!ec) acceptor_->set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor_->bind(endpoint, ec);
  if (!ec) acceptor_->listen(asio::socket_base::max_listen_connections, ec);
  if (!ec) port_ = acceptor_->local_endpoint(ec).port();
  return ec;
}

Result<void> BeastServer::start() {
  const HttpServerOptions& options = shared_.options;
  error_code ec;
  const auto address = asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, ec);
  if (ec)
    return fail(ErrorKind::invalid,
                "listen on '" + options.host + "': not an IP address; of names only localhost is known");
  is_v6_ = address.is_v6();
  for (int i = 0; i < std::max(1, options.threads); ++i)
    loops_.push_back(make_http_loop(shared_));
  acceptor_ = std::make_unique<tcp::acceptor>(loops_.front()->io());
  pause_ = std::make_unique<asio::steady_timer>(loops_.front()->io());
  if (const error_code failed = listen({address, options.port}))
    return fail(ErrorKind::unavailable,
                "listen on " + options.host + ":" + std::to_string(options.port) + ": " + failed.message());
  accept();
  for (const auto& loop : loops_) {
    threads_.push_back(std::make_unique<Service>("http", [loop](std::stop_token) { loop->run(); }));
    threads_.back()->start();
  }
  return {};
}

void BeastServer::accept() {
  HttpLoop& loop = *loops_[turn_++ % loops_.size()];
  // The socket is of the acceptor's own loop until the other one adopts it: an accept that is left over at the end must not
  // hold on to a loop that is gone.
  acceptor_->async_accept(
      [this, &loop](const error_code& ec, tcp::socket socket) { on_accept(ec, std::move(socket), loop); });
}

void BeastServer::on_accept(const error_code& ec, tcp::socket socket, HttpLoop& loop) {
  if (!acceptor_->is_open()) return;
  if (ec) {
    log::warning("a new connection could not be accepted, trying again", {{"error", ec.message()}});
    pause_->expires_after(std::chrono::milliseconds{100});
    return pause_->async_wait([this](const error_code& failed) {
      if (!failed && acceptor_->is_open()) accept();
    });
  }
  if (const auto guest = admit(socket))
    asio::dispatch(loop.io(), [&loop, guest = *guest, v6 = is_v6_, descriptor = socket.release()] {
      loop.adopt(descriptor, v6, guest);
    });
  accept();
}

// Refusals are connections, too, for a moment; beyond twice the limit there is no time for manners: nothing.
std::optional<HttpGuest> BeastServer::admit(const tcp::socket& socket) {
  const HttpServerOptions& options = shared_.options;
  error_code is_gone;
  const auto from = socket.remote_endpoint(is_gone);
  if (is_gone) return std::nullopt;
  HttpGuest guest{PeerCounts::peer_of(from.address())};
  const std::size_t open = shared_.open.load();
  const std::size_t of_peer = shared_.peers.enter(guest.peer);
  std::optional<OverloadCause> cause;
  if (of_peer > options.connections_per_peer_max) {
    guest.refused_because =
        "too many connections from this address are open; close some, or try again in a moment";
    cause = OverloadCause::peer_connections;
  }
  if (open >= options.connections_max) {
    guest.refused_because = "too many connections are open; try again in a moment";
    cause = OverloadCause::connections;
  }
  if (cause && shared_.metrics != nullptr)
    shared_.metrics->add(Metric::http_overload, 1, {std::string(kOverloadCauseNames.text(*cause))});
  if (open < 2 * options.connections_max && of_peer <= 2 * options.connections_per_peer_max) return guest;
  shared_.peers.leave(guest.peer);
  return std::nullopt;
}

void BeastServer::stop_accepting() {
  if (loops_.empty() || !shared_.accepting.exchange(false)) return;
  asio::post(loops_.front()->io(), [this] {
    error_code ignored;
    acceptor_->close(ignored);
    pause_->cancel();
  });
  for (const auto& loop : loops_)
    asio::post(loop->io(), [l = loop.get()] { l->close_idle(); });
}

void BeastServer::stop() {
  stop_accepting();
  if (!threads_.empty())
    for (const auto& loop : loops_)
      asio::post(loop->io(), [l = loop.get()] { l->drain(); });
  for (const auto& thread : threads_)
    thread->stop();
  threads_.clear();
  // The threads are gone: what connections are left is closed here, before an answer could outlive them.
  for (const auto& loop : loops_)
    loop->close_all();
  pause_.reset();
  acceptor_.reset();
  loops_.clear();
}

}  // namespace

std::unique_ptr<HttpServer> make_http_server(HttpServerOptions options, HttpHandler& handler,
                                             Metrics* metrics) {
  return std::make_unique<BeastServer>(std::move(options), handler, metrics);
}

}  // namespace eilbote
