#include "channel/relay_setup.h"

#include <fmt/format.h>

#include "domain/delivery_codes.h"

namespace eilbote {

namespace ssl = boost::asio::ssl;

namespace {
constexpr Duration kSecretComesBack = std::chrono::seconds{1};
}

Result<ssl::context> tls_of(const SmtpOptions& options) {
  ssl::context tls(ssl::context::tls_client);
  tls.set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  boost::system::error_code trouble;
  if (options.ca_file.empty())
    tls.set_default_verify_paths(trouble);
  else
    tls.load_verify_file(options.ca_file, trouble);
  if (trouble)
    return fail(ErrorKind::invalid,
                options.ca_file.empty()
                    ? "the system's certificates: " + trouble.message()
                    : fmt::format("EILBOTE_SMTP_CA_FILE: {}: {}", options.ca_file, trouble.message()));
  return tls;
}

tl::expected<SmtpRelay, SmtpRouteFault> relay_of(const SmtpOptions& options, SecretSource& secrets) {
  return relay_with(options, options.target.user.empty() ? Secret() : secrets.resolve(options.secret_ref));
}

tl::expected<SmtpRelay, SmtpRouteFault> relay_with(const SmtpOptions& options, Result<Secret> secret) {
  SmtpRelay relay;
  relay.host = options.target.host;
  relay.tls = options.target.tls;
  relay.ehlo_name = options.ehlo_name;
  relay.timeouts = options.timeouts;
  if (options.target.user.empty()) return relay;
  if (!secret) {
    SmtpRouteFault fault;
    fault.verdict = Verdict::configuration;
    fault.status = AttemptStatus::CLIENT_ERROR;
    fault.code = code::smtp_secret;
    fault.text = secret.error().message;
    // A store that is away comes back by itself.
    if (secret.error().kind == ErrorKind::unavailable) fault.retry_after = kSecretComesBack;
    return tl::unexpected(std::move(fault));
  }
  relay.login = SmtpLogin{options.target.user, std::move(*secret), options.target.auth == SmtpAuth::xoauth2};
  return relay;
}

}  // namespace eilbote
