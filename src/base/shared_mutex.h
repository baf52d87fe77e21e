// A mutex that many may hold together as long as they only read, marked as base/mutex.h does it.
#pragma once

#include <shared_mutex>

#include "base/mutex.h"

namespace eilbote {

class EILBOTE_LOCKING(capability("mutex")) SharedMutex {
 public:
  void lock() EILBOTE_LOCKING(acquire_capability()) { mutex_.lock(); }
  void unlock() EILBOTE_LOCKING(release_capability()) { mutex_.unlock(); }
  void lock_shared() EILBOTE_LOCKING(acquire_shared_capability()) { mutex_.lock_shared(); }
  void unlock_shared() EILBOTE_LOCKING(release_shared_capability()) { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class EILBOTE_LOCKING(scoped_lockable) ReadLock {
 public:
  explicit ReadLock(SharedMutex& mutex) EILBOTE_LOCKING(acquire_shared_capability(mutex)) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~ReadLock() EILBOTE_LOCKING(release_generic_capability()) { mutex_.unlock_shared(); }
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class EILBOTE_LOCKING(scoped_lockable) WriteLock {
 public:
  explicit WriteLock(SharedMutex& mutex) EILBOTE_LOCKING(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~WriteLock() EILBOTE_LOCKING(release_capability()) { mutex_.unlock(); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace eilbote
