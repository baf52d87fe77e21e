// GMime wants to be started before it is used, once, and not by two threads at a time.
#pragma once

#include <gmime/gmime.h>

#include <mutex>

namespace eilbote {

inline void start_gmime() {
  static std::once_flag once;
  std::call_once(once, g_mime_init);
}

}  // namespace eilbote
