// EILBOTE_ASSERT: on in every build; stops the program on a bug. Never reachable from input.
// EILBOTE_DEBUG_ASSERT: the same for checks that cost as much as the work they check; on in debug builds only, which the
// sanitized ones of `./dev test` are.
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

#ifdef NDEBUG
#define EILBOTE_DEBUG_ASSERT(condition) static_cast<void>(0)
#else
#define EILBOTE_DEBUG_ASSERT(condition) EILBOTE_ASSERT(condition)
#endif
