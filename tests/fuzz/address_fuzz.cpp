// Whatever is given as an address: what is accepted cannot leave the angle brackets of an envelope, and its wire form is
// accepted again, as the same address.
#include <algorithm>

#include "domain/address.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Reads "MAIL FROM:<wire>" as a server would: a quoted string may hold blanks and brackets, nothing else may.
bool breaks_envelope(std::string_view wire) {
  bool quoted = false;
  for (std::size_t i = 0; i < wire.size(); ++i) {
    const char c = wire[i];
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted && c == '\\') {
      // The next one is taken as it is, but a control character is none even there.
      if (++i == wire.size() || static_cast<unsigned char>(wire[i]) < 0x20 || wire[i] == 0x7F) return true;
    } else if (!quoted && (c == ' ' || c == '<' || c == '>')) {
      return true;
    }
  }
  return quoted;
}

}  // namespace

std::string address_fuzz(std::string_view bytes) {
  const std::string_view named = address_domain(bytes);
  if (named.empty()) return "a domain for logs that is empty";
  const auto address = parse_address(bytes);
  if (!address) return {};
  const std::string wire = address->wire();
  if (breaks_envelope(wire)) return "the envelope breaks";
  if (wire.size() > 254 || address->local.empty() || address->local.size() > 64) return "too long, or empty";
  if (!is_ascii(address->ascii_domain) || address->ascii_domain.empty()) return "a domain that is not ASCII";
  if (address->needs_smtputf8 == is_ascii(wire))
    return "SMTPUTF8 where ASCII will do, or the other way round";
  if (address->local + "@" + address->domain != bytes) return "not what was given";
  if (named != address->domain) return "another domain for logs";
  const auto again = parse_address(wire);
  if (!again) return "its own wire form is refused: " + again.error().message;
  if (again->wire() != wire || again->local != address->local) return "another address the second time";
  return {};
}

}  // namespace eilbote::fuzz
