// The header lines of a message: folding, RFC 2047 words, mailboxes, RFC 2231 parameters. Used by mime.cpp
// only. Whatever text comes in, each function writes exactly one header: no CR, LF or NUL gets through.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "domain/mail.h"

namespace eilbote::mime {

// Free text (Subject, custom headers): as it is where ASCII allows it, else in encoded words.
void append_text_header(std::string& out, std::string_view name, std::string_view value);

// A structured value of ASCII words: folded at its blanks only, never encoded.
void append_verbatim_header(std::string& out, std::string_view name, std::string_view value);

// From, To, Cc, Reply-To. Addresses that are none are left out; nothing is written when none is left.
// True when the header was written.
bool append_mailbox_header(std::string& out, std::string_view name, std::span<const Mailbox> boxes);

// The file name as a parameter of Content-Disposition: `; filename="..."`, or its RFC 2231 form when the name
// is not plain ASCII. Never both: readers disagree on which of the two then counts.
void append_filename(std::string& out, std::string_view name);

// The ASCII fallback for readers without RFC 2231, as a parameter of Content-Type; nothing for a plain name.
void append_fallback_name(std::string& out, std::string_view name);

}  // namespace eilbote::mime
