#include "domain/smtp_target.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "base/url_escape.h"

namespace eilbote {
namespace {

constexpr std::string_view kPlain = "smtp://", kEncrypted = "smtps://";
constexpr std::uint16_t kSubmission = 587, kSubmissions = 465;

tl::unexpected<Error> wrong(std::string what) {
  return fail(ErrorKind::invalid, std::move(what));
}

bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ':';
  });
}

// HOST, HOST:PORT, [::1], [::1]:PORT
Result<void> read_host(std::string_view text, SmtpTarget& target) {
  const std::string_view all = text;
  const auto bracket = text.rfind(']');
  const auto colon = text.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (has_port) {
    const std::string_view digits = all.substr(colon + 1);
    unsigned port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc{} || end != digits.data() + digits.size() || port == 0 || port > 65535)
      return wrong("the port must be a number from 1 to 65535");
    target.port = static_cast<std::uint16_t>(port);
    text = all.substr(0, colon);
  }
  if (text.starts_with('[') && text.ends_with(']'))
    text = text.substr(1, text.size() - 2);
  else if (text.find(':') != std::string_view::npos)
    return wrong("an IPv6 address stands in brackets: smtp://[::1]:587");
  if (!is_host(text)) return wrong("must name a host: smtp://user@host:port");
  target.host = text;
  return {};
}

Result<void> read_setting(std::string_view setting, SmtpTarget& target) {
  const auto equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
  if (name == "tls") {
    const auto tls = kSmtpTlsNames.parse(value);
    if (!tls) return wrong("tls must be one of: " + kSmtpTlsNames.list());
    target.tls = *tls;
  } else if (name == "auth") {
    const auto auth = kSmtpAuthNames.parse(value);
    if (!auth) return wrong("auth must be one of: " + kSmtpAuthNames.list());
    target.auth = *auth;
  } else {
    return wrong("behind the '?' stand tls=.. and auth=.., nothing else");
  }
  return {};
}

}  // namespace

Result<SmtpTarget> parse_smtp_target(std::string_view url) {
  SmtpTarget target;
  const bool encrypted = url.starts_with(kEncrypted);
  if (!encrypted && !url.starts_with(kPlain))
    return wrong("must be smtp://user@host:port?tls=required or smtps://user@host:port");
  url.remove_prefix(encrypted ? kEncrypted.size() : kPlain.size());
  if (encrypted) target.tls = SmtpTls::implicit;

  std::string_view settings;
  if (const auto mark = url.find('?'); mark != std::string_view::npos) {
    settings = url.substr(mark + 1);
    url = url.substr(0, mark);
  }
  if (url.ends_with('/')) url.remove_suffix(1);
  // The last @: user names are often addresses, and not everybody writes %40.
  if (const auto at = url.rfind('@'); at != std::string_view::npos) {
    if (url.substr(0, at).find(':') != std::string_view::npos)
      return wrong(
          "a password does not belong into the URL; say where it is with the option that ends in "
          "_PASSWORD_REF");
    const auto user = url_unescaped(url.substr(0, at));  // "ann%40example.org"
    if (!user || user->empty() || has_control(*user)) return wrong("the user before the '@' cannot be read");
    target.user = *user;
    url.remove_prefix(at + 1);
  }
  if (auto done = read_host(url, target); !done) return fail(done.error());
  while (!settings.empty()) {
    const auto amp = std::min(settings.find('&'), settings.size());
    if (auto done = read_setting(settings.substr(0, amp), target); !done) return fail(done.error());
    settings.remove_prefix(std::min(amp + 1, settings.size()));
  }
  if (encrypted && target.tls != SmtpTls::implicit)
    return wrong("smtps:// is TLS from the first byte; with tls=.. write smtp://");
  if (target.port == 0) target.port = target.tls == SmtpTls::implicit ? kSubmissions : kSubmission;
  return target;
}

}  // namespace eilbote
