// The web console: a page of a few files, built by console/build.mjs and embedded in the program. Its paths are public, the data it
// shows is not: the page gets that from the API like everybody else, with a token where one is needed.
#pragma once

#include <string>

namespace eilbote {

// What the page needs to know before it can ask for anything, and whether there is a page at all.
struct ConsoleSettings {
  bool on = true;
  std::string version;
  std::string issuer;  // empty: no token is needed
  std::string client_id, scope, audience;
};

}  // namespace eilbote
