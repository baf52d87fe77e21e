// EILBOTE_ASSERT: on in every build; stops the program on a bug. Never reachable from input.
#pragma once

#include <cstdlib>

#include "base/log.h"

#define EILBOTE_ASSERT(condition)                                                                 \
  do {                                                                                            \
    if (!(condition)) [[unlikely]] {                                                              \
      ::eilbote::log::error("a fault in the program was found: it stops here",                    \
                            {{"condition", #condition}, {"file", __FILE__}, {"line", __LINE__}}); \
      std::abort();                                                                               \
    }                                                                                             \
  } while (false)
