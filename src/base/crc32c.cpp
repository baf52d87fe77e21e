#include "base/crc32c.h"

namespace eilbote {

std::uint32_t crc32c(std::string_view bytes) {
  constexpr std::uint32_t kReversedPolynomial = 0x82F63B78U;
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1U) != 0 ? kReversedPolynomial : 0U);
  }
  return ~crc;
}

}  // namespace eilbote
