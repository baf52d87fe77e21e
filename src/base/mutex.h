// A mutex that says what it guards, so that clang can check it: a member marked EILBOTE_GUARDED_BY may be touched only, and
// a function marked EILBOTE_REQUIRES called only, where the mutex is held. `./dev check` has clang look (-Wthread-safety);
// for GCC the marks are nothing and a Mutex is a std::mutex. A std::condition_variable_any waits with the Mutex itself; the
// lambda it asks carries EILBOTE_REQUIRES, as it is asked under the lock.
#pragma once

#include <mutex>

#if defined(__clang__)
#define EILBOTE_LOCKING(mark) __attribute__((mark))
#else
#define EILBOTE_LOCKING(mark)
#endif

// Of a member: only with this mutex held.
#define EILBOTE_GUARDED_BY(mutex) EILBOTE_LOCKING(guarded_by(mutex))
// Of a function: the caller holds it, before and after.
#define EILBOTE_REQUIRES(...) EILBOTE_LOCKING(requires_capability(__VA_ARGS__))

namespace eilbote {

class EILBOTE_LOCKING(capability("mutex")) Mutex {
 public:
  void lock() EILBOTE_LOCKING(acquire_capability()) { mutex_.lock(); }
  void unlock() EILBOTE_LOCKING(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Held as long as this lives.
class EILBOTE_LOCKING(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) EILBOTE_LOCKING(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() EILBOTE_LOCKING(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Given up as long as this lives: around a call of somebody else in the middle of a function that holds it.
class EILBOTE_LOCKING(scoped_lockable) MutexUnlock {
 public:
  explicit MutexUnlock(Mutex& mutex) EILBOTE_LOCKING(release_capability(mutex)) : mutex_(mutex) {
    mutex_.unlock();
  }
  ~MutexUnlock() EILBOTE_LOCKING(release_capability()) { mutex_.lock(); }
  MutexUnlock(const MutexUnlock&) = delete;
  MutexUnlock& operator=(const MutexUnlock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace eilbote
