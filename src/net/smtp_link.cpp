#include "net/smtp_link.h"

#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <optional>

namespace eilbote {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Kind = LinkFault::Kind;

constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr Duration kAgain = std::chrono::seconds{1};

// Cancels what the socket is doing when time is up. One timer for all that a link ever does: nearly everything ends in time,
// so the timer is not stopped then, and sees what is due only when it goes off.
class Watchdog {
 public:
  explicit Watchdog(tcp::socket& socket) : state_(std::make_shared<State>(socket)) {}
  ~Watchdog() {
    state_->socket = nullptr;
    state_->timer.cancel();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void watch(Duration timeout) {
    state_->struck = false;
    state_->due = Steady::now() + timeout;
    if (state_->due < state_->goes_off) set(state_);
  }
  void rest() { state_->due = Steady::time_point::max(); }
  bool struck() const { return state_->struck; }

 private:
  using Steady = std::chrono::steady_clock;
  // The timer's handler may run after the link is gone, so it keeps what it needs.
  struct State {
    explicit State(tcp::socket& of) : socket(&of), timer(of.get_executor()) {}
    tcp::socket* socket;
    asio::steady_timer timer;
    Steady::time_point due = Steady::time_point::max();
    Steady::time_point goes_off = Steady::time_point::max();
    bool struck = false;
  };

  static void set(const std::shared_ptr<State>& state) {
    state->goes_off = state->due;
    state->timer.expires_at(state->due);
    state->timer.async_wait([state](const error_code& stopped) {
      if (stopped || state->socket == nullptr) return;
      state->goes_off = Steady::time_point::max();
      if (state->due == Steady::time_point::max()) return;
      if (Steady::now() < state->due) return set(state);
      state->struck = true;
      error_code ignored;
      state->socket->cancel(ignored);
      // What had just ended by itself was not cancelled, and may be followed by another read: once more, until it rests.
      state->due = Steady::now() + kAgain;
      set(state);
    });
  }

  std::shared_ptr<State> state_;
};

// The time one read or write may take.
class Deadline {
 public:
  Deadline(Watchdog& dog, Duration timeout) : dog_(dog) { dog_.watch(timeout); }
  ~Deadline() { dog_.rest(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  bool struck() const { return dog_.struck(); }

 private:
  Watchdog& dog_;
};

LinkFault fault_of(const error_code& error, const Deadline& deadline, const char* doing) {
  const std::string prefix = std::string(doing) + ": ";
  if (deadline.struck()) return {Kind::timeout, prefix + "timed out"};
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
    return {Kind::closed, prefix + "the relay closed the connection"};
  return {Kind::network, prefix + error.message()};
}

}  // namespace

struct SmtpLink::Connection {
  explicit Connection(asio::any_io_executor executor) : socket(std::move(executor)) {}

  tcp::socket socket;
  Watchdog dog{socket};
  std::optional<asio::ssl::stream<tcp::socket&>> tls;
  std::array<char, 8192> buffer{};
  std::string_view unread;  // in the buffer
  SmtpReplyReader reader;

  asio::awaitable<std::size_t> read_some(error_code& error) {
    auto token = asio::redirect_error(asio::use_awaitable, error);
    if (tls) co_return co_await tls->async_read_some(asio::buffer(buffer), token);
    co_return co_await socket.async_read_some(asio::buffer(buffer), token);
  }
  asio::awaitable<void> write_all(std::string_view bytes, error_code& error) {
    auto token = asio::redirect_error(asio::use_awaitable, error);
    if (tls) {
      co_await asio::async_write(*tls, asio::buffer(bytes.data(), bytes.size()), token);
      co_return;
    }
    // Mostly the socket takes everything at once, and there is nothing to wait for.
    bytes.remove_prefix(socket.write_some(asio::buffer(bytes.data(), bytes.size()), error));
    if (error == asio::error::would_block) error.clear();
    if (error || bytes.empty()) co_return;
    co_await asio::async_write(socket, asio::buffer(bytes.data(), bytes.size()), token);
  }
};

SmtpLink::SmtpLink(asio::any_io_executor executor)
    : connection_(std::make_unique<Connection>(std::move(executor))) {}
SmtpLink::~SmtpLink() = default;
SmtpLink::SmtpLink(SmtpLink&&) noexcept = default;

SmtpLink::Awaitable<void> SmtpLink::connect(tcp::endpoint to, Duration timeout) {
  error_code error;
  const Deadline deadline(connection_->dog, timeout);
  co_await connection_->socket.async_connect(to, asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return tl::unexpected(fault_of(error, deadline, "connect"));
  connection_->socket.set_option(tcp::no_delay(true), error);
  connection_->socket.non_blocking(true, error);
  co_return LinkResult<void>{};
}

SmtpLink::Awaitable<void> SmtpLink::start_tls(asio::ssl::context& context, std::string host, bool verify,
                                              Duration timeout) {
  if (!connection_->unread.empty() || connection_->reader.has_begun())
    co_return tl::unexpected(LinkFault{Kind::garbage, "TLS: bytes came in the clear after the go-ahead"});
  connection_->tls.emplace(connection_->socket, context);
  auto& tls = *connection_->tls;
  error_code error, no_address;
  asio::ip::make_address(host, no_address);
  // Only names are announced; there are servers (with GnuTLS) that end the handshake at an address.
  if (no_address) SSL_set_tlsext_host_name(tls.native_handle(), host.c_str());
  tls.set_verify_mode(verify ? asio::ssl::verify_peer : asio::ssl::verify_none, error);
  if (verify) SSL_set1_host(tls.native_handle(), host.c_str());
  const Deadline deadline(connection_->dog, timeout);
  co_await tls.async_handshake(asio::ssl::stream_base::client,
                               asio::redirect_error(asio::use_awaitable, error));
  if (!error) co_return LinkResult<void>{};
  const long verdict = SSL_get_verify_result(tls.native_handle());
  if (verify && verdict != X509_V_OK)
    co_return tl::unexpected(LinkFault{Kind::certificate, "TLS: the certificate for " + host + ": " +
                                                              X509_verify_cert_error_string(verdict)});
  LinkFault fault = fault_of(error, deadline, "TLS handshake");
  if (fault.kind == Kind::network && error.category() == asio::error::get_ssl_category())
    fault.kind = Kind::tls;
  co_return tl::unexpected(std::move(fault));
}

SmtpLink::Awaitable<void> SmtpLink::write(std::string_view bytes, Duration timeout) {
  while (!bytes.empty()) {
    error_code error;
    const Deadline deadline(connection_->dog, timeout);
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    co_await connection_->write_all(piece, error);
    if (error) co_return tl::unexpected(fault_of(error, deadline, "write"));
    bytes.remove_prefix(piece.size());
  }
  co_return LinkResult<void>{};
}

SmtpLink::Awaitable<SmtpReply> SmtpLink::read(Duration timeout) {
  std::optional<Deadline> deadline;  // not for what is here already
  for (;;) {
    switch (connection_->reader.read(connection_->unread)) {
      case SmtpReplyReader::Step::complete:
        co_return connection_->reader.take();
      case SmtpReplyReader::Step::broken:
        co_return tl::unexpected(LinkFault{Kind::garbage, "read: what the other side says is no SMTP"});
      case SmtpReplyReader::Step::more:
        break;
    }
    if (!deadline) deadline.emplace(connection_->dog, timeout);
    error_code error;
    const std::size_t bytes = co_await connection_->read_some(error);
    if (error) co_return tl::unexpected(fault_of(error, *deadline, "read"));
    connection_->unread = std::string_view(connection_->buffer.data(), bytes);
  }
}

bool SmtpLink::is_encrypted() const {
  return connection_->tls.has_value();
}

std::string SmtpLink::tls_facts() const {
  if (!connection_->tls) return "";
  SSL* const ssl = connection_->tls->native_handle();
  std::string facts = SSL_get_version(ssl);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(ssl), X509_free);
  if (!certificate) return facts;
  std::array<char, 256> name{};
  X509_NAME_oneline(X509_get_subject_name(certificate.get()), name.data(), name.size());
  facts += std::string(", certificate for ") + name.data();
  X509_NAME_oneline(X509_get_issuer_name(certificate.get()), name.data(), name.size());
  facts += std::string(", by ") + name.data();
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), BIO_free);
  ASN1_TIME_print(text.get(), X509_get0_notAfter(certificate.get()));
  const int length = BIO_read(text.get(), name.data(), static_cast<int>(name.size()));
  if (length > 0) facts += ", until " + std::string(name.data(), static_cast<std::size_t>(length));
  return facts;
}

void SmtpLink::close() {
  error_code ignored;
  connection_->socket.close(ignored);
}

}  // namespace eilbote
