#include "channel/relay_probe.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "channel/relay_setup.h"
#include "domain/delivery_codes.h"

namespace eilbote {
namespace {

namespace asio = boost::asio;

class Probe {
 public:
  Probe(const SmtpOptions& options, SecretSource& secrets, const NameLookup& lookup)
      : options_(options), secrets_(secrets), lookup_(lookup) {}

  std::vector<RelayFinding> run() {
    auto tls = tls_of(options_);
    if (!tls) {
      findings_.push_back(
          {false, "certificates", tls.error().message, "EILBOTE_SMTP_CA_FILE must be a readable PEM file."});
      return std::move(findings_);
    }
    tls_ = std::move(*tls);
    auto relay = relay_of(options_, secrets_);
    if (!relay) {
      bad("secret", relay.error().code, relay.error().text);
      return std::move(findings_);
    }
    relay_ = std::move(*relay);
    for (const asio::ip::address& address : addresses())
      knock(address);
    return std::move(findings_);
  }

 private:
  void good(std::string what, std::string text) {
    findings_.push_back({true, std::move(what), std::move(text), ""});
  }
  void bad(std::string what, const std::string& code, std::string text) {
    const DeliveryAdvice* advice = delivery_advice(code);
    findings_.push_back({false, std::move(what), std::move(text),
                         advice != nullptr ? fmt::format("{} {}", advice->meaning, advice->what_to_do) : ""});
  }

  Addresses addresses() {
    boost::system::error_code no_literal;
    const auto literal = asio::ip::make_address(relay_.host, no_literal);
    if (!no_literal) return {literal};
    auto found = lookup_(relay_.host);
    if (!found || found->empty()) {
      bad("name " + relay_.host, code::smtp_dns, found ? "no address" : found.error().text);
      return {};
    }
    std::string list;
    for (const asio::ip::address& one : *found)
      list += (list.empty() ? "" : ", ") + one.to_string();
    good("name " + relay_.host, list);
    return std::move(*found);
  }

  void knock(const asio::ip::address& address) {
    const std::string where = fmt::format("{} port {}", address.to_string(), options_.target.port);
    asio::io_context io;
    asio::co_spawn(io, talk({address, options_.target.port}, where, io), [](const std::exception_ptr& error) {
      if (error) std::rethrow_exception(error);
    });
    io.run();
  }

  asio::awaitable<void> talk(asio::ip::tcp::endpoint to, std::string where, asio::io_context& io) {
    auto session = co_await SmtpSession::open(io.get_executor(), to, relay_, tls_);
    if (!session) {
      bad(where, session.error().code, session.error().text);
      co_return;
    }
    good(where, session->is_encrypted() ? session->tls_facts() : "connected, in the clear");
    if (relay_.login) good("login as " + relay_.login->user, "accepted");
    const SmtpCapabilities& can = session->can();
    good("extensions",
         fmt::format("PIPELINING {}, SMTPUTF8 {}, SIZE {}", can.pipelining ? "yes" : "no (slower)",
                     can.utf8 ? "yes" : "no (addresses beyond ASCII will be refused)",
                     can.size_max > 0 ? std::to_string(can.size_max) : "no limit named"));
    co_await session->quit();
  }

  const SmtpOptions& options_;
  SecretSource& secrets_;
  const NameLookup& lookup_;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  SmtpRelay relay_;
  std::vector<RelayFinding> findings_;
};

}  // namespace

std::vector<RelayFinding> probe_relay(const SmtpOptions& options, SecretSource& secrets,
                                      const NameLookup& lookup) {
  return Probe(options, secrets, lookup).run();
}

}  // namespace eilbote
