// A mail relay as people name it: smtp://user@host:port?tls=off, smtps://host. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/result.h"

namespace eilbote {

enum class SmtpTls {
  off,
  opportunistic,  // when the relay offers it; its certificate is not checked
  required,       // STARTTLS, with a certificate that is good
  implicit,       // TLS from the first byte, with a certificate that is good
};
inline constexpr auto kSmtpTlsNames = enum_names<SmtpTls>({{SmtpTls::off, "off"},
                                                           {SmtpTls::opportunistic, "opportunistic"},
                                                           {SmtpTls::required, "required"},
                                                           {SmtpTls::implicit, "implicit"}});

// How a user proves who he is. `password`: PLAIN or LOGIN, whichever the relay offers. `xoauth2`: the secret is a token.
enum class SmtpAuth { password, xoauth2 };
inline constexpr auto kSmtpAuthNames =
    enum_names<SmtpAuth>({{SmtpAuth::password, "password"}, {SmtpAuth::xoauth2, "xoauth2"}});
static_assert(kSmtpTlsNames.complete() && kSmtpAuthNames.complete());

struct SmtpTarget {
  std::string host;  // a name or an address, without the brackets of IPv6
  std::uint16_t port = 0;
  SmtpTls tls = SmtpTls::required;
  SmtpAuth auth = SmtpAuth::password;
  std::string user;  // empty: no login
  friend bool operator==(const SmtpTarget&, const SmtpTarget&) = default;
};

// The error says what would be right, and never repeats the text: it may hold a password.
Result<SmtpTarget> parse_smtp_target(std::string_view url);

}  // namespace eilbote
