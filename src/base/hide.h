// Takes a secret out of a text that somebody else wrote: relays and endpoints repeat what they were told, and what they say is
// kept and shown. Used by the SMTP session and the webhook channel.
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

// Puts *** in its place, wherever it is. An empty one changes nothing.
void hide(std::string& text, std::string_view secret);

// The value of an Authorization header, without its scheme: as it is, however JSON writers escape it, and of a Basic login
// the password too. What has fewer than eight characters is left: it is in many texts by accident.
void hide_authorization(std::string& text, std::string_view value);

}  // namespace eilbote
