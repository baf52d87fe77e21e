// One connection to a mail relay: bytes out, replies in, each with a deadline; plain at first, under TLS when told to.
// Coroutines on the caller's io_context; a link belongs to one coroutine at a time.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/time.h"
#include "domain/smtp_reply.h"

namespace boost::asio::ssl {
class context;
}

namespace eilbote {

struct LinkFault {
  enum class Kind {
    network,      // refused, unreachable, reset: what the operating system says
    timeout,      // nothing came in time
    closed,       // the other side ended the connection
    garbage,      // what came is no SMTP
    tls,          // the handshake failed
    certificate,  // the other side is not who it should be
  };
  Kind kind;
  std::string text;
};

template <class T>
using LinkResult = tl::expected<T, LinkFault>;

class SmtpLink {
 public:
  template <class T>
  using Awaitable = boost::asio::awaitable<LinkResult<T>>;

  explicit SmtpLink(boost::asio::any_io_executor executor);
  ~SmtpLink();
  SmtpLink(SmtpLink&&) noexcept;
  SmtpLink& operator=(SmtpLink&&) = delete;

  Awaitable<void> connect(boost::asio::ip::tcp::endpoint to, Duration timeout);

  // From here on everything is encrypted. Bytes that came before the handshake would be an attacker's, slipped in front of
  // it in the clear: they are a fault. `host` is the name asked for (SNI) and, when `verify`, the certificate's.
  Awaitable<void> start_tls(boost::asio::ssl::context& context, std::string host, bool verify,
                            Duration timeout);

  // `timeout` is for each piece of up to 64 KiB, so a long message over a slow line is no fault as long as it moves.
  Awaitable<void> write(std::string_view bytes, Duration timeout);

  Awaitable<SmtpReply> read(Duration timeout);

  bool is_encrypted() const;
  // "TLSv1.3, certificate for /CN=relay, by /CN=authority, until Feb  3 12:00:00 2027 GMT"; empty in the clear.
  std::string tls_facts() const;
  void close();

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace eilbote
