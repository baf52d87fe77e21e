// The way to one relay: its addresses, its login, and what was learnt about both. Opens sessions, one try each; whoever
// wants to try again asks again. Lives on one io_context and is used by its thread only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "domain/smtp_options.h"
#include "net/name_lookup.h"
#include "net/smtp_session.h"
#include "ports/secret_source.h"

namespace eilbote {

class RelayDoor {
 public:
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;
  template <class T>
  using Step = Awaitable<tl::expected<T, SmtpRouteFault>>;

  // The error names what cannot be read.
  static Result<std::unique_ptr<RelayDoor>> make(boost::asio::io_context& io, SmtpOptions options,
                                                 SecretSource& secrets, NameLookup lookup,
                                                 const Clock& clock);
  ~RelayDoor();

  // Every address of the relay once, the one that worked last first; stops at a fault that another address would not
  // mend. A login that was refused is not tried again for five minutes, unless its secret has changed; it is looked up
  // afresh where it is kept, so that a rotated password costs no mail.
  Step<SmtpSession> open();

 private:
  struct Flight;  // a lookup under way, which may outlive the door
  using Endpoint = boost::asio::ip::tcp::endpoint;

  RelayDoor(boost::asio::io_context& io, SmtpOptions options, SecretSource& secrets, NameLookup lookup,
            const Clock& clock, boost::asio::ssl::context tls);
  enum class Freshness { at_hand, afresh };
  struct Answer;
  void ask_afresh(const std::shared_ptr<Answer>& answer);
  Awaitable<Result<Secret>> secret(Freshness freshness);
  Step<Addresses> addresses();
  Step<SmtpSession> open_with(const SmtpRelay& relay);
  Step<SmtpSession> open_at(Endpoint to, const SmtpRelay& relay);
  std::optional<SmtpRouteFault> refused_login(const SmtpRelay& relay) const;
  void begin_lookup();
  tl::expected<Addresses, SmtpRouteFault> looked_up(const LookupFault& fault);

  boost::asio::io_context& io_;
  const SmtpOptions options_;
  SecretSource& secrets_;
  const NameLookup lookup_;
  const Clock& clock_;
  boost::asio::ssl::context tls_;

  struct Known {
    Addresses addresses;
    Clock::Steady at{};
  };
  std::optional<Known> known_;
  std::shared_ptr<Flight> flight_;
  std::vector<boost::asio::steady_timer*> waiting_;  // for the flight to land
  std::optional<boost::asio::ip::address> last_good_;
  std::optional<Clock::Steady> unknown_since_;
  bool unknown_told_ = false;
  // Shared with answers about the secret that may come after the door is gone.
  struct Asking {
    Mutex mutex;
    bool is_over EILBOTE_GUARDED_BY(mutex) = false;
  };
  std::shared_ptr<Asking> asking_ = std::make_shared<Asking>();
  struct Refused {
    Secret secret;
    SmtpRouteFault fault;
    Clock::Steady at{};
  };
  std::optional<Refused> refused_;
  std::map<boost::asio::ip::address, Clock::Steady> without_tls_;  // where opportunistic TLS failed, and when
};

}  // namespace eilbote
