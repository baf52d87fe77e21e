#include "channel/relay_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "channel/relay_setup.h"
#include "domain/delivery_codes.h"

namespace eilbote {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Fault = SmtpRouteFault;

// A session may use addresses this old without asking again, and older ones while the resolver has trouble.
constexpr Duration kFresh = 30s, kStillGood = 15min;
constexpr Duration kUnknownNameIsAlarming = 15min;
constexpr Duration kRefusedLoginRests = 5min;
constexpr Duration kWithoutTlsFor = 1h;

Fault name_fault(const std::string& host, const LookupFault& lookup) {
  Fault fault;
  fault.code = code::smtp_dns;
  fault.text = fmt::format("the name {} has no address: {}", host, lookup.text);
  fault.is_network = true;
  return fault;
}

}  // namespace

// Shared by the door and the thread that looks up: whoever goes last frees it. The resolver cannot be interrupted, so the
// thread is left alone when the door is gone.
struct RelayDoor::Flight {
  Mutex mutex;
  bool abandoned EILBOTE_GUARDED_BY(mutex) = false;
  std::optional<tl::expected<Addresses, LookupFault>> result EILBOTE_GUARDED_BY(mutex);

  bool has_landed() {
    const MutexLock lock(mutex);
    return result.has_value();
  }
};

Result<std::unique_ptr<RelayDoor>> RelayDoor::make(asio::io_context& io, SmtpOptions options,
                                                   SecretSource& secrets, NameLookup lookup,
                                                   const Clock& clock) {
  auto tls = tls_of(options);
  if (!tls) return fail(tls.error());
  return std::unique_ptr<RelayDoor>(
      new RelayDoor(io, std::move(options), secrets, std::move(lookup), clock, std::move(*tls)));
}

RelayDoor::RelayDoor(asio::io_context& io, SmtpOptions options, SecretSource& secrets, NameLookup lookup,
                     const Clock& clock, asio::ssl::context tls)
    : io_(io),
      options_(std::move(options)),
      secrets_(secrets),
      lookup_(std::move(lookup)),
      clock_(clock),
      tls_(std::move(tls)) {}

RelayDoor::~RelayDoor() {
  {
    const MutexLock lock(asking_->mutex);
    asking_->is_over = true;
  }
  if (!flight_) return;
  const MutexLock lock(flight_->mutex);
  flight_->abandoned = true;
}

std::optional<Fault> RelayDoor::refused_login(const SmtpRelay& relay) const {
  if (!refused_ || !relay.login || !relay.login->secret.is_same_as(refused_->secret)) return std::nullopt;
  if (clock_.steady_now() - refused_->at >= kRefusedLoginRests) return std::nullopt;
  return refused_->fault;
}

RelayDoor::Step<SmtpSession> RelayDoor::open() {
  auto how = relay_with(options_, co_await secret(Freshness::at_hand));
  // Twice at most: with the secret as it is, and with a newer one when that was refused, now or a while ago.
  for (int round = 0;; ++round) {
    if (!how) co_return tl::unexpected(how.error());
    if (refused_login(*how)) {
      how = relay_with(options_, co_await secret(Freshness::afresh));
      if (!how) co_return tl::unexpected(how.error());
      if (const auto fault = refused_login(*how)) co_return tl::unexpected(*fault);
    }
    auto session = co_await open_with(*how);
    if (session) refused_.reset();
    if (session || !session.error().is_login) co_return session;
    refused_ = Refused{how->login->secret, session.error(), clock_.steady_now()};
    if (round == 1) co_return session;
  }
}

struct RelayDoor::Answer {
  explicit Answer(asio::io_context& io) : arrived(io, asio::steady_timer::time_point::max()) {}
  std::optional<Result<Secret>> secret;
  asio::steady_timer arrived;
};

// The answer comes from another thread, perhaps after the coroutine that waits for it, or the door, is gone.
void RelayDoor::ask_afresh(const std::shared_ptr<Answer>& answer) {
  const std::weak_ptr<Answer> weak = answer;
  secrets_.renew(options_.secret_ref, [&io = io_, weak, asking = asking_](Result<Secret> secret) {
    const MutexLock lock(asking->mutex);
    if (asking->is_over) return;  // and the io_context with it
    asio::post(io, [weak, secret = std::move(secret)] {
      const auto waiting = weak.lock();
      if (!waiting) return;
      waiting->secret = secret;
      waiting->arrived.cancel();
    });
  });
}

// The store of the secret may be far away and slow; this thread has other mails to carry meanwhile.
RelayDoor::Awaitable<Result<Secret>> RelayDoor::secret(Freshness freshness) {
  if (options_.target.user.empty()) co_return Secret();
  if (freshness == Freshness::at_hand)
    if (auto known = secrets_.at_hand(options_.secret_ref)) co_return std::move(*known);
  const auto answer = std::make_shared<Answer>(io_);
  ask_afresh(answer);
  boost::system::error_code ignored;
  while (!answer->secret)
    co_await answer->arrived.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return std::move(*answer->secret);
}

RelayDoor::Step<SmtpSession> RelayDoor::open_with(const SmtpRelay& relay) {
  auto found = co_await addresses();
  if (!found) co_return tl::unexpected(found.error());
  if (last_good_) {
    const auto first = std::find(found->begin(), found->end(), *last_good_);
    if (first != found->end()) std::rotate(found->begin(), first, first + 1);
  }
  std::optional<Fault> last;
  for (const asio::ip::address& address : *found) {
    auto session = co_await open_at({address, options_.target.port}, relay);
    if (session) {
      last_good_ = address;
      co_return session;
    }
    // Another address has the same login and the same certificate.
    if (session.error().verdict == Verdict::configuration) co_return session;
    last = session.error();
  }
  last_good_.reset();
  co_return tl::unexpected(*last);
}

// A relay that offers TLS and cannot do it gets one try in the clear, where clear was allowed and no password is at stake.
RelayDoor::Step<SmtpSession> RelayDoor::open_at(Endpoint to, const SmtpRelay& relay) {
  const bool may_be_clear = relay.tls == SmtpTls::opportunistic && !relay.login;
  SmtpRelay clear = relay;
  clear.tls = SmtpTls::off;
  const auto broken = without_tls_.find(to.address());
  if (may_be_clear && broken != without_tls_.end() && clock_.steady_now() - broken->second < kWithoutTlsFor)
    co_return co_await SmtpSession::open(io_.get_executor(), to, clear, tls_);
  auto session = co_await SmtpSession::open(io_.get_executor(), to, relay, tls_);
  if (session || !may_be_clear || !session.error().is_tls) co_return session;
  log::warning(
      "the relay offers TLS but cannot do it; sending in the clear for an hour (tls=required would forbid "
      "that)",
      {{"relay", relay.host}, {"error", session.error().text}});
  without_tls_[to.address()] = clock_.steady_now();
  co_return co_await SmtpSession::open(io_.get_executor(), to, clear, tls_);
}

RelayDoor::Step<Addresses> RelayDoor::addresses() {
  boost::system::error_code no_literal;
  const auto literal = asio::ip::make_address(options_.target.host, no_literal);
  if (!no_literal) co_return Addresses{literal};
  if (known_ && clock_.steady_now() - known_->at < kFresh) co_return known_->addresses;

  if (!flight_) begin_lookup();
  const std::shared_ptr<Flight> flight = flight_;
  if (!flight->has_landed()) {
    asio::steady_timer patience(io_, options_.timeouts.dns);
    waiting_.push_back(&patience);
    boost::system::error_code ignored;
    co_await patience.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    std::erase(waiting_, &patience);
  }
  if (!flight->has_landed()) co_return looked_up({false, "the resolver did not answer in time"});
  if (flight_ == flight) flight_.reset();
  const MutexLock lock(flight->mutex);
  const auto& result = *flight->result;
  if (!result) co_return looked_up(result.error());
  if (result->empty()) co_return looked_up({true, "no address"});
  known_ = Known{*result, clock_.steady_now()};
  unknown_since_.reset();
  unknown_told_ = false;
  co_return *result;
}

void RelayDoor::begin_lookup() {
  flight_ = std::make_shared<Flight>();
  std::thread([this, flight = flight_, lookup = lookup_, host = options_.target.host] {
    auto result = lookup(host);
    const MutexLock lock(flight->mutex);
    flight->result = std::move(result);
    if (flight->abandoned) return;  // the door is gone
    asio::post(io_, [this] {
      for (asio::steady_timer* one : waiting_)
        one->cancel();
    });
  }).detach();
}

// A failed lookup: the addresses of before are good for a while, unless the name is said not to exist.
tl::expected<Addresses, Fault> RelayDoor::looked_up(const LookupFault& fault) {
  const auto now = clock_.steady_now();
  if (!fault.is_unknown_name) {
    if (known_ && now - known_->at < kStillGood) return known_->addresses;
    return tl::unexpected(name_fault(options_.target.host, fault));
  }
  if (!unknown_since_) unknown_since_ = now;
  if (!unknown_told_ && now - *unknown_since_ >= kUnknownNameIsAlarming) {
    unknown_told_ = true;
    log::error("the relay's name has had no address for a quarter of an hour: is it spelt right?",
               {{"relay", options_.target.host}, {"error", fault.text}});
  }
  return tl::unexpected(name_fault(options_.target.host, fault));
}

}  // namespace eilbote
