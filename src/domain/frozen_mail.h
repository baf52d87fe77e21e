// Reads back the message that mime.cpp froze at acceptance, for a provider that wants a mail in parts (Graph's JSON form).
// GMime does the parsing. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/mail.h"

namespace eilbote {

struct FrozenMail {
  Mail mail;  // from, to, cc, replyTo, subject, text, html, attachments, headers: what the message shows
  std::string message_id;  // with its angle brackets
  TimePoint date{};
};

// Nothing for bytes that are no message with a From.
std::optional<FrozenMail> read_frozen_mail(std::string_view mime);

}  // namespace eilbote
