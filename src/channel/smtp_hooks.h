// Where tests take the place of the world around the SMTP channel: its resolver, and the time it waits.
#pragma once

#include <functional>

#include "base/time.h"
#include "net/name_lookup.h"

namespace eilbote {

struct SmtpHooks {
  NameLookup lookup = look_up_name;
  // Calls `over` when the wait between two tries is over, from any thread, never at once. Empty: real time passes.
  std::function<void(Duration wait, std::function<void()> over)> pause;
};

}  // namespace eilbote
