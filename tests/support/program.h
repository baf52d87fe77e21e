// The program under test: the one of this build, or the one EILBOTE_TEST_PROGRAM names. The scenarios are compiled once
// and run against the sanitized programs too.
#pragma once

#include <cstdlib>
#include <string>

namespace eilbote::test {

inline std::string program_under_test() {
  const char* named = std::getenv("EILBOTE_TEST_PROGRAM");
  return named != nullptr ? named : EILBOTE_BINARY;
}

// Whether it is the program of another build, a sanitized one mostly.
inline bool is_other_program() {
  return program_under_test() != EILBOTE_BINARY;
}

}  // namespace eilbote::test
