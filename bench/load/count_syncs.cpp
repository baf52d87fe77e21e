// Loaded in front of libc (LD_PRELOAD) by bench/durability.py: counts the calls that make writes durable into the file BENCH_SYNC_COUNT, so
// that a program that says it syncs can be believed. SQLite's settings cannot be asked from outside.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

// In the file, so that the count outlives a program that is killed.
std::atomic<std::uint64_t>* counter() {
  static std::atomic<std::uint64_t>* const shared = []() -> std::atomic<std::uint64_t>* {
    const char* path = std::getenv("BENCH_SYNC_COUNT");
    const int fd = path == nullptr ? -1 : ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || ::ftruncate(fd, sizeof(std::uint64_t)) != 0) return nullptr;
    void* at = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    return at == MAP_FAILED ? nullptr : static_cast<std::atomic<std::uint64_t>*>(at);
  }();
  return shared;
}

int counted(const char* name, int fd) {
  if (auto* count = counter()) count->fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, name))(fd);
}

}  // namespace

extern "C" {
int fsync(int fd) {
  return counted("fsync", fd);
}
int fdatasync(int fd) {
  return counted("fdatasync", fd);
}
}
