// Reads e-mail addresses. Called by check_mail for every address handed in, and by write_mime for their wire
// form. Pure: no DNS is asked; an address that passes is well-formed, not necessarily deliverable.
#include "domain/address.h"

#include <arpa/inet.h>

#include <array>

#include "base/ascii.h"
#include "base/utf8.h"
#include "domain/host_name.h"

namespace eilbote {
namespace {

constexpr std::size_t kLocalMax = 64;
constexpr std::size_t kDomainMax = 255;
constexpr std::size_t kAddressMax = 254;  // RFC 5321 path of 256 octets without its angle brackets

constexpr std::array<bool, 256> kAtext = [] {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c)
    table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c)
    table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c)
    table[static_cast<std::size_t>(c)] = true;
  for (const char c : std::string_view("!#$%&'*+-/=?^_`{|}~"))
    table[static_cast<unsigned char>(c)] = true;
  for (std::size_t c = 0x80; c < 256; ++c)
    table[c] = true;  // RFC 6531: UTF-8, checked as a whole before
  return table;
}();

tl::unexpected<Error> wrong(const char* what) {
  return fail(ErrorKind::invalid, what);
}

// C0, DEL, C1, and the Unicode line and paragraph separators: nothing an address ever needs.
bool has_unicode_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (is_control(text[i])) return true;
    if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    if (c == 0xE2 && (text.substr(i, 3) == "\xE2\x80\xA8" || text.substr(i, 3) == "\xE2\x80\xA9"))
      return true;
  }
  return false;
}

// Length of the dot-string at the start of `text`; 0 when a dot is first, last or doubled, or nothing is
// there.
std::size_t dot_string(std::string_view text) {
  std::size_t i = 0;
  bool after_dot = true;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      if (after_dot) return 0;
      after_dot = true;
    } else if (kAtext[static_cast<unsigned char>(c)]) {
      after_dot = false;
    } else {
      break;
    }
  }
  return after_dot ? 0 : i;
}

// Length of the quoted string at the start of `text`, both quotes included; 0 when it is not closed.
// Control characters were refused before, so every octet left is qtext or may follow a backslash.
std::size_t quoted_string(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') {
      ++i;
      if (i < text.size() && static_cast<unsigned char>(text[i]) >= 0x80) return 0;
    }
  }
  return 0;
}

// "[192.0.2.1]" or "[IPv6:2001:db8::1]"; empty when it is neither.
std::string address_literal(std::string_view text) {
  if (text.size() < 3 || text.back() != ']') return {};
  const std::string inner = ascii_lower(text.substr(1, text.size() - 2));
  std::array<unsigned char, 16> bytes{};
  if (inner.starts_with("ipv6:"))
    return inet_pton(AF_INET6, inner.c_str() + 5, bytes.data()) == 1 ? "[IPv6:" + inner.substr(5) + "]"
                                                                     : std::string();
  return inet_pton(AF_INET, inner.c_str(), bytes.data()) == 1 ? "[" + inner + "]" : std::string();
}

Result<std::string> ascii_domain(std::string_view domain) {
  if (domain.empty()) return wrong("needs a domain after the @, like name@example.org");
  if (domain.size() > kDomainMax) return wrong("has a domain longer than 255 octets");
  if (domain.front() == '[') {
    std::string literal = address_literal(domain);
    if (literal.empty()) return wrong("needs an address literal like [192.0.2.1] or [IPv6:2001:db8::1]");
    return literal;
  }
  std::string ascii = ascii_lower(domain);
  if (has_ace_label(ascii) || !is_ascii(ascii)) {
    ascii = a_labels(domain);
    if (ascii.empty()) return wrong("has a domain that is no valid internationalised name (IDNA2008)");
  }
  if (ascii.size() > kDomainMax) return wrong("has a domain longer than 255 octets");
  if (!is_host_name(ascii))
    return wrong(
        "needs a domain of letters, digits and inner hyphens, parted by single dots, 63 octets per label");
  if (last_label_is_number(ascii)) return wrong("needs an IP address in brackets, like name@[192.0.2.1]");
  return ascii;
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  if (text.empty()) return wrong("must be an e-mail address like name@example.org");
  // A domain in UTF-8 may be longer than its A-labels, but never by this much.
  if (text.size() > 4 * kAddressMax) return wrong("must be at most 254 octets long");
  if (!is_printable_ascii(text)) {  // few are not
    if (!is_utf8(text)) return wrong("must be valid UTF-8");
    if (has_unicode_control(text)) return wrong("must not contain line breaks or other control characters");
  }
  const bool quoted = text.front() == '"';
  const std::size_t length = quoted ? quoted_string(text) : dot_string(text);
  if (length == 0 && quoted) return wrong("has a quoted local part that is not closed before the @");
  if (length == 0 || length == text.size() || text[length] != '@')
    return wrong(
        "must be an e-mail address like name@example.org: one @, no blanks, no doubled or outer dots");
  if (length > kLocalMax) return wrong("has a local part (before the @) longer than 64 octets");
  auto ascii = ascii_domain(text.substr(length + 1));
  if (!ascii) return fail(ascii.error());
  if (length + 1 + ascii->size() > kAddressMax) return wrong("must be at most 254 octets long");
  Address address;
  address.local = text.substr(0, length);
  address.domain = text.substr(length + 1);
  address.ascii_domain = std::move(*ascii);
  address.needs_smtputf8 = !is_ascii(address.local);
  return address;
}

std::string_view address_domain(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at == std::string_view::npos || at + 1 == text.size() ? std::string_view("?") : text.substr(at + 1);
}

}  // namespace eilbote
