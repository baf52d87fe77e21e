#include "chaos/small_disk.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <stdexcept>

namespace eilbote::chaos {
namespace {

constexpr unsigned long long kBytes = 8ULL << 30;  // only what is used of it takes memory
constexpr unsigned long long kRest = 64ULL << 10;

}  // namespace

bool enter_own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

SmallDisk::SmallDisk(std::string folder) : folder_(std::move(folder)) {
  if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, fmt::format("size={},mode=0755", kBytes).c_str()) != 0)
    throw std::runtime_error("cannot mount a small disk at " + folder_);
}

SmallDisk::~SmallDisk() {
  ::umount2(folder_.c_str(), MNT_DETACH);
}

void SmallDisk::fill(bool on) {
  if (!on) return resize(kBytes);
  struct statvfs used {};
  if (::statvfs(folder_.c_str(), &used) != 0) throw std::runtime_error("cannot look at " + folder_);
  resize((used.f_blocks - used.f_bfree) * used.f_frsize + kRest);
}

void SmallDisk::resize(unsigned long long bytes) {
  // It may have grown a little since it was looked at; then it is left as it is, and the next fault tries again.
  ::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, fmt::format("size={}", bytes).c_str());
}

}  // namespace eilbote::chaos
