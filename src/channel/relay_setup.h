// What a session with a relay is to be like, from the options: whom to trust, and who we are there.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "domain/smtp_options.h"
#include "net/smtp_session.h"
#include "ports/secret_source.h"

namespace eilbote {

// TLS 1.2 or newer; the authorities of the options, else the system's. The error names the file.
Result<boost::asio::ssl::context> tls_of(const SmtpOptions& options);

// With the secret as it is now; a fault when it cannot be read.
tl::expected<SmtpRelay, SmtpRouteFault> relay_of(const SmtpOptions& options, SecretSource& secrets);
// The same with a secret that was asked for before.
tl::expected<SmtpRelay, SmtpRouteFault> relay_with(const SmtpOptions& options, Result<Secret> secret);

}  // namespace eilbote
