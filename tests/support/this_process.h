// What the test's own process uses of the machine, for tests that bound it.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace eilbote::test {

// Resident memory, in bytes.
inline std::size_t memory_in_use() {
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

inline int thread_count() {
  std::ifstream status("/proc/self/status");
  int count = 0;
  for (std::string word; status >> word;)
    if (word == "Threads:") status >> count;
  return count;
}

}  // namespace eilbote::test
