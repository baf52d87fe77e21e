// Loaded in front of libc (LD_PRELOAD) by the chaos run: makes syncs fail, and tears one write in the middle as a power cut does,
// or the clock of the day jump, when the file that EILBOTE_TEST_LIBC names says so (libc_faults.h). Only files of a database are struck: what else the process
// writes at offsets, or syncs, is not its outbox.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "chaos/libc_faults.h"

namespace {

using eilbote::chaos::LibcFaults;

LibcFaults* faults() {
  static LibcFaults* const shared = []() -> LibcFaults* {
    const char* path = std::getenv(LibcFaults::kVariable);
    const int fd = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* at = ::mmap(nullptr, sizeof(LibcFaults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    return at == MAP_FAILED ? nullptr : static_cast<LibcFaults*>(at);
  }();
  return shared;
}

bool is_of_database(int fd) {
  char link[64], path[512];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = ::readlink(link, path, sizeof path - 1);
  if (size <= 0) return false;
  path[size] = '\0';
  return std::strstr(path, ".db") != nullptr && std::strstr(path, "-shm") == nullptr;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool sync_is_struck(int fd) {
  LibcFaults* const told = faults();
  if (told == nullptr || told->sync_fails.load() == 0 || !is_of_database(fd)) return false;
  ++told->struck;
  errno = EIO;
  return true;
}

using WriteAt = ssize_t (*)(int, const void*, size_t, off64_t);

ssize_t write_at(const char* name, int fd, const void* bytes, size_t size, off64_t offset) {
  const auto write = real<WriteAt>(name);
  LibcFaults* const told = faults();
  if (told == nullptr || told->torn_write.load() == 0 || size < 2 || !is_of_database(fd))
    return write(fd, bytes, size, offset);
  if (told->torn_write.exchange(0) == 0) return write(fd, bytes, size, offset);
  ++told->struck;
  write(fd, bytes, size / 2, offset);
  ::kill(::getpid(), SIGKILL);
  return -1;
}

constexpr time_t kHour = 3600;

}  // namespace

extern "C" {
// Asked very often, by everything: no lookup of the real one each time.
int clock_gettime(clockid_t clock, timespec* now) {
  static const auto ask = real<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int answer = ask(clock, now);
  if (answer != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return answer;
  const LibcFaults* const told = faults();
  if (told != nullptr) now->tv_sec += told->clock_hours.load(std::memory_order_relaxed) * kHour;
  return answer;
}
int fsync(int fd) {
  return sync_is_struck(fd) ? -1 : real<int (*)(int)>("fsync")(fd);
}
int fdatasync(int fd) {
  return sync_is_struck(fd) ? -1 : real<int (*)(int)>("fdatasync")(fd);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  return write_at("pwrite", fd, bytes, size, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return write_at("pwrite64", fd, bytes, size, offset);
}
}
