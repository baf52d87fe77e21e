#include "base/uuid.h"

#include "base/hex.h"
#include "base/secure_random.h"

namespace eilbote {

std::string random_uuid() {
  std::string bytes = secure_bytes(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);
  std::string text = to_hex(bytes);
  for (const std::size_t at : {8U, 13U, 18U, 23U})
    text.insert(at, 1, '-');
  return text;
}

}  // namespace eilbote
