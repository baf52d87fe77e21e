// How far two clocks are apart, when one of them could only be asked over a network. Used by upkeep for this machine and the
// database.
#pragma once

#include "base/time.h"

namespace eilbote {

// This machine's clock before it asked and after it got `theirs`: the other clock was read somewhere in between. Above zero:
// ours is ahead by at least this much. Zero: they may agree; a slow answer never looks like a wrong clock.
inline Duration clock_skew(TimePoint asked, TimePoint theirs, TimePoint answered) {
  if (theirs < asked) return asked - theirs;
  if (theirs > answered) return answered - theirs;
  return Duration{0};
}

}  // namespace eilbote
