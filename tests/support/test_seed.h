// The seed of a test that draws at random: another one each run, unless EILBOTE_TEST_SEED repeats one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace eilbote::test {

inline std::uint64_t test_seed() {
  const char* given = std::getenv("EILBOTE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

}  // namespace eilbote::test
