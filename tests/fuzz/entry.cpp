// Where libFuzzer comes in; compiled once per target with its name.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/fuzz.h"

#ifndef EILBOTE_FUZZ_TARGET
#define EILBOTE_FUZZ_TARGET address_fuzz  // for tools that read this file by itself
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string fault =
      eilbote::fuzz::EILBOTE_FUZZ_TARGET(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!fault.empty()) {
    std::fprintf(stderr, "fault: %s\n", fault.c_str());
    std::abort();
  }
  return 0;
}
