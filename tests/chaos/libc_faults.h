// What the preloaded library faulty_libc.cpp is told, in a file that it and this program both see. One file per instance.
#pragma once

#include <atomic>
#include <cstdint>

namespace eilbote::chaos {

struct LibcFaults {
  static constexpr const char* kVariable = "EILBOTE_TEST_LIBC";  // names the file

  std::atomic<std::uint32_t> sync_fails;  // 1: fsync and fdatasync say EIO
  std::atomic<std::uint32_t>
      torn_write;  // 1: the next write at an offset writes half of it, and the process is gone
  std::atomic<std::uint32_t> struck;      // how many calls were struck
  std::atomic<std::int32_t> clock_hours;  // so much later it is by the clock of the day
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace eilbote::chaos
