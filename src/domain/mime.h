// Writes a mail as an RFC 5322 message: UTF-8, 7-bit safe, CRLF. Built once, at acceptance; the bytes and the
// Message-ID never change between attempts.
#pragma once

#include <string>

#include "domain/ids.h"
#include "domain/mail.h"

namespace eilbote {

struct MimeStamp {
  JobId id;
  TimePoint date{};
  std::string message_id_domain;  // right side of the Message-ID
};

std::string message_id(const MimeStamp& stamp);
std::string write_mime(const Mail& mail, const MimeStamp& stamp);

}  // namespace eilbote
