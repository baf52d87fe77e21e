// Takes a secret out of a text that somebody else wrote: relays and endpoints repeat what they were told, and what they say is
// kept and shown. Used by the SMTP session and the webhook channel.
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

// Puts *** in its place, wherever it is. An empty one changes nothing.
void hide(std::string& text, std::string_view secret);

}  // namespace eilbote
