// How large the long scenarios are: EILBOTE_TEST_SCALE, 1 is full size; sanitized builds run at a tenth.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

namespace eilbote::test {

// `full` at full size, never less than `least`.
inline int scaled(int full, int least = 1) {
  const char* text = std::getenv("EILBOTE_TEST_SCALE");
  const double scale = text == nullptr ? 1.0 : std::clamp(std::atof(text), 0.001, 100.0);
  return std::max(least, static_cast<int>(full * scale));
}

}  // namespace eilbote::test
