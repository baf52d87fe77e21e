// A session with a relay, ready for mails: connected, greeted, encrypted and logged in as the options ask; then one mail
// after the other. Coroutines on the caller's io_context; one coroutine at a time.
//
// Nothing is ever sent in the clear that was to be encrypted, nor without the login that was asked for.
#pragma once

#include <functional>
#include <optional>

#include "base/secret.h"
#include "domain/delivery.h"
#include "domain/smtp_capabilities.h"
#include "domain/smtp_options.h"
#include "domain/smtp_transaction.h"
#include "net/smtp_link.h"

namespace eilbote {

struct SmtpLogin {
  std::string user;
  Secret secret;          // the password, or the token
  bool is_token = false;  // XOAUTH2 instead of PLAIN or LOGIN
};

struct SmtpRelay {
  std::string host;  // for the certificate and SNI
  SmtpTls tls = SmtpTls::required;
  std::string ehlo_name;
  std::optional<SmtpLogin> login;
  SmtpTimeouts timeouts;
};

// Why there is no session. Never a mail's fault.
struct SmtpRouteFault {
  Verdict verdict = Verdict::route_fault;  // or configuration
  AttemptStatus status = AttemptStatus::CONNECTION_ERROR;
  std::string code, text;
  SmtpReply reply{};        // code 0: none
  bool is_network = false;  // worth another try within the same attempt
  bool is_tls = false;      // STARTTLS or the handshake failed
  bool is_login = false;    // user, password or token were refused
  std::optional<Duration>
      retry_after{};  // it may mend itself: the mail is due again then, once the route works
};

// What happens around the final dot.
struct SmtpHandOver {
  // `accepted`: indices of the recipients it is for. False: the mail is not ours any more, and does not leave.
  std::function<bool(const std::vector<int>& accepted)> before_dot;
  std::function<void(int)> after_dot;  // the reply's code, before anything else is done with it
};

class SmtpSession {
 public:
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;
  using Opened = tl::expected<SmtpSession, SmtpRouteFault>;

  static Awaitable<Opened> open(boost::asio::any_io_executor executor, boost::asio::ip::tcp::endpoint to,
                                const SmtpRelay& relay, boost::asio::ssl::context& tls);

  // `body` as smtp_body() makes it. Answers `released` when before_dot said no.
  Awaitable<DeliveryResult> send(SmtpEnvelope envelope, std::string_view body, const SmtpHandOver& hand_over);

  // Forgets a transaction that was left open; false: the session is of no more use.
  Awaitable<bool> reset();
  // Says goodbye without waiting for an answer.
  Awaitable<void> quit();

  const SmtpCapabilities& can() const { return can_; }
  bool is_encrypted() const { return link_.is_encrypted(); }
  std::string tls_facts() const { return link_.tls_facts(); }
  bool is_usable() const { return usable_; }

 private:
  class Opening;
  SmtpSession(SmtpLink link, SmtpCapabilities can, SmtpTimeouts timeouts)
      : link_(std::move(link)), can_(std::move(can)), timeouts_(timeouts) {}

  Awaitable<bool> send_body(SmtpTransaction& mail, std::string_view body, const SmtpHandOver& hand_over);
  Awaitable<void> read_reply(SmtpTransaction& mail, const SmtpHandOver& hand_over);

  SmtpLink link_;
  SmtpCapabilities can_;
  SmtpTimeouts timeouts_;
  bool usable_ = true;
};

}  // namespace eilbote
