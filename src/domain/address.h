// E-mail addresses: RFC 5321 syntax, with IDN domains and SMTPUTF8 local parts.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace eilbote {

struct Address {
  std::string local;         // dot-string or quoted string, as given
  std::string domain;        // as given
  std::string ascii_domain;  // IDNA2008 A-labels, lower case; or the address literal
  bool needs_smtputf8 = false;

  // What goes on the wire: the local part as given, the domain in A-labels.
  std::string wire() const { return local + "@" + ascii_domain; }
};

// The error's message says what would be right. Never echoes the address.
Result<Address> parse_address(std::string_view text);

// The part after the last '@', for logs; "?" when there is none.
std::string_view address_domain(std::string_view text);

}  // namespace eilbote
