#include "base/secret.h"

#include <openssl/crypto.h>

namespace eilbote {

void wipe(std::string& text) {
  text.resize(text.capacity());  // a text that was shortened, or moved away, left more behind than it shows
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

bool same_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

bool Secret::is_same_as(const Secret& other) const {
  return same_in_constant_time(text_, other.text_);
}

}  // namespace eilbote
