// What a server said it can do, in its answer to EHLO. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "domain/smtp_reply.h"

namespace eilbote {

struct SmtpCapabilities {
  bool pipelining = false, eight_bit = false, utf8 = false, starttls = false;
  bool has_size = false;
  std::uint64_t size_max = 0;               // 0: no limit was named
  std::set<std::string> auth_mechanisms{};  // upper case
};

SmtpCapabilities read_capabilities(const SmtpReply& ehlo);

}  // namespace eilbote
