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

// Cancels what the socket is doing when time is up. Its handler may run after it is gone, so it keeps what it needs.
class Deadline {
 public:
  Deadline(tcp::socket& socket, Duration timeout) : timer_(socket.get_executor(), timeout) {
    timer_.async_wait([&socket, state = state_](const error_code& stopped) {
      if (stopped || state->over) return;
      state->struck = true;
      error_code ignored;
      socket.cancel(ignored);
    });
  }
  ~Deadline() { state_->over = true; }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  bool struck() const { return state_->struck; }

 private:
  struct State {
    bool struck = false;
    bool over = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  asio::steady_timer timer_;
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
    if (tls)
      co_await asio::async_write(*tls, asio::buffer(bytes.data(), bytes.size()), token);
    else
      co_await asio::async_write(socket, asio::buffer(bytes.data(), bytes.size()), token);
  }
};

SmtpLink::SmtpLink(asio::any_io_executor executor)
    : connection_(std::make_unique<Connection>(std::move(executor))) {}
SmtpLink::~SmtpLink() = default;
SmtpLink::SmtpLink(SmtpLink&&) noexcept = default;

SmtpLink::Awaitable<void> SmtpLink::connect(tcp::endpoint to, Duration timeout) {
  error_code error;
  const Deadline deadline(connection_->socket, timeout);
  co_await connection_->socket.async_connect(to, asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return tl::unexpected(fault_of(error, deadline, "connect"));
  connection_->socket.set_option(tcp::no_delay(true), error);
  co_return LinkResult<void>{};
}

SmtpLink::Awaitable<void> SmtpLink::start_tls(asio::ssl::context& context, std::string host, bool verify,
                                              Duration timeout) {
  if (!connection_->unread.empty() || connection_->reader.has_begun())
    co_return tl::unexpected(LinkFault{Kind::garbage, "TLS: bytes came in the clear after the go-ahead"});
  connection_->tls.emplace(connection_->socket, context);
  auto& tls = *connection_->tls;
  SSL_set_tlsext_host_name(tls.native_handle(), host.c_str());
  error_code error;
  tls.set_verify_mode(verify ? asio::ssl::verify_peer : asio::ssl::verify_none, error);
  if (verify) SSL_set1_host(tls.native_handle(), host.c_str());
  const Deadline deadline(connection_->socket, timeout);
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
    const Deadline deadline(connection_->socket, timeout);
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    co_await connection_->write_all(piece, error);
    if (error) co_return tl::unexpected(fault_of(error, deadline, "write"));
    bytes.remove_prefix(piece.size());
  }
  co_return LinkResult<void>{};
}

SmtpLink::Awaitable<SmtpReply> SmtpLink::read(Duration timeout) {
  const Deadline deadline(connection_->socket, timeout);
  for (;;) {
    switch (connection_->reader.read(connection_->unread)) {
      case SmtpReplyReader::Step::complete:
        co_return connection_->reader.take();
      case SmtpReplyReader::Step::broken:
        co_return tl::unexpected(LinkFault{Kind::garbage, "read: what the other side says is no SMTP"});
      case SmtpReplyReader::Step::more:
        break;
    }
    error_code error;
    const std::size_t bytes = co_await connection_->read_some(error);
    if (error) co_return tl::unexpected(fault_of(error, deadline, "read"));
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
