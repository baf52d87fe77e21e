#include "base/secure_random.h"

#include <openssl/rand.h>

#include "base/assert.h"

namespace eilbote {

std::string secure_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int made = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  EILBOTE_ASSERT(made == 1);
  return bytes;
}

std::string secure_text(std::size_t count, std::string_view alphabet) {
  // Bytes above the last whole multiple would favour the first letters.
  const std::size_t fair = 256 / alphabet.size() * alphabet.size();
  std::string text;
  text.reserve(count);
  while (text.size() < count)
    for (const char byte : secure_bytes(count - text.size()))
      if (const std::size_t value = static_cast<unsigned char>(byte); value < fair)
        text += alphabet[value % alphabet.size()];
  return text;
}

}  // namespace eilbote
