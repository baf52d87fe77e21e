// GMime's objects in our hands: who owns one gives it back, and the library is started before the first. Only files that the
// build compiles with GMime's own flags may include this (CMakeLists.txt lists them).
#pragma once

#include <gmime/gmime.h>

#include <memory>
#include <mutex>

namespace eilbote {

// GMime wants to be started once, and not by two threads at a time.
inline void start_gmime() {
  static std::once_flag once;
  std::call_once(once, g_mime_init);
}

struct GObjectUnref {
  void operator()(void* object) const { g_object_unref(object); }
};
struct GMemoryFree {
  void operator()(void* memory) const { g_free(memory); }
};
template <class T>
using GRef = std::unique_ptr<T, GObjectUnref>;
using GText = std::unique_ptr<char, GMemoryFree>;

}  // namespace eilbote
